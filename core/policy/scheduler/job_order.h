#pragma once

#include "core/policy/base/option.h"
#include "core/scenario/job_spec.h"

namespace heddle {

/// An order of waiting jobs. kAsOrder is only a value of backfill_order: the value of `order`.
enum class JobOrder { kFcfs, kSjf, kLjf, kSaf, kWfp3, kUnicef, kF1, kPriority, kAsOrder };

inline constexpr WordOption<JobOrder> kJobOrder(
    {.name = "order",
     .words = {"fcfs", "sjf", "ljf", "saf", "wfp3", "unicef", "f1", "priority"},
     .by_default = "fcfs",
     .help = "order of waiting jobs: by submission, shortest, longest or smallest area first, by a "
             "formula, or by age, fair share and size"});

/// The facts about a waiting job by which orders decide.
struct Orderable {
  EmuTime submit;
  EmuTime eligible;  ///< from this time on, it waits (Job::eligible)
  EmuTime now;
  std::optional<EmuTime> requested;  ///< the time that it is expected to take; nullopt: no end
  double processors = 1;
  std::int64_t priority = 0;  ///< for kPriority (core/policy/scheduler/priorities.h)
};

/// Returns the number of cores that all tasks of the job's first phase request together, without
/// the application master.
double processors_of(const JobSpec& job);

/// Returns the place of the job in the order: the smallest goes first, and ties go by submission.
///
/// - fcfs: by submission
/// - sjf, ljf: shortest and longest requested time first
/// - saf: the smallest area first, requested time × processors
/// - wfp3: the largest (wait / requested)³ × processors first (Tang et al., "Fault-aware,
///   utility-based job scheduling on Blue Gene/P systems", CLUSTER 2009)
/// - unicef: the largest wait / (log2(max(processors, 2)) × requested) first (the same authors)
/// - f1: the smallest log10(requested) × processors + 870 × log10(max(submit, 1)) first, in seconds
///   (Carastan-Santos and de Camargo, "Obtaining Dynamic Scheduling Policies with Simulation and
///   Machine Learning", SC'17)
/// - priority: the highest priority first
///
/// Jobs without a requested time come last in sjf, saf, wfp3, unicef and f1, and first in ljf.
double place_in(JobOrder order, const Orderable& job);

/// Returns true if places in the order change as time passes.
inline bool depends_on_waiting(JobOrder order) {
  return order == JobOrder::kWfp3 || order == JobOrder::kUnicef;
}

}  // namespace heddle
