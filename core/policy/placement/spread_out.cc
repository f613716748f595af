#include "core/policy/placement/spread_out.h"

namespace heddle {

SpreadOut::SpreadOut(const Scenario& scenario, bool spread)
    : ExecutorPlacement(scenario), spread_(spread) {}

ExecutorPlacement::Choice SpreadOut::told(NodeId node, JobId job, const char* rule) const {
  const NodeLoad& load = loads()[node.value];
  return {node, std::string(spread_ ? "spread-out" : "non-spread-out") + rule + ", " +
                    std::to_string(executors_of(load, job)) + " of its executors there, " +
                    in_words(load.free) + " free"};
}

Resources SpreadOut::most_room(const NodeLoad& load) const { return load.allowance - load.masters; }

std::optional<ExecutorPlacement::Choice> SpreadOut::best_room(const Request& request,
                                                              const Nodes& candidates,
                                                              const Resources& total) const {
  const JobId job = request.phase.job;
  const auto node =
      choose_by_spread(loads(), candidates, job, request.resources, total, spread_, false);
  if (!node) return std::nullopt;
  return told(*node, job, "");
}

std::optional<ExecutorPlacement::Choice> SpreadOut::best_to_hold(const Request& request,
                                                                 const Nodes& candidates,
                                                                 const Draft& draft) {
  const JobId job = request.phase.job;
  const auto node = choose_by_spread(loads(), candidates, job, request.resources,
                                     draft.view().cluster.total(), spread_, true);
  if (!node) return std::nullopt;
  return told(*node, job, ": fits nowhere now");
}

}  // namespace heddle
