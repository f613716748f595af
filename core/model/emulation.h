#pragma once

#include <optional>

#include "common/units.h"
#include "core/model/labels.h"

namespace heddle {

enum class CpuLimit { kStrict, kShares };
enum class Pacing { kLine, kNone };
enum class SuspendWith { kSignal, kFreezer };
/// Source of the use that is reported for a whole node: the charges of the node's control groups,
/// or the measurements of the node's host.
enum class NodeUseFrom { kGroups, kHost };
/// The container that is killed first if a node exceeds its memory: the container that the kernel
/// chooses, the container that started last, or the container with the largest measured use.
enum class OomPreference { kKernel, kYoungest, kLargest };

/// The largest CPU weight that the kernel gives a control group (CGROUP_WEIGHT_MAX,
/// include/linux/cgroup.h). The usual weight is 100.
inline constexpr int kLargestCpuWeight = 10'000;

/// Settings of the emulation. A factor that is `auto` is nullopt until the scenario is resolved
/// (core/resolve.h).
struct EmulationSpec {
  std::optional<double> time_scale = 1.0;
  std::optional<double> core_fraction;
  std::optional<double> memory_scale;
  std::optional<double> data_scale;  ///< nullopt: the value of memory_scale
  CpuLimit cpu_limit = CpuLimit::kStrict;
  Pacing pacing = Pacing::kLine;
  bool swap = false;
  real::Bytes overhead{1 << 20};     ///< per container, added to the scaled request
  double control_reserve_cpu = 0.2;  ///< share of the usable CPU kept for the control plane
  real::Bytes control_reserve_memory{512LL << 20};
  SuspendWith suspend_with = SuspendWith::kSignal;
  NodeUseFrom node_use = NodeUseFrom::kGroups;
  OomPreference oom_preference = OomPreference::kKernel;
  /// CPU weight of the run's control group among its siblings, on the scale of cgroup v2.
  int cpu_weight = kLargestCpuWeight;
  /// The environment variable that tells commands their devices, by resource; default: see
  /// core/scenario/device_env.h.
  Labels device_env = {};
  friend bool operator==(const EmulationSpec&, const EmulationSpec&) = default;
};

}  // namespace heddle
