#pragma once

#include <cstdint>
#include <initializer_list>

#include "common/units.h"

namespace heddle {

// The priority of a job, as Slurm's plugin priority/multifactor computes it. Source: Slurm 22.05,
// src/plugins/priority/multifactor/priority_multifactor.c. Factors are 0..1.

/// Returns the whole seconds until then. Slurm counts only these.
constexpr std::int64_t whole_seconds(EmuTime time) { return time.count() / 1'000'000; }

/// Returns the factor of age: the time from when the job became eligible to the last recalculation,
/// divided by `max_age`, at most 1. 0 if there was no recalculation since.
double age_factor(EmuTime eligible, EmuTime recalculated, EmuTime max_age);

/// Which jobs the factor of size favors.
enum class FavorSize { kLarge, kSmall };
/// An amount of CPUs and of nodes.
struct JobSize {
  double cpus = 0, nodes = 0;
};
/// Returns the factor of size: the mean of the parts of the cluster's CPUs and nodes that the job
/// asks for or, if small jobs are favored, of those that it leaves.
double size_factor(const JobSize& asked, const JobSize& cluster, FavorSize favor);

/// Returns the priority: the sum of the terms (weight × factor, or a number of the job), cut to a
/// whole number, at least 1.
std::int64_t priority_of(std::initializer_list<double> terms);

/// The priority of a waiting job, and the terms of its sum.
struct JobPriority {
  std::int64_t priority = 1;
  double age = 0, fairshare = 0, size = 0, partition = 0, qos = 0;
  int own = 0;  ///< the job's own priority (JobSpec::priority)
  friend bool operator==(const JobPriority&, const JobPriority&) = default;
};

}  // namespace heddle
