#include "core/policy/scheduler/job_order.h"

#include <cmath>
#include <limits>

namespace heddle {

double processors_of(const JobSpec& job) {
  const PhaseSpec& phase = job.phases[job.has_am() && job.phases.size() > 1 ? 1 : 0];
  return phase.tasks * static_cast<double>(phase.request.cores.count()) / 1000;
}

double place_in(JobOrder order, const Orderable& job) {
  constexpr double kLast = std::numeric_limits<double>::infinity();
  if (order == JobOrder::kFcfs) return 0;
  if (order == JobOrder::kPriority) return -static_cast<double>(job.priority);
  if (!job.requested) return order == JobOrder::kLjf ? -kLast : kLast;
  const double requested = to_seconds(*job.requested);
  const double wait = to_seconds(job.now - job.eligible);
  switch (order) {
    case JobOrder::kSjf:
      return requested;
    case JobOrder::kLjf:
      return -requested;
    case JobOrder::kSaf:
      return requested * job.processors;
    case JobOrder::kWfp3:
      return -std::pow(wait / requested, 3) * job.processors;
    case JobOrder::kUnicef:
      return -wait / (std::log2(std::max(job.processors, 2.0)) * requested);
    case JobOrder::kF1:
      return std::log10(requested) * job.processors +
             870 * std::log10(std::max(to_seconds(job.submit), 1.0));
    default:
      return 0;
  }
}

}  // namespace heddle
