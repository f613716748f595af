#pragma once

#include "core/policy/placement/executor_placement.h"

namespace heddle {

/// Executors of a job over as many nodes as possible (`spread-out`), or on as few
/// (`non-spread-out`); where none has room, the same order says which node is reserved.
///
/// Source: Spark's standalone Master, spark.deploy.spreadOut, executor by executor.
/// Good at: spread, what a job's executors do to one node's disk and network cards is small;
/// on few nodes, what they hand each other stays there.
/// Bad at: what runs on a node that is reserved, and for how long, doesn't count.
class SpreadOut : public ExecutorPlacement {
 public:
  SpreadOut(const Scenario& scenario, bool spread);

 private:
  /// What application masters leave.
  Resources most_room(const NodeLoad& load) const override;
  std::optional<Choice> best_room(const Request& request, const Nodes& candidates,
                                  const Resources& total) const override;
  std::optional<Choice> best_to_hold(const Request& request, const Nodes& candidates,
                                     const Draft& draft) override;
  /// In words, with how many of the job's executors the node has and what is free.
  Choice told(NodeId node, JobId job, const char* rule) const;

  bool spread_;
};

}  // namespace heddle
