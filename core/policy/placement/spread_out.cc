#include "core/policy/placement/cluster_placement.h"
#include "core/policy/placement/first_fit.h"

namespace heddle {
namespace {

/// Places the executors of a job on as many nodes as possible (`spread-out`), or on as few nodes as
/// possible (`non-spread-out`). If no node has room, the node to reserve is chosen in the same
/// order.
class SpreadOut : public ClusterPlacement {
 public:
  SpreadOut(const Scenario& scenario, bool spread) : ClusterPlacement(scenario), spread_(spread) {}

 private:
  /// Returns the allowance minus what application masters hold.
  Resources most_room(const NodeLoad& load) const override { return load.allowance - load.masters; }
  std::optional<Choice> best_room(const Request& request, const Nodes& candidates,
                                  const Resources& total) const override {
    const JobId job = request.phase.job;
    const auto node =
        choose_by_spread(loads(), candidates, job, request.resources, total, spread_, false);
    if (!node) return std::nullopt;
    return told(*node, job, "");
  }

  std::optional<Choice> best_to_hold(const Request& request, const Nodes& candidates,
                                     const Draft& draft) override {
    const JobId job = request.phase.job;
    const auto node = choose_by_spread(loads(), candidates, job, request.resources,
                                       draft.view().cluster.total(), spread_, true);
    if (!node) return std::nullopt;
    return told(*node, job, ": fits nowhere now");
  }

  /// Describes the choice: how many of the job's executors the node has, and what is free.
  Choice told(NodeId node, JobId job, const char* rule) const {
    const NodeLoad& load = loads()[node.value];
    return {node, std::string(spread_ ? "spread-out" : "non-spread-out") + rule + ", " +
                      std::to_string(executors_of(load, job)) + " of its executors there, " +
                      in_words(load.free) + " free"};
  }

  bool spread_;
};

template <bool spread>
std::unique_ptr<ExecutorPlacement> make_spread(const Scenario& scenario) {
  return std::make_unique<SpreadOut>(scenario, spread);
}

}  // namespace

constinit const ExecutorPart kSpreadOutPart{
    {.name = "spread-out",
     .summary = "executors over as many nodes as possible",
     .good_at = "limiting what one job's executors do to the disk and network of a node.",
     .bad_at = "choosing the node to reserve, which ignores what runs there and for how long.",
     .source = "Spark's standalone Master, spark.deploy.spreadOut, executor by executor",
     .options = {&kControlInterval}},
    &make_spread<true>};

constinit const ExecutorPart kNonSpreadOutPart{
    {.name = "non-spread-out",
     .summary = "executors on as few nodes as possible",
     .good_at = "keeping the data that a job's executors exchange on one node.",
     .bad_at = "choosing the node to reserve, which ignores what runs there and for how long.",
     .source = "Spark's standalone Master, spark.deploy.spreadOut, executor by executor",
     .options = {&kControlInterval}},
    &make_spread<false>};

}  // namespace heddle
