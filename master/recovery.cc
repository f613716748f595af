#include "master/recovery.h"

#include <algorithm>
#include <limits>

#include "wire/values.h"

namespace heddle::master {

using wire::Json;

Recovery::Recovery(LiveParts& parts, LiveNodes& nodes, LiveCommands& commands,
                   Registration& registration)
    : parts_(parts),
      engine_(parts.engine),
      links_(parts.links),
      nodes_(nodes),
      commands_(commands),
      registration_(registration) {}

Result<void> Recovery::take(const Json& record) {
  if (!past_) past_ = std::make_unique<Past>(parts_.scenario);
  Result<std::optional<wire::RecordedStep>> step = past_->steps.add(record);
  if (!step) return std::move(step).error();
  try {
    if (*step) HEDDLE_TRY(take(**step, true));
    wire::Fields fields(record, "record");
    const std::string type = fields.text("type");
    if (fields.has("wall")) past_->wall_s = fields.number("wall", 0, wire::kMaxSeconds);
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
  parts_.life = Life::kRunning;
  parts_.clock.recover(recorded.now);
  for (std::size_t i = 0; i < recorded.events.size(); ++i)
    take(recorded.events[i], recorded.event_lines[i]);
  Step step = engine_.step(recorded.now, recorded.events);
  std::vector<Json> outcome = wire::outcome_lines(step, recorded.now);
  if (!wire::agree(recorded.outcome, outcome, whole))
    return aborted_error("the engine's decision in step " + std::to_string(recorded.number) +
                         " differs from the journal, so the run can't be resumed; heddle replay "
                         "shows the difference");
  HEDDLE_TRY(ask_policy());
  past_->missing.assign(outcome.begin() + std::ssize(recorded.outcome), outcome.end());
  std::set<NodeId> urgent;  // unused: all commands go with the replies to the first heartbeats
  commands_.queue(recorded.events, step, {}, urgent);
  return {};
}

void Recovery::compare_reply(const PolicyReplied& recorded) {
  if (reply_ && reply_->recorded != recorded.reply) {
    parts_.policy.external->discard(*reply_);
    if (difference_.empty())
      difference_ = "the policy's reply to request " + std::to_string(recorded.request) +
                    " is not the recorded one; the recorded one counts";
  }
  reply_.reset();
  parts_.asked.reset();
}

Result<void> Recovery::ask_policy() {
  if (!parts_.policy.external) return {};
  if (!parts_.policy.external->due(parts_.clock.now())) return {};
  parts_.asked = parts_.policy.external->take_request(parts_.engine.state(), parts_.clock.now());
  if (!parts_.options.ask) return {};
  Result<std::string> reply = parts_.options.ask(parts_.asked->text);
  if (!reply) return aborted_error(parts_.about_policy(reply.error().text));
  Result<external::Reply> read = parts_.policy.external->check(*parts_.asked, *reply);
  if (!read) return aborted_error(parts_.about_policy(read.error().text));
  reply_ = *std::move(read);
  return {};
}

void Recovery::take(const Event& event, const Json& line) {
  if (const auto* replied = std::get_if<PolicyReplied>(&event.what)) compare_reply(*replied);
  const wire::Fields fields(line, "record");
  parts_.calendar.recover(event);
  nodes_.recover(event);
  if (const auto* registered = std::get_if<NodeRegistered>(&event.what))
    links_.recover_registration(
        registered->node, fields.has("incarnation") ? fields.unsigned_integer("incarnation") : 0);
  parts_.display.recover(event, engine_.state());
  if (const auto* ended = std::get_if<ContainerEnded>(&event.what))
    parts_.times.ended(ended->container);
  if (fields.has("report")) take_report(event, fields, line["report"]);
}

void Recovery::take_report(const Event& event, const wire::Fields& fields, const Json& mark) {
  if (!mark.is_array() || mark.size() != 2 || !mark[0].is_number_unsigned() ||
      !mark[1].is_number_unsigned() || mark[0] >= parts_.scenario.cluster.nodes.size())
    fields.bad("report", "a node and a number");
  const auto container =
      fields.has("container") ? id_field<ContainerId>(fields, "container") : ContainerId{};
  links_.recover_report(NodeId{mark[0]}, mark[1], container,
                        std::holds_alternative<ContainerEnded>(event.what));
}

void Recovery::take_fault() {
  const FaultMoment* moment =
      parts_.calendar.faults().take(EmuTime(std::numeric_limits<std::int64_t>::max()));
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

Result<void> Recovery::end(std::optional<EmuTime> last_sample, real::Time now) {
  HEDDLE_TRY(take_rest());
  if (ended_as())
    return usage_error("the run has ended (" + past_->status + ") and cannot be resumed");
  parts_.recorder.go_on(past_->steps.next_number(), std::move(past_->missing));
  parts_.unseen = past_->steps.take_unseen();
  parts_.times.forget_decisions();
  // The samples show how long the previous master lived after its last line in the journal.
  const EmuTime known = std::max(past_->last, past_->steps.now());
  const EmuTime last = std::max(known, last_sample.value_or(known));
  parts_.clock.recover(last);
  past_->wall_s += seconds(parts_.clock.scale().to_real(last - known));
  if (parts_.life == Life::kRegistering) {
    parts_.recorder.resumed(last, downtime_s(now));
    return {};
  }
  parts_.life = Life::kReturning;
  links_.await_return(now);
  limit_ = now + std::max(parts_.options.return_limit, liveness(parts_.scenario));
  return {};
}

double Recovery::downtime_s(real::Time now) const {
  return std::max(0.0, parts_.wall_s(now) - past_->wall_s);
}

bool Recovery::all_back(real::Time now) const {
  using State = NodeLinks::State;
  if (now >= limit_) return true;
  if (parts_.options.await_all)
    return links_.count(State::kAlive) == std::ssize(parts_.scenario.cluster.nodes);
  return links_.count(State::kReturning) == 0 && links_.count(State::kAlive) > 0;
}

std::vector<Event> Recovery::go_on(real::Time now) {
  const EmuTime at = parts_.clock.now();
  parts_.clock.start_resumed(now);
  parts_.life = Life::kRunning;
  parts_.recorder.resumed(at, downtime_s(now));
  registration_.record_workers(now);
  parts_.display.say(at, "the run was resumed from its journal");
  if (!difference_.empty()) parts_.display.say(at, difference_);
  std::vector<Event> events;
  for (std::int64_t i = 0; i < std::ssize(parts_.scenario.cluster.nodes); ++i) {
    const NodeId node{i};
    const NodeLinks::Link& link = links_.link(node);
    const bool there = link.state == NodeLinks::State::kAlive;
    // If all jobs are done, no node counts as lost. Workers that come back are told to leave.
    if ((there && link.returned) || engine_.done()) continue;
    nodes_.lose(node, "its worker did not come back", now, events);
    if (there) {
      parts_.calendar.faults().back(node);
      events.push_back({at, NodeRegistered{node}});
    } else if (link.state == NodeLinks::State::kReturning) {
      links_.mark_lost(node);
    }
  }
  past_.reset();
  parts_.send_to_all(links_.peers());
  return events;
}

}  // namespace heddle::master
