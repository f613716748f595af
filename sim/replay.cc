#include "sim/replay.h"

#include <algorithm>

#include "common/wire/journal_lines.h"
#include "common/wire/values.h"
#include "core/scenario/draw.h"

namespace heddle {
namespace {

using wire::BadField;
using wire::Fields;
using wire::Json;

/// As it is compared and shown: without what says nothing about the decision.
Json bare(const Json& record) {
  Json line = record;
  for (const char* key : {"step", "now", "wall", "launch_ms", "stop_ms"}) line.erase(key);
  return line;
}

/// The order of fields doesn't matter.
bool same(const Json& a, const Json& b) { return nlohmann::json(a) == nlohmann::json(b); }

/// True if the lines are those of `outcome`, or the first of them where the end may be missing.
bool agree(const std::vector<Json>& journal, const std::vector<Json>& outcome, bool whole) {
  if (whole ? journal.size() != outcome.size() : journal.size() > outcome.size()) return false;
  return std::equal(journal.begin(), journal.end(), outcome.begin(), same);
}

bool is_outcome(const Json& record, const std::string& type) {
  if (type == "job_finished" || type == "policy_state") return true;
  return type == "action_refused" && Fields(record, "record").text("by") == "engine";
}

/// A line of the report; heartbeats of large nodes are cut.
std::string shown(const Json& line) {
  constexpr std::size_t kWidth = 400;
  std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kWidth) text = text.substr(0, kWidth) + "…";
  return text + "\n";
}

}  // namespace

Replay::Replay(const Scenario& scenario) : Replay(scenario, make_policy(scenario)) {}

Replay::Replay(const Scenario& scenario, std::unique_ptr<Policy> policy)
    : scenario_(scenario), engine_(scenario, std::move(policy), [&scenario](TaskId task) {
        return draw_work(scenario, task);
      }) {}

Result<void> Replay::add(const Json& record) {
  if (difference_) return {};
  try {
    Fields fields(record, "record");
    std::string type = fields.text("type");
    if (type == "run") return check_run(record);
    if (!run_seen_) throw BadField{"the journal does not begin with its run"};
    if (type == "leaving" || type == "end") {
      if (step_) replay(true);
      leaving_ = true;
    }
    if (leaving_ || !fields.has("step")) return {};
    std::int64_t number = fields.integer("step", 0, wire::kMaxInteger);
    if (step_ && step_->number != number) replay(true);
    if (difference_) return {};
    if (!step_) begin(number, record);
    take(record);
  } catch (const BadField& bad) {
    return aborted_error(bad.text);
  }
  return {};
}

Result<void> Replay::finish() {
  if (!run_seen_) return aborted_error("the journal does not begin with its run");
  if (step_ && !difference_) replay(false);
  return {};
}

Result<void> Replay::check_run(const Json& record) {
  if (run_seen_) throw BadField{"a second run begins"};
  run_seen_ = true;
  Fields fields(record, "record");
  if (!fields.has("journal"))
    return usage_error(
        "the journal is of an older version of Heddle, and lacks what a replay needs");
  if (fields.text("journal") != "decisions" || scenario_.cluster.dispatch == Dispatch::kImmediate)
    return {};
  return usage_error(
      "the journal has decisions only (--journal decisions), and here they were made on "
      "heartbeats: there is nothing to replay them from");
}

void Replay::begin(std::int64_t number, const Json& record) {
  Fields fields(record, "record");
  if (number != steps_)
    throw BadField{"step " + std::to_string(number) + " where step " + std::to_string(steps_) +
                   " should come"};
  EmuTime now = time_field(fields, fields.has("now") ? "now" : "t");
  if (now < now_) throw BadField{"step " + std::to_string(number) + " lies before the last one"};
  now_ = now;
  step_ = Pending{number, now, {}, {}, {}};
}

void Replay::take(const Json& record) {
  auto parsed = wire::from_json(record);
  if (!parsed) throw BadField{parsed.error().text};
  if (std::holds_alternative<Action>(*parsed) || is_outcome(record, record["type"])) {
    step_->outcome.push_back(bare(record));
  } else if (const auto* event = std::get_if<Event>(&*parsed)) {
    if (!step_->outcome.empty()) throw BadField{"an event after the outcome of its step"};
    check_ids(*event);
    step_->events.push_back(*event);
    step_->event_lines.push_back(bare(record));
  }
}

void Replay::check_ids(const Event& event) {
  auto check = [&](const char* what, auto id) {
    if (!engine_.state().valid(id))
      throw BadField{std::string(what) + " " + std::to_string(id.value) +
                     " is not in the scenario"};
  };
  if (event.at > step_->now) throw BadField{"an event that lies after its step"};
  if (const auto* e = std::get_if<JobSubmitted>(&event.what)) {
    check("job", e->job);
    if (!submitted_.insert(e->job).second)
      throw BadField{"job " + std::to_string(e->job.value) + " is submitted a second time"};
  }
  if (const auto* e = std::get_if<NodeRegistered>(&event.what)) check("node", e->node);
  if (const auto* e = std::get_if<NodeLost>(&event.what)) check("node", e->node);
  if (const auto* e = std::get_if<NodeHeartbeat>(&event.what)) check("node", e->node);
}

void Replay::replay(bool whole) {
  Pending step = std::move(*step_);
  step_.reset();
  std::vector<Json> outcome = wire::outcome_lines(engine_.step(step.now, step.events), step.now);
  if (agree(step.outcome, outcome, whole)) {
    ++steps_;
    events_ += std::ssize(step.events);
    for (const Json& line : outcome)
      if (!is_outcome(line, line["type"])) ++actions_;
    return;
  }
  difference_ = {step.number, step.now, std::move(step.event_lines), std::move(step.outcome),
                 std::move(outcome)};
}

std::string format_difference(const ReplayDifference& d) {
  std::string text = "step " + std::to_string(d.step) + " at " + Json(to_seconds(d.now)).dump() +
                     " s comes out otherwise\nits events\n";
  for (const Json& line : d.events) text += "  " + shown(line);
  text += "what came out\n";
  for (std::size_t i = 0; i < std::max(d.journal.size(), d.engine.size()); ++i) {
    bool recorded = i < d.journal.size(), replayed = i < d.engine.size();
    if (recorded && replayed && same(d.journal[i], d.engine[i])) {
      text += "  both     " + shown(d.journal[i]);
      continue;
    }
    text += "  journal  " + (recorded ? shown(d.journal[i]) : "-\n");
    text += "  replay   " + (replayed ? shown(d.engine[i]) : "-\n");
  }
  return text;
}

}  // namespace heddle
