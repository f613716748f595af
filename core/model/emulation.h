#pragma once

#include <optional>

#include "common/units.h"

namespace heddle {

enum class CpuLimit { kStrict, kShares };
enum class Pacing { kLine, kNone };
enum class SuspendWith { kSignal, kFreezer };
/// What a node tells of its use as a whole: what its control groups were charged, or what its host
/// says of itself.
enum class NodeUseFrom { kGroups, kHost };
/// Whom a node over its memory loses first: as the kernel sees fit, who started last, or who was
/// measured to use most.
enum class OomPreference { kKernel, kYoungest, kLargest };

/// `auto` factors are nullopt until resolved against a machine (resolve_auto).
struct EmulationSpec {
  std::optional<double> time_scale = 1.0;
  std::optional<double> core_fraction;
  std::optional<double> memory_scale;
  std::optional<double> data_scale;  ///< nullopt: memory_scale's value
  CpuLimit cpu_limit = CpuLimit::kStrict;
  Pacing pacing = Pacing::kLine;
  bool swap = false;
  real::Bytes overhead{1 << 20};     ///< per container, on top of the scaled request
  double control_reserve_cpu = 0.2;  ///< share of the usable CPU kept for the control plane
  real::Bytes control_reserve_memory{512LL << 20};
  SuspendWith suspend_with = SuspendWith::kSignal;
  NodeUseFrom node_use = NodeUseFrom::kGroups;
  OomPreference oom_preference = OomPreference::kKernel;
  friend bool operator==(const EmulationSpec&, const EmulationSpec&) = default;
};

}  // namespace heddle
