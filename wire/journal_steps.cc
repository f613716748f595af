#include "wire/journal_steps.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "wire/journal_format.h"
#include "wire/record.h"
#include "wire/values.h"

namespace heddle::wire {
namespace {

template <class T>
void append(std::vector<T>& to, std::vector<T> from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

Json bare(const Json& record) {
  Json line = record;
  for (const char* key : {"step", "now", "wall", "launch_ms", "stop_ms"}) line.erase(key);
  return line;
}

bool is_result(const Json& record) {
  Fields fields(record, "record");
  std::string type = fields.text("type");
  if (type == "released" || type == "job_finished" || type == "policy_state") return true;
  return type == "action_refused" && fields.text("by") == "engine";
}

bool same(const Json& a, const Json& b) { return nlohmann::json(a) == nlohmann::json(b); }

bool agree(const std::vector<Json>& journal, const std::vector<Json>& outcome, bool whole) {
  if (whole ? journal.size() != outcome.size() : journal.size() > outcome.size()) return false;
  return std::equal(journal.begin(), journal.end(), outcome.begin(), same);
}

Result<std::optional<RecordedStep>> JournalSteps::add(const Json& record) {
  std::optional<RecordedStep> whole;
  try {
    Fields fields(record, "record");
    std::string type = fields.text("type");
    if (type == "run") {
      HEDDLE_TRY(check_run(record));
      return whole;
    }
    if (!run_seen_) throw BadField{"the journal does not begin with a run record"};
    const bool marks = type == "leaving" || type == "end" || type == "resumed";
    std::optional<std::int64_t> number;
    if (!marks && fields.has("step")) number = fields.integer("step", 0, kMaxInteger);
    // `heddle run` adds a host record at the end of the journal, even if other records are missing
    // there.
    if (type == "host") return whole;
    if (step_ && step_->number != number) whole = close();
    if (marks) leaving_ = type != "resumed";
    if (!number) return whole;
    if (!step_) begin(*number, record);
    take(record);
  } catch (const BadField& bad) {
    return aborted_error(bad.text);
  }
  return whole;
}

Result<std::optional<RecordedStep>> JournalSteps::rest() {
  if (!run_seen_) return aborted_error("the journal does not begin with a run record");
  return close();
}

std::optional<RecordedStep> JournalSteps::close() {
  std::optional<RecordedStep> step = std::exchange(step_, std::nullopt);
  if (!leaving_ || !step) return step;
  append(unseen_.events, std::move(step->events));
  append(unseen_.event_lines, std::move(step->event_lines));
  return std::nullopt;
}

std::vector<Event> JournalSteps::take_unseen() { return std::exchange(unseen_, {}).events; }

Result<void> JournalSteps::check_run(const Json& record) {
  if (run_seen_) throw BadField{"a second run record"};
  run_seen_ = true;
  HEDDLE_TRY(check_journal_format(record));
  Fields fields(record, "record");
  if (!fields.has("journal"))
    return usage_error(
        "the journal is of an older version of Heddle and lacks data that a replay needs");
  if (fields.text("journal") != "decisions" || scenario_.cluster.dispatch == Dispatch::kImmediate)
    return {};
  return usage_error(
      "the journal has only decisions (--journal decisions), not the heartbeats on which they were "
      "made; a replay needs both");
}

void JournalSteps::begin(std::int64_t number, const Json& record) {
  Fields fields(record, "record");
  if (number != next_)
    throw BadField{"expected step " + std::to_string(next_) + ", got step " +
                   std::to_string(number)};
  EmuTime now = time_field(fields, fields.has("now") ? "now" : "t");
  if (now < now_)
    throw BadField{"step " + std::to_string(number) + " is earlier than the step before it"};
  now_ = now;
  ++next_;
  step_ = RecordedStep{number, now, {}, {}, {}};
  if (!leaving_) {
    step_->events = std::exchange(unseen_.events, {});
    step_->event_lines = std::exchange(unseen_.event_lines, {});
  }
}

void JournalSteps::take(const Json& record) {
  auto parsed = from_json(record);
  if (!parsed) throw BadField{parsed.error().text};
  if (std::holds_alternative<Action>(*parsed) || is_result(record)) {
    step_->outcome.push_back(bare(record));
  } else if (auto* event = std::get_if<Event>(&*parsed)) {
    if (!step_->outcome.empty()) throw BadField{"an event after the outcome of its step"};
    check_ids(*event);
    step_->events.push_back(std::move(*event));
    step_->event_lines.push_back(bare(record));
  }
}

void JournalSteps::check_ids(const Event& event) {
  auto check = [&](const char* what, std::int64_t id, std::size_t count) {
    if (id < 0 || id >= static_cast<std::int64_t>(count))
      throw BadField{std::string(what) + " " + std::to_string(id) + " is not in the scenario"};
  };
  if (event.at > step_->now) throw BadField{"an event is later than its step"};
  if (const auto* e = std::get_if<JobSubmitted>(&event.what)) {
    check("job", e->job.value, scenario_.jobs.size());
    if (!submitted_.insert(e->job).second)
      throw BadField{"job " + std::to_string(e->job.value) + " is submitted a second time"};
  }
  std::visit(
      [&](const auto& e) {
        if constexpr (requires { e.node; })
          check("node", e.node.value, scenario_.cluster.nodes.size());
      },
      event.what);
}

}  // namespace heddle::wire
