#include "report/comparison/job_changes.h"

#include <fmt/core.h>

#include "wire/values.h"

namespace heddle::report {

using wire::Json;

Json job_changes(const std::map<std::string, JobFigures>& jobs,
                 const std::map<std::string, JobFigures>& baseline) {
  std::int64_t both = 0, gain = 0, lose = 0;
  Json worst;
  double most = 0;
  for (const auto& [name, job] : jobs) {
    const auto before = baseline.find(name);
    if (before == baseline.end()) continue;
    const double was = before->second.completion, by = job.completion - was;
    ++both;
    gain += by < -kJobChange * was ? 1 : 0;
    if (by <= kJobChange * was) continue;
    ++lose;
    if (by <= most) continue;
    most = by;
    worst = {{"job", name}, {"by_s", wire::rounded(by)}};
  }
  return {{"jobs", both}, {"gain", gain}, {"lose", lose}, {"worst", std::move(worst)}};
}

std::string job_changes_text(const std::string& policy, const std::string& baseline,
                             const Json& changes) {
  const auto jobs = changes.at("jobs").get<std::int64_t>();
  if (jobs < 2) return "";
  const double percent = kJobChange * 100;
  std::string text =
      fmt::format("{} against {}: {} of {} jobs gain more than {:.0f} % in completion", policy,
                  baseline, changes.at("gain").get<std::int64_t>(), jobs, percent);
  const Json& worst = changes.at("worst");
  if (worst.is_null()) return text + fmt::format(", none loses more than {:.0f} %.", percent);
  return text + fmt::format(", {} lose more than {:.0f} %; worst: {}, {:+.1f} s.",
                            changes.at("lose").get<std::int64_t>(), percent,
                            worst.at("job").get<std::string>(), worst.at("by_s").get<double>());
}

}  // namespace heddle::report
