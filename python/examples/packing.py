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
        while True:
            pairs = [(alignment(node, request), -request.job, -node.node, request, node)
                     for node in step.nodes() for request in step.pending()
                     if not request.gang and step.allowed(request) and step.free(node, request)]
            if not pairs:
                return
            best = max(pairs, key=lambda pair: pair[:3])
            step.launch(best[3], best[4], "alignment %.3f" % best[0])


if __name__ == "__main__":
    run(Packing)
