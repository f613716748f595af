#pragma once

#include <optional>

#include "common/units.h"

namespace heddle {

enum class CpuLimit { kStrict, kShares };
enum class Pacing { kLine, kNone };
enum class SuspendWith { kSignal, kFreezer };
/// Source of a node's reported use as a whole: the charges of its control groups, or the figures of
/// its host.
enum class NodeUseFrom { kGroups, kHost };
/// Container that a node over its memory loses first: the kernel's choice, the one that started
/// last, or the one with the largest measured use.
enum class OomPreference { kKernel, kYoungest, kLargest };

/// Settings of the emulation. `auto` factors are nullopt until resolved against a machine
/// (resolve_auto).
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
