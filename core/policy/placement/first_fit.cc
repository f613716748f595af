#include "core/policy/placement/first_fit.h"

#include <algorithm>

namespace heddle {
namespace {

/// How much of a node is free: the smaller of its two free shares.
double free_share(const Draft& draft, NodeId id) {
  const Resources& total = draft.view().cluster.node(id).spec->allowance;
  Resources free = draft.free(id);
  auto share = [](std::int64_t part, std::int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
  };
  return std::min(share(free.cores.count(), total.cores.count()),
                  share(free.memory.count(), total.memory.count()));
}

bool held_by_other(const Draft& draft, NodeId node, PhaseId phase) {
  const PhaseId* holder = draft.reserved_by(node);
  return holder && *holder != phase;
}

}  // namespace

FirstFit::FirstFit(std::unique_ptr<Scheduler> scheduler, FirstFitOptions options)
    : scheduler_(std::move(scheduler)), options_(options) {}

Decision FirstFit::decide(const View& view, std::span<const Event>) {
  scheduler_->refresh(view);
  Draft draft(view);
  if (view.offers.empty()) return {draft.take()};
  serve_reservations(draft);
  scheduler_->in_order(draft, [&](const Request& request) {
    request.gang ? place_gang(request, draft) : place(request, draft);
    if (draft.pending(request.phase) == 0) return true;
    if (options_.reserve && !request.gang) reserve(request, draft);
    return !options_.strict_order;
  });
  return {draft.take()};
}

std::vector<NodeId> FirstFit::ordered(const Draft& draft, std::vector<NodeId> nodes) const {
  if (options_.most_free) {
    std::stable_sort(nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) {
      return free_share(draft, a) > free_share(draft, b);
    });
  }
  return nodes;
}

void FirstFit::serve_reservations(Draft& draft) const {
  for (NodeId node : draft.view().offers) {
    const PhaseId* holder = draft.reserved_by(node);
    if (!holder) continue;
    const Request& request = *draft.view().cluster.request(*holder);
    if (request.resources.fits_in(draft.free(node))) draft.launch(request, node, "reservation met");
  }
}

void FirstFit::place(const Request& request, Draft& draft) const {
  const auto offers = draft.view().offers;
  for (NodeId node : ordered(draft, {offers.begin(), offers.end()})) {
    if (held_by_other(draft, node, request.phase)) continue;
    while (draft.pending(request.phase) > 0 && request.resources.fits_in(draft.free(node)))
      draft.launch(request, node, "fits");
    if (draft.pending(request.phase) == 0) return;
  }
}

void FirstFit::place_gang(const Request& request, Draft& draft) const {
  std::vector<NodeId> alive;
  for (const Node& node : draft.view().cluster.nodes())
    if (node.alive && !held_by_other(draft, node.id, request.phase)) alive.push_back(node.id);
  std::vector<NodeId> chosen;
  for (NodeId node : ordered(draft, std::move(alive))) {
    Resources free = draft.free(node);
    while (std::ssize(chosen) < request.pending && request.resources.fits_in(free)) {
      free -= request.resources;
      chosen.push_back(node);
    }
  }
  if (std::ssize(chosen) < request.pending) return;
  for (NodeId node : chosen) draft.launch(request, node, "gang fits");
}

void FirstFit::reserve(const Request& request, Draft& draft) const {
  if (draft.fits_somewhere(request)) return;
  for (NodeId node : draft.view().offers) {
    if (std::ssize(draft.reserved(request.phase)) >= draft.pending(request.phase)) return;
    if (draft.reserved_by(node)) continue;
    if (request.resources.fits_in(draft.view().cluster.node(node).spec->allowance))
      draft.reserve(request, node, "fits nowhere now");
  }
}

}  // namespace heddle
