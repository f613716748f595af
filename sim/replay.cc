#include "sim/replay.h"

#include <algorithm>

#include "core/scenario/draw.h"
#include "external/make_policy.h"
#include "wire/journal_lines.h"
#include "wire/values.h"

namespace heddle::sim {
namespace {

using wire::Json;

/// Returns a line of the report. Heartbeats of large nodes are cut.
std::string shown(const Json& line) {
  constexpr std::size_t kWidth = 400;
  std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kWidth) text = text.substr(0, kWidth) + "…";
  return text + "\n";
}

}  // namespace

Replay::Replay(const Scenario& scenario)
    : Replay(scenario, external::make_policy(scenario).policy) {}

Replay::Replay(const Scenario& scenario, std::unique_ptr<Policy> policy)
    : journal_(scenario), engine_(scenario, std::move(policy), [&scenario](TaskId task) {
        return draw_work(scenario, task);
      }) {}

Result<void> Replay::add(const Json& record) {
  return difference_ ? Result<void>() : replay(journal_.add(record), true);
}

Result<void> Replay::finish() {
  return difference_ ? Result<void>() : replay(journal_.rest(), false);
}

Result<void> Replay::replay(Result<std::optional<wire::RecordedStep>> recorded, bool whole) {
  if (!recorded) return std::move(recorded).error();
  if (!*recorded) return {};
  wire::RecordedStep& step = **recorded;
  std::vector<Json> outcome = wire::outcome_lines(engine_.step(step.now, step.events), step.now);
  if (wire::agree(step.outcome, outcome, whole)) {
    ++steps_;
    events_ += std::ssize(step.events);
    for (const Json& line : outcome)
      if (!wire::is_result(line)) ++actions_;
    return {};
  }
  difference_ = {step.number, step.now, std::move(step.event_lines), std::move(step.outcome),
                 std::move(outcome)};
  return {};
}

std::string format_difference(const ReplayDifference& d) {
  std::string text = "step " + std::to_string(d.step) + " at " + Json(to_seconds(d.now)).dump() +
                     " s: the replay differs from the journal\nevents\n";
  for (const Json& line : d.events) text += "  " + shown(line);
  text += "outcome\n";
  for (std::size_t i = 0; i < std::max(d.journal.size(), d.engine.size()); ++i) {
    bool recorded = i < d.journal.size(), replayed = i < d.engine.size();
    if (recorded && replayed && wire::same(d.journal[i], d.engine[i])) {
      text += "  both     " + shown(d.journal[i]);
      continue;
    }
    text += "  journal  " + (recorded ? shown(d.journal[i]) : "-\n");
    text += "  replay   " + (replayed ? shown(d.engine[i]) : "-\n");
  }
  return text;
}

}  // namespace heddle::sim
