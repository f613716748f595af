#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/scenario/scenario.h"
#include "trace/import/report.h"

namespace heddle::trace {

inline constexpr Repair kUnclearGpus{
    "gpus", "asks for a number or a part of GPUs that does not exist: asks for no GPU"};
inline constexpr Repair kUnclearModel{"gpu_model",
                                      "names a model of GPUs that is no name: takes any model"};

/// The GPUs of a trace: those of its machines, and what jobs ask for. They become devices of the
/// resource `gpu`, the first one that the cluster counts, and the label `model` of nodes.
class Gpus {
 public:
  /// Returns the amount that `number` GPUs are, or a part of one if `number` is 1 and `part` (0..1)
  /// is below 1. Returns nullopt if there is no such amount.
  static std::optional<Thousandths> amount(double number, double part = 1);
  /// Returns the condition that a node has one of the models, which `|` separates. Returns nullopt
  /// if one of them is no name. No model: no condition.
  static std::optional<Where> one_of(std::string_view models);

  /// Adds the next machine of the trace. An impossible number counts as 0, and a model that is no
  /// name as unknown.
  void add_machine(double number, std::string_view model);
  /// Adds machines of unknown models by their numbers of GPUs. If none has any, the trace does not
  /// say, and nothing is added.
  void add_machines(const std::vector<double>& numbers);
  /// Gives the nodes the GPUs of the machines, which are repeated if there are more nodes. If the
  /// trace has no machines, each node gets `number`. Adds a sentence; `jobs` says how many of what
  /// request GPUs, such as "3 pods".
  void give(ClusterSpec& cluster, int number, const std::string& jobs, ImportReport& report) const;

 private:
  struct Machine {
    int gpus = 0;
    std::string model;  ///< "": unknown
  };
  std::vector<Machine> machines_;
};

}  // namespace heddle::trace
