#include "report/why/text.h"

#include <fmt/core.h>

#include "common/text.h"
#include "core/policy/own_options.h"
#include "report/table.h"

namespace heddle::report {
namespace {

/// Intervals shorter than one kFlickerPart-th of the whole time are merged into their neighbor.
constexpr int kFlickerPart = 50;

std::string phase_cell(const WhyAnswer& answer, const Obstacle& obstacle) {
  if (obstacle.phase.phase < 0) return "";
  return answer.scenario.jobs[answer.id.value].phases[obstacle.phase.phase].name;
}

/// Returns the other causes of an interval: " [including 0.6 s next report]".
std::string other_causes(const ShownWait& wait) {
  std::vector<std::string> others;
  for (std::size_t i = 1; i < wait.causes.size(); ++i)
    others.push_back(time_in_words(wait.causes[i].second) + " s " + wait.causes[i].first);
  return others.empty() ? "" : " [including " + join(others) + "]";
}

std::string table(const WhyAnswer& answer, const std::vector<WaitInterval>& intervals, int width) {
  if (intervals.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const WaitStretch& stretch : stretches_of(answer, intervals))
    rows.push_back({time_in_words(stretch.from), time_in_words(stretch.until),
                    time_in_words(stretch.until - stretch.from), stretch.phase, stretch.words});
  return format_table({{"from s", true},
                       {"until s", true},
                       {"for s", true},
                       {"phase"},
                       {"waited for", false, Narrow::kWrap}},
                      rows, width);
}

std::string sums(const WhyAnswer& answer, const std::vector<WaitInterval>& intervals) {
  std::vector<std::vector<std::string>> rows;
  EmuTime whole;
  const CauseTimes causes = times_by_cause(answer.scenario, intervals);
  for (const auto& [cause, time] : causes) whole += time;
  for (const auto& [cause, time] : causes)
    rows.push_back({cause, time_in_words(time),
                    fmt::format("{:.1f} %", 100 * share_of(time.count(), whole.count()))});
  if (rows.empty()) return "";
  return format_table({{"cause"}, {"s", true}, {"", true}}, rows);
}

std::string heading(const WhyAnswer& answer) {
  const wire::Json& job = answer.job;
  std::string text =
      fmt::format("{}  queue {}, {}, {}\n", job.at("name").get<std::string>(),
                  job.at("queue").get<std::string>(), policy_label(answer.scenario.policy),
                  job.at("state").get<std::string>());
  text += fmt::format("submitted {:.2f} s, ", job.at("submit_s").get<double>());
  if (job.contains("eligible_s") && job.at("eligible_s").is_number())
    text += fmt::format("eligible {:.2f} s, ", job.at("eligible_s").get<double>());
  if (job.at("start_s").is_number())
    text += fmt::format("first task started {:.2f} s: waited {:.2f} s\n",
                        job.at("start_s").get<double>(), job.at("waiting_s").get<double>());
  else if (job.at("state") == "cancelled")
    text += fmt::format("cancelled {:.2f} s, before it could be scheduled\n",
                        job.at("finish_s").get<double>());
  else if (answer.waiting.empty())
    text += "and the journal ends before its first task\n";
  else
    text += fmt::format("no task ever started: waited {} s\n",
                        time_in_words(answer.waiting.back().until - answer.waiting.front().from));
  if (job.at("reason").is_string()) text += job.at("reason").get<std::string>() + "\n";
  for (const std::string& loss : answer.losses) text += loss + "\n";
  if (!answer.note.empty()) text += answer.note + "\n";
  return text;
}

}  // namespace

Reason reason_of(const WhyAnswer& answer, const Obstacle& obstacle) {
  const wire::Json& size = answer.job.at("class");
  return reason_of(answer.scenario, obstacle, size.is_string() ? size.get<std::string>() : "");
}

std::vector<WaitStretch> stretches_of(const WhyAnswer& answer,
                                      const std::vector<WaitInterval>& intervals) {
  if (intervals.empty()) return {};
  const EmuTime whole = intervals.back().until - intervals.front().from;
  const EmuTime flicker(whole.count() / kFlickerPart);
  std::vector<WaitStretch> stretches;
  for (const ShownWait& wait : shown_waits(answer.scenario, intervals, flicker)) {
    const Obstacle& obstacle = wait.main->obstacles.front();
    stretches.push_back({wait.from, wait.until, phase_cell(answer, obstacle),
                         reason_of(answer, obstacle).words + other_causes(wait)});
  }
  return stretches;
}

std::string why_text(const WhyAnswer& answer, int width) {
  std::string text = heading(answer);
  if (!answer.waiting.empty())
    text += "\n" + table(answer, answer.waiting, width) + "\n" + sums(answer, answer.waiting);
  if (!answer.later) return text;
  text += "\nlater times without a running task\n";
  if (answer.later->empty()) return text + "never\n";
  return text + "\n" + table(answer, *answer.later, width) + "\n" + sums(answer, *answer.later);
}

}  // namespace heddle::report
