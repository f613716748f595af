#include <algorithm>
#include <limits>

#include "common/wire/values.h"
#include "master/live_run.h"

namespace heddle {

using wire::Json;

Result<void> LiveRun::relive(const Json& record) {
  if (!past_) past_ = std::make_unique<Past>(scenario_);
  Result<std::optional<wire::RecordedStep>> step = past_->steps.add(record);
  if (!step) return std::move(step).error();
  try {
    if (*step) HEDDLE_TRY(relive(**step, true));
    wire::Fields fields(record, "record");
    const std::string type = fields.text("type");
    if (fields.has("wall")) past_->wall_s = fields.number("wall", 0, wire::kMaxSeconds);
    if (fields.has("t")) past_->last = std::max(past_->last, time_field(fields, "t"));
    if (type == "fault") relive_fault();
    if (type == "end") past_->status = fields.text("status");
    if (type == "resumed") past_->status.clear();
  } catch (const wire::BadField& bad) {
    return aborted_error(bad.text);
  }
  return {};
}

Result<void> LiveRun::relive(const wire::RecordedStep& recorded, bool whole) {
  life_ = Life::kRunning;
  now_ = recorded.now;
  for (std::size_t i = 0; i < recorded.events.size(); ++i)
    relive(recorded.events[i], recorded.event_lines[i]);
  Step step = engine_.step(recorded.now, recorded.events);
  std::vector<Json> outcome = wire::outcome_lines(step, recorded.now);
  if (!wire::agree(recorded.outcome, outcome, whole))
    return aborted_error("the engine decides otherwise than it did in step " +
                         std::to_string(recorded.number) +
                         " (heddle replay shows it): such a run can't be taken up");
  past_->missing.assign(outcome.begin() + std::ssize(recorded.outcome), outcome.end());
  std::set<NodeId> urgent;  // all goes with the replies to the first heartbeats
  queue(recorded.events, step, {}, urgent);
  return {};
}

void LiveRun::relive(const Event& event, const Json& line) {
  const wire::Fields fields(line, "record");
  if (std::holds_alternative<JobSubmitted>(event.what)) ++next_arrival_;
  if (std::holds_alternative<ExternalLoad>(event.what)) ++next_load_;
  if (std::holds_alternative<Wake>(event.what))
    wakes_.erase(wakes_.begin(), wakes_.upper_bound(event.at));
  if (const auto* registered = std::get_if<NodeRegistered>(&event.what)) {
    faults_.back(registered->node);
    links_.relive_registered(
        registered->node, fields.has("incarnation") ? fields.unsigned_integer("incarnation") : 0);
  }
  if (const auto* lost = std::get_if<NodeLost>(&event.what)) {
    drains_.forget(lost->node);
    // Of one that was gone already, it says that nobody waits for it any more.
    if (engine_.state().node(lost->node).registered())
      (void)faults_.lost(lost->node, event.at);
    else
      faults_.back(lost->node);
    links_.mark_lost(lost->node);
  }
  if (const auto* drained = std::get_if<NodeDrained>(&event.what))
    drains_.recover(drained->node, drained->reason);
  if (const auto* restored = std::get_if<NodeRestored>(&event.what)) drains_.forget(restored->node);
  started_any_ = started_any_ || std::holds_alternative<ContainerStarted>(event.what);
  if (const auto* started = std::get_if<ContainerStarted>(&event.what))
    if (const Container* container = engine_.state().container(started->container))
      display_.started(*container, event.at);
  const auto* ended = std::get_if<ContainerEnded>(&event.what);
  if (ended) newest_.erase(ended->container);
  if (!fields.has("report")) return;
  const Json& mark = line["report"];
  if (!mark.is_array() || mark.size() != 2 || !mark[0].is_number_unsigned() ||
      !mark[1].is_number_unsigned() || mark[0] >= scenario_.cluster.nodes.size())
    fields.bad("report", "a node and a number");
  wire::Report report;
  report.number = mark[1];
  report.kind = ended ? wire::ReportKind::kEnded : wire::ReportKind::kStarted;
  if (fields.has("container")) report.container = id_field<ContainerId>(fields, "container");
  links_.relive_report(NodeId{mark[0]}, report);
}

void LiveRun::relive_fault() {
  const FaultMoment* moment = faults_.take(EmuTime(std::numeric_limits<std::int64_t>::max()));
  std::set<NodeId> urgent;
  if (moment && moment->node) tell(*moment, urgent);
}

std::optional<RunStatus> LiveRun::ended_as() const {
  for (RunStatus status : {RunStatus::kDone, RunStatus::kFailed})
    if (past_ && past_->status == name_of(status)) return status;
  return std::nullopt;
}

Result<Effects> LiveRun::resume(std::optional<EmuTime> last_sample, real::Time now) {
  if (!past_ || !past_->steps.begun()) return open();  // it died before its first line
  Result<std::optional<wire::RecordedStep>> rest = past_->steps.rest();
  if (!rest) return std::move(rest).error();
  try {
    if (*rest) HEDDLE_TRY(relive(**rest, false));
  } catch (const wire::BadField& bad) {
    return aborted_error(bad.text);
  }
  if (ended_as())
    return usage_error("the run has ended (" + past_->status + "): there is nothing to go on with");
  Effects effects;
  effects.journal = lines_.go_on(past_->steps.next_number(), std::move(past_->missing), times(now));
  unseen_ = past_->steps.take_unseen();
  decided_.clear();
  suspended_.clear();
  // What it lived on for after its last line shows in the samples.
  const EmuTime known = std::max(past_->last, past_->steps.now());
  now_ = std::max(known, last_sample.value_or(known));
  past_->wall_s += seconds(scale_.to_real(now_ - known));
  started_ = now;
  if (life_ == Life::kRegistering) {
    effects.journal += lines_.resumed(now_, downtime_s(now), times(now));
    return effects;
  }
  life_ = Life::kReturning;
  links_.await_return(now);
  return_by_ = now + std::max(options_.return_limit, liveness(scenario_));
  if (engine_.done()) go_on(now, effects);
  settle(now, effects);
  return effects;
}

double LiveRun::downtime_s(real::Time now) const {
  return std::max(0.0, times(now).wall_s - past_->wall_s);
}

bool LiveRun::all_back(real::Time now) const {
  using State = NodeLinks::State;
  if (now >= return_by_) return true;
  if (options_.await_all) return links_.count(State::kAlive) == std::ssize(scenario_.cluster.nodes);
  return links_.count(State::kReturning) == 0 && links_.count(State::kAlive) > 0;
}

Effects LiveRun::on_return(const std::string& identity, const wire::Message& message,
                           real::Time now) {
  Effects effects;
  NodeLinks::Heard heard;
  if (const auto* hello = std::get_if<wire::Hello>(&message)) {
    heard = links_.hello(identity, *hello, now);
    note_refusal(*hello, heard, now);
  } else if (const auto* beat = std::get_if<wire::Heartbeat>(&message)) {
    heard = links_.hold(identity, *beat, now);
    if (heard.heartbeat)
      effects.send.emplace_back(identity, links_.reply(*heard.heartbeat, beat->sequence));
  } else if (const auto* goodbye = std::get_if<wire::Goodbye>(&message)) {
    heard = links_.goodbye(identity, *goodbye);
  }
  if (heard.lost && !heard.registered) links_.mark_lost(*heard.lost);
  for (const wire::Message& reply : heard.replies) effects.send.emplace_back(identity, reply);
  for (const auto& node : {heard.registered, heard.again})
    if (node) effects.send.emplace_back(identity, welcome(*node));
  if (all_back(now)) go_on(now, effects);
  settle(now, effects);
  return effects;
}

void LiveRun::go_on(real::Time now, Effects& effects) {
  epoch_ = now - scale_.to_real(now_);
  resumed_at_ = now_;
  life_ = Life::kRunning;
  effects.journal += lines_.resumed(now_, downtime_s(now), times(now));
  note_workers(now, effects);
  display_.say(now_, "the run goes on from its journal");
  std::vector<Event> events;
  for (std::int64_t i = 0; i < std::ssize(scenario_.cluster.nodes); ++i) {
    const NodeLinks::Link& link = links_.link(NodeId{i});
    const bool there = link.state == NodeLinks::State::kAlive;
    // Where all is done, whoever comes back is told so.
    if ((there && link.returned) || engine_.done()) continue;
    lose(NodeId{i}, "its worker did not come back", now, events);
    if (there) {
      faults_.back(NodeId{i});
      events.push_back({now_, NodeRegistered{NodeId{i}}});
    } else if (link.state == NodeLinks::State::kReturning) {
      links_.mark_lost(NodeId{i});
    }
  }
  past_.reset();
  tell_peers(effects);
  step(std::move(events), now, effects);
  for (std::int64_t i = 0; i < std::ssize(scenario_.cluster.nodes); ++i)
    if (links_.link(NodeId{i}).state == NodeLinks::State::kAlive)
      effects.send.emplace_back(links_.link(NodeId{i}).identity, next_beat(NodeId{i}, now));
}

}  // namespace heddle
