#!/usr/bin/env python3
"""The packing score of Tetris (Grandl et al., "Multi-resource Packing for Cluster Schedulers",
SIGCOMM 2014, section 3.2): the request whose size is best aligned with what the node has free."""

from heddle_policy import Policy, run


def alignment(node, request):
    """The dot product of the free and the requested resources, as shares of the node."""
    whole = node.total
    return (node.free.cores * request.size.cores / whole.cores**2
            + node.free.memory * request.size.memory / whole.memory**2)


class Packing(Policy):
    def decide(self, step):
        def best(request):
            fitting = [n for n in step.nodes() if step.free(n, request)]
            return max((alignment(n, request) for n in fitting), default=0)

        step.place(key=lambda request: (-best(request), request.order),
                   node_key=lambda node, request: (-alignment(node, request), node.node),
                   reason="alignment")


if __name__ == "__main__":
    run(Packing)
