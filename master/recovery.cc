#include "master/recovery.h"

#include <algorithm>
#include <limits>
#include <set>

#include "wire/values.h"

namespace heddle::master {

using wire::Json;

Result<void> Recovery::take(const Json& record) {
  if (!past_) past_ = std::make_unique<Past>(scenario_);
  Result<std::optional<wire::RecordedStep>> step = past_->steps.add(record);
  if (!step) return std::move(step).error();
  try {
    if (*step) HEDDLE_TRY(take(**step, true));
    wire::Fields fields(record, "record");
    const std::string type = fields.text("type");
    if (fields.has("wall")) wall_s_ = fields.number("wall", 0, wire::kMaxSeconds);
    if (fields.has("t")) past_->last = std::max(past_->last, time_field(fields, "t"));
    if (type == "fault") take_fault();
    if (type == "end") past_->status = fields.text("status");
    if (type == "resumed") past_->status.clear();
  } catch (const wire::BadField& bad) {
    return aborted_error(bad.text);
  }
  return {};
}

Result<void> Recovery::take(const wire::RecordedStep& recorded, bool whole) {
  started_ = true;
  clock_.recover(recorded.now);
  for (std::size_t i = 0; i < recorded.events.size(); ++i)
    take(recorded.events[i], recorded.event_lines[i]);
  Step step = engine_.step(recorded.now, recorded.events);
  std::vector<Json> outcome = wire::outcome_lines(step, recorded.now);
  if (!wire::agree(recorded.outcome, outcome, whole))
    return aborted_error("the engine's decision in step " + std::to_string(recorded.number) +
                         " differs from the journal, so the run can't be resumed; heddle replay "
                         "shows the difference");
  HEDDLE_TRY(exchange_.repeat_request(engine_.state(), recorded.now));
  missing_.assign(outcome.begin() + std::ssize(recorded.outcome), outcome.end());
  std::set<NodeId> urgent;  // unused: all commands go with the replies to the first heartbeats
  commands_.queue(recorded.events, step, {}, urgent);
  times_.decided(step.actions, {}, recorded.now);
  for (const JobFinished& job : step.finished) display_.finished(job, recorded.now);
  return {};
}

void Recovery::take(const Event& event, const Json& line) {
  if (const auto* replied = std::get_if<PolicyReplied>(&event.what)) exchange_.recover(*replied);
  const wire::Fields fields(line, "record");
  calendar_.recover(event);
  nodes_.recover(event);
  if (const auto* registered = std::get_if<NodeRegistered>(&event.what))
    links_.recover_registration(
        registered->node, fields.has("incarnation") ? fields.unsigned_integer("incarnation") : 0);
  display_.recover(event, engine_.state());
  if (const auto* ended = std::get_if<ContainerEnded>(&event.what)) times_.ended(ended->container);
  if (fields.has("report")) take_report(event, fields, line["report"]);
}

void Recovery::take_report(const Event& event, const wire::Fields& fields, const Json& mark) {
  if (!mark.is_array() || mark.size() != 2 || !mark[0].is_number_unsigned() ||
      !mark[1].is_number_unsigned() || mark[0] >= scenario_.cluster.nodes.size())
    fields.bad("report", "a node and a number");
  const auto container =
      fields.has("container") ? id_field<ContainerId>(fields, "container") : ContainerId{};
  links_.recover_report(NodeId{mark[0]}, mark[1], container,
                        std::holds_alternative<ContainerEnded>(event.what));
}

void Recovery::take_fault() {
  const FaultMoment* moment =
      calendar_.faults().take(EmuTime(std::numeric_limits<std::int64_t>::max()));
  std::set<NodeId> urgent;
  if (moment && moment->node) commands_.tell(*moment, urgent);
}

std::optional<RunStatus> Recovery::ended_as() const {
  for (RunStatus status : {RunStatus::kDone, RunStatus::kFailed})
    if (past_ && past_->status == name_of(status)) return status;
  return std::nullopt;
}

Result<void> Recovery::take_rest() {
  Result<std::optional<wire::RecordedStep>> rest = past_->steps.rest();
  if (!rest) return std::move(rest).error();
  try {
    if (*rest) HEDDLE_TRY(take(**rest, false));
  } catch (const wire::BadField& bad) {
    return aborted_error(bad.text);
  }
  return {};
}

Result<void> Recovery::end(std::optional<EmuTime> last_sample) {
  HEDDLE_TRY(take_rest());
  if (ended_as())
    return usage_error("the run has ended (" + past_->status + ") and cannot be resumed");
  next_step_ = past_->steps.next_number();
  unseen_ = past_->steps.take_unseen();
  nodes_.recover_unseen(unseen_);
  times_.forget_decisions();
  // The samples show how long the previous master lived after its last line in the journal.
  const EmuTime known = std::max(past_->last, past_->steps.now());
  const EmuTime last = std::max(known, last_sample.value_or(known));
  clock_.recover(last);
  wall_s_ += seconds(clock_.scale().to_real(last - known));
  past_.reset();
  return {};
}

}  // namespace heddle::master
