#include "core/policy/placement/first_fit.h"

#include <algorithm>
#include <functional>

#include "core/policy/placement/executor_placement.h"

namespace heddle {

constinit const PartText kNodeFilling{
    .name = "placement",
    .summary = "a container goes to the node that is offered, if it fits",
    .options = {&kNodeOrder}};

constinit const ExecutorPart kFirstFitPart{
    {.name = "first-fit",
     .summary = "the node that reports, with or without YARN's reservations",
     .good_at =
         "reservations cost nothing, and keep a stream of small tasks from starving large ones.",
     .bad_at = "a large container waits on the first node that reports, however busy it is. "
               "Resources freed there stay idle until there are enough.",
     .source = "Hadoop YARN",
     .options = {&kReserve}},
    &make_nothing<ExecutorPlacement>};

std::vector<NodeId> FirstFit::ordered(const Draft& draft, std::vector<NodeId> nodes) const {
  if (most_free_ && nodes.size() > 1) {
    auto share = [&](NodeId id) {
      return least_share(draft.free(id), draft.view().cluster.node(id).spec->allowance);
    };
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](NodeId a, NodeId b) { return share(a) > share(b); });
  }
  return nodes;
}

std::vector<NodeId> FirstFit::gang_places(const Request& request, const Draft& draft,
                                          const FreeIndex::May& may) const {
  std::vector<NodeId> open;
  for (auto node = draft.free_nodes().first(request.resources); node;
       node = draft.free_nodes().first(request.resources, NodeId{node->value + 1}))
    if (may(*node)) open.push_back(*node);
  std::vector<NodeId> chosen;
  for (NodeId node : ordered(draft, std::move(open))) {
    Resources free = draft.free(node);
    while (std::ssize(chosen) < request.pending && request.resources.fits_in(free)) {
      free -= request.resources;
      chosen.push_back(node);
    }
  }
  return chosen;
}

bool FirstFit::reserve(const Request& request, std::optional<NodeId> offered, Draft& draft) const {
  const auto wants_more = [&] { return draft.reserved(request) < draft.pending(request.phase); };
  const auto could = [&](NodeId node) { return could_take(request, node, draft); };
  if (!reserve_ || request.gang || !wants_more()) return false;
  if (draft.free_nodes().first(request.resources)) return false;
  if (offered) {
    if (draft.reserved_by(*offered) || draft.free_nodes().withheld(*offered) != Resources{} ||
        !could(*offered))
      return false;
    draft.reserve(request, *offered, "fits nowhere now");
    return true;
  }
  bool any = false;
  for (auto node = draft.free_nodes().to_hold(request.resources, std::ref(could));
       node && wants_more();
       node = draft.free_nodes().to_hold(request.resources, std::ref(could))) {
    draft.reserve(request, *node, "fits nowhere now");
    any = true;
  }
  return any;
}

}  // namespace heddle
