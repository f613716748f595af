#include "master/live_run.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/wire/values.h"
#include "core/policy/capacity/estimation.h"
#include "core/policy/table.h"
#include "core/scenario/draw.h"
#include "core/scenario/resolve.h"
#include "core/scenario/words.h"

namespace heddle {
namespace {

using wire::Json;

/// For the display.
constexpr std::size_t kLastEvents = 20;
/// A century or so: what a worker's clock says can be reckoned with.
constexpr std::int64_t kLatestClock = 4'000'000'000'000'000'000;

double seconds(real::Duration d) { return std::chrono::duration<double>(d).count(); }

}  // namespace

real::Duration LiveRun::liveness(const Scenario& scenario) {
  return std::max<real::Duration>(scenario.scale().to_real(scenario.cluster.node_timeout),
                                  std::chrono::seconds(2));
}

LiveRun::LiveRun(const Scenario& scenario, Options options, real::Time now)
    : scenario_(scenario),
      options_(std::move(options)),
      scale_(scenario.scale()),
      engine_(scenario, make_policy(scenario),
              [&scenario](TaskId task) { return draw_work(scenario, task); }),
      lines_(wire::JournalLines::Mode::kReal, options_.journal_heartbeats),
      links_(scenario, options_.run, liveness(scenario), options_.clock),
      started_(now),
      load_(scenario.cluster.nodes.size()),
      faults_(scenario),
      starts_(scenario.jobs.size()),
      used_cores_(scenario.cluster.nodes.size()),
      used_memory_(scenario.cluster.nodes.size()),
      last_use_(scenario.cluster.nodes.size()) {
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i)
    arrivals_.emplace_back(scenario.jobs[i].submit, JobId{static_cast<std::int64_t>(i)});
  std::sort(arrivals_.begin(), arrivals_.end());
  loads_ = load_changes(scenario.external_load);
}

wire::JournalLines::RealTimes LiveRun::times(real::Time now) const {
  wire::JournalLines::RealTimes times;
  times.wall_s = seconds(now.time_since_epoch()) + options_.realtime_offset_s;
  return times;
}

Effects LiveRun::open() {
  Effects effects;
  effects.journal = lines_.run(scenario_, options_.run, times(started_));
  return effects;
}

EmuTime LiveRun::emulated(real::Time at) const {
  if (life_ == Life::kRegistering || life_ == Life::kReturning) return now_;
  return std::max(now_, scale_.to_emulated(at - epoch_));
}

EmuTime LiveRun::event_time(NodeId node, const wire::Report& report, real::Time now) {
  const EmuTime heard = emulated(now);
  const real::Time at{std::chrono::nanoseconds(std::min(report.monotonic_ns, kLatestClock))};
  // Workers of one host share the master's clock.
  if (!links_.link(node).clock)
    return std::clamp(scale_.to_emulated(at - epoch_), resumed_at_, heard);
  EmuTime least = resumed_at_;
  if (auto it = newest_.find(report.container); it != newest_.end())
    least = std::max(least, it->second);
  if (auto it = suspended_.find(report.container);
      it != suspended_.end() && report.kind == wire::ReportKind::kSuspended)
    least = std::max(least, scale_.to_emulated(it->second - epoch_));
  const std::optional<ClockEstimate> clock = links_.clock_offset(node, now);
  if (!clock) return heard;
  return std::clamp(scale_.to_emulated(at - clock->offset - epoch_), std::min(least, heard), heard);
}

Effects LiveRun::on_message(const std::string& identity, const wire::Message& message,
                            real::Time now) {
  if (life_ == Life::kReturning) return on_return(identity, message, now);
  Effects effects;
  std::vector<Event> events;
  const auto* beat = std::get_if<wire::Heartbeat>(&message);
  if (const auto* hello = std::get_if<wire::Hello>(&message)) {
    const NodeLinks::Heard heard = links_.hello(identity, *hello, now);
    note_refusal(*hello, heard, now);
    take(heard, identity, now, events, effects);
  } else if (const auto* reports = std::get_if<wire::Reports>(&message)) {
    take(links_.reports(identity, *reports, now), identity, now, events, effects);
  } else if (const auto* goodbye = std::get_if<wire::Goodbye>(&message)) {
    take(links_.goodbye(identity, *goodbye), identity, now, events, effects);
  } else if (beat) {
    NodeLinks::Heard heard = links_.heartbeat(identity, *beat, now);
    take(heard, identity, now, events, effects);
    if (heard.heartbeat && life_ != Life::kRegistering) {
      sample(*heard.heartbeat, *beat, now, effects);
      events.push_back({emulated(now), NodeHeartbeat{*heard.heartbeat, beat->containers, beat->use,
                                                     beat->estimate}});
    }
    step(std::move(events), now, effects);
    if (heard.heartbeat)
      effects.send.emplace_back(identity, links_.reply(*heard.heartbeat, beat->sequence));
    settle(now, effects);
    return effects;
  } else if (const auto* error = std::get_if<wire::ErrorMessage>(&message)) {
    say(emulated(now), "a worker did not understand: " + error->text);
  } else {
    effects.send.emplace_back(identity, wire::ErrorMessage{"not a message for a master", false});
  }
  step(std::move(events), now, effects);
  settle(now, effects);
  return effects;
}

void LiveRun::note_refusal(const wire::Hello& hello, const NodeLinks::Heard& heard,
                           real::Time now) {
  for (const wire::Message& reply : heard.replies) {
    const auto* error = std::get_if<wire::ErrorMessage>(&reply);
    if (!error) continue;
    const std::string where = hello.host ? " of host " + hello.host->name : "";
    const std::string sentence = "a worker" + where + " was refused: " + error->text;
    // It asks again each second.
    if (sentence != refused_) say(emulated(now), sentence);
    refused_ = sentence;
  }
}

std::string LiveRun::missing_workers() const {
  std::string text = "no worker came for node";
  for (const std::string& name : links_.waiting_nodes()) text += " " + name;
  const auto waited = std::chrono::duration<double>(options_.registration_limit).count();
  text += fmt::format(" within {:g} s", waited);
  return refused_.empty() ? text : text + "; " + refused_;
}

void LiveRun::note_workers(real::Time now, Effects& effects) const {
  Json rows = Json::array();
  for (std::int64_t i = 0; i < std::ssize(scenario_.cluster.nodes); ++i) {
    const std::string host = links_.host(NodeId{i});
    if (host.empty()) continue;
    const std::optional<ClockEstimate> clock = links_.clock_offset(NodeId{i}, now);
    auto text = [&](auto ClockEstimate::*part) {
      return clock ? Json(seconds((*clock).*part)) : Json();
    };
    rows.push_back({{"node", i},
                    {"host", host},
                    {"clock_offset_s", text(&ClockEstimate::offset)},
                    {"clock_uncertainty_s", text(&ClockEstimate::uncertainty)}});
  }
  if (!rows.empty()) effects.journal += lines_.workers(emulated(now), std::move(rows), times(now));
}

void LiveRun::take(const NodeLinks::Heard& heard, const std::string& identity, real::Time now,
                   std::vector<Event>& events, Effects& effects) {
  EmuTime at = emulated(now);
  for (const wire::Report& report : heard.reports) {
    reported_[events.size()] = {*heard.sender, report.number};
    take(*heard.sender, report, now, events);
  }
  for (ContainerId id : heard.vanished)
    if (engine_.state().container(id))
      events.push_back(
          {at, ContainerEnded{
                   id, Outcome::kLost, OomCause::kNone, 0, "its worker knows nothing of it", {}}});
  if (heard.lost) {
    lose(*heard.lost, heard.why_lost, now, events);
    if (!heard.registered) links_.mark_lost(*heard.lost);
  }
  for (const wire::Message& reply : heard.replies) effects.send.emplace_back(identity, reply);
  if (!heard.registered && !heard.again) return;
  const NodeId node = heard.registered ? *heard.registered : *heard.again;
  effects.send.emplace_back(identity, welcome(node));
  if (life_ == Life::kLeaving) {
    effects.send.emplace_back(identity, wire::Shutdown{reason_});
  } else if (life_ == Life::kRunning) {
    if (heard.registered) {
      note_workers(now, effects);
      events.push_back({at, NodeRegistered{node}});
      faults_.back(node);
    }
    tell_peers(effects);
    effects.send.emplace_back(identity, next_beat(node, now));
  } else if (links_.count(NodeLinks::State::kAlive) == std::ssize(scenario_.cluster.nodes)) {
    begin(now, effects);
  }
}

bool LiveRun::was_given(NodeId node, ContainerId id) const {
  const Container* container = engine_.state().container(id);
  return container ? container->node == node : id < engine_.next_container();
}

void LiveRun::take(NodeId node, const wire::Report& report, real::Time now,
                   std::vector<Event>& events) {
  EmuTime at = event_time(node, report, now);
  // What is nobody's or another's is not the worker's to tell of. The report counts as heard.
  if (!was_given(node, report.container)) {
    events.push_back(
        {at, ActionRefused{"report", "of container " + std::to_string(report.container.value) +
                                         ", which its node was not given"}});
    return;
  }
  if (auto it = newest_.find(report.container); it != newest_.end())
    it->second = std::max(it->second, at);
  switch (report.kind) {
    case wire::ReportKind::kStarted:
      note_start(report.container, at);
      events.push_back({at, ContainerStarted{report.container}});
      break;
    case wire::ReportKind::kEnded:
      if (report.outcome == Outcome::kOomKilled) note_kill(report, at);
      events.push_back({at, ContainerEnded{report.container, report.outcome, report.oom,
                                           report.exit_code, report.reason, report.usage}});
      break;
    case wire::ReportKind::kInputsRead:
      events.push_back({at, InputsRead{report.container}});
      break;
    case wire::ReportKind::kPartDone:
      events.push_back({at, PartDone{report.container, report.part}});
      break;
    case wire::ReportKind::kInputLost:
      events.push_back(
          {at, InputLost{report.container, report.source, report.object, report.reason}});
      break;
    case wire::ReportKind::kSuspended:
      events.push_back({at, ContainerSuspended{report.container}});
      break;
    case wire::ReportKind::kResumed:
      events.push_back({at, ContainerResumed{report.container}});
      break;
    case wire::ReportKind::kRefused:
      events.push_back({at, ActionRefused{"command", report.reason}});
      break;
  }
}

void LiveRun::lose(NodeId node, const std::string& reason, real::Time now,
                   std::vector<Event>& events) {
  // Once the run is leaving, workers go by and by; that is no loss.
  if (life_ != Life::kRunning || !engine_.state().node(node).alive) return;
  EmuTime at = emulated(now);
  for (ContainerId id : engine_.state().node(node).containers)
    if (!ended_unseen(id))
      events.push_back(
          {at, ContainerEnded{id, Outcome::kLost, OomCause::kNone, 0, "its node was lost", {}}});
  events.push_back({at, NodeLost{node, reason, faults_.lost(node, at)}});
  say(at, "node " + scenario_.cluster.nodes[node.value].name + " lost: " + reason);
}

bool LiveRun::ended_unseen(ContainerId id) const {
  return std::any_of(unseen_.begin(), unseen_.end(), [&](const Event& event) {
    const auto* ended = std::get_if<ContainerEnded>(&event.what);
    return ended && ended->container == id;
  });
}

void LiveRun::begin(real::Time now, Effects& effects) {
  life_ = Life::kRunning;
  epoch_ = now;
  note_workers(now, effects);
  std::vector<Event> events;
  for (std::size_t i = 0; i < scenario_.cluster.nodes.size(); ++i)
    events.push_back({EmuTime(0), NodeRegistered{NodeId{static_cast<std::int64_t>(i)}}});
  for (; next_arrival_ < arrivals_.size() && arrivals_[next_arrival_].first <= EmuTime(0);
       ++next_arrival_)
    events.push_back({EmuTime(0), JobSubmitted{arrivals_[next_arrival_].second}});
  tell_peers(effects);
  change_loads(EmuTime(0), events);
  step(std::move(events), now, effects);
  bring_about_faults(EmuTime(0), now, effects);
  for (std::int64_t i = 0; i < std::ssize(scenario_.cluster.nodes); ++i)
    effects.send.emplace_back(links_.link(NodeId{i}).identity, next_beat(NodeId{i}, now));
}

void LiveRun::tell_peers(Effects& effects) const {
  const wire::Peers peers = links_.peers();
  for (std::int64_t i = 0; i < std::ssize(scenario_.cluster.nodes); ++i) {
    const NodeLinks::Link& link = links_.link(NodeId{i});
    if (link.state == NodeLinks::State::kAlive) effects.send.emplace_back(link.identity, peers);
  }
}

wire::Beat LiveRun::next_beat(NodeId node, real::Time now) const {
  const std::int64_t period = scenario_.cluster.heartbeat.count();
  const std::int64_t at = scale_.to_emulated(now - epoch_).count();
  const std::int64_t wait = scenario_.cluster.beat_offset(node).count() - at % period;
  return {scale_.to_real(EmuTime(wait < 0 ? wait + period : wait))};
}

void LiveRun::step(std::vector<Event> events, real::Time now, Effects& effects) {
  if (events.empty() || life_ == Life::kRegistering || life_ == Life::kReturning) return;
  now_ = emulated(now);
  if (life_ != Life::kRunning) {
    // Nothing is decided any more; what still ends is recorded.
    record(events, {}, now, effects);
    return;
  }
  std::vector<Event> seen = std::exchange(unseen_, {});
  seen.insert(seen.end(), events.begin(), events.end());
  auto before = std::chrono::steady_clock::now();
  Step step = engine_.step(now_, seen);
  auto after = std::chrono::steady_clock::now();
  decision_us_.push_back(std::chrono::duration<double, std::micro>(after - before).count());
  record(events, step, now, effects);
  std::set<NodeId> urgent;
  queue(events, step, now, urgent);
  send(urgent, effects);
}

void LiveRun::queue(const std::vector<Event>& events, const Step& step, real::Time now,
                    std::set<NodeId>& urgent) {
  for (const Event& event : events) {
    if (const auto* load = std::get_if<ExternalLoad>(&event.what)) {
      load_[load->node.value] = load->load;
      tell(load->node, wire::ExternalLoadCommand{load->load}, urgent);
    }
    const auto* registered = std::get_if<NodeRegistered>(&event.what);
    if (!registered || known_.insert(registered->node).second) continue;
    // The last that there was goes for the worker that has come anew.
    if (const NodeConditions* conditions = faults_.conditions(registered->node))
      tell(registered->node, wire::FaultCommand{FaultKind::kSlowNode, EmuTime(0), *conditions},
           urgent);
    if (const auto& last = load_[registered->node.value])
      tell(registered->node, wire::ExternalLoadCommand{*last}, urgent);
  }
  for (const Action& action : step.actions) carry_out(action, now, urgent);
  for (const JobFinished& job : step.finished) {
    note(job);
    forget(scenario_.jobs[job.job.value]);
  }
}

void LiveRun::tell(NodeId node, decltype(wire::Command::what) what, std::set<NodeId>& urgent) {
  if (links_.link(node).state != NodeLinks::State::kAlive) return;
  links_.command(node, std::move(what));
  urgent.insert(node);
}

void LiveRun::send(const std::set<NodeId>& urgent, Effects& effects) const {
  for (NodeId node : urgent)
    effects.send.emplace_back(links_.link(node).identity, links_.commands_now(node));
}

void LiveRun::record(const std::vector<Event>& events, const Step& step, real::Time now,
                     Effects& effects) {
  wire::JournalLines::RealTimes times = this->times(now);
  times.reports = std::exchange(reported_, {});
  for (const Event& event : events) {
    if (const auto* registered = std::get_if<NodeRegistered>(&event.what))
      times.incarnations[registered->node] = links_.link(registered->node).incarnation;
    if (const auto* started = std::get_if<ContainerStarted>(&event.what))
      take_time(started->container, event.at, decided_, times.launch_ms);
    if (const auto* stopped = std::get_if<ContainerSuspended>(&event.what))
      take_time(stopped->container, event.at, suspended_, times.stop_ms);
    if (const auto* ended = std::get_if<ContainerEnded>(&event.what)) {
      newest_.erase(ended->container);
      decided_.erase(ended->container);
      suspended_.erase(ended->container);
    }
  }
  effects.journal += lines_.step(now_, events, step, times);
}

void LiveRun::take_time(ContainerId container, EmuTime at, Decided& decided,
                        std::map<ContainerId, double>& ms) const {
  auto it = decided.find(container);
  if (it == decided.end()) return;
  ms[container] = seconds(scale_.to_real(at) - (it->second - epoch_)) * 1e3;
  decided.erase(it);
}

void LiveRun::carry_out(const Action& action, real::Time now, std::set<NodeId>& urgent) {
  bool immediate = scenario_.cluster.dispatch == Dispatch::kImmediate;
  auto send = [&](NodeId node, decltype(wire::Command::what) what, bool at_once) {
    links_.command(node, std::move(what));
    if (at_once) urgent.insert(node);
  };
  auto node_of = [&](ContainerId id) { return engine_.state().container(id)->node; };
  if (const auto* launch = std::get_if<Launch>(&action.what)) {
    const JobSpec& job = scenario_.jobs[launch->phase.job.value];
    const PhaseSpec& phase = job.phases[launch->phase.phase];
    decided_[launch->container] = now;
    newest_[launch->container] = now_;
    send(launch->node,
         wire::LaunchCommand{launch->container, job.name, phase.name, launch->task, launch->attempt,
                             launch->resources, launch->work, phase.command},
         immediate);
  } else if (const auto* kill = std::get_if<Kill>(&action.what)) {
    send(node_of(kill->container), wire::KillCommand{kill->container}, true);
  } else if (const auto* ready = std::get_if<InputsReady>(&action.what)) {
    // Not the scheduler's news but the shuffle's own, which waits for no heartbeat. The container
    // may have ended in the very step.
    if (engine_.state().container(ready->container))
      send(node_of(ready->container), wire::InputsReadyCommand{ready->container}, true);
  } else if (const auto* fetch = std::get_if<Fetch>(&action.what)) {
    if (engine_.state().container(fetch->container))
      send(node_of(fetch->container), wire::FetchCommand{fetch->container, fetch->reads}, true);
  } else if (const auto* part = std::get_if<RunPart>(&action.what)) {
    send(node_of(part->container), wire::RunPartCommand{part->container, part->part}, true);
  } else if (const auto* finish = std::get_if<Finish>(&action.what)) {
    send(node_of(finish->container), wire::FinishCommand{finish->container}, true);
  } else if (const auto* suspend = std::get_if<Suspend>(&action.what)) {
    suspended_[suspend->container] = now;
    send(node_of(suspend->container), wire::SuspendCommand{suspend->container}, true);
  } else if (const auto* resume = std::get_if<Resume>(&action.what)) {
    send(node_of(resume->container), wire::ResumeCommand{resume->container}, true);
  } else if (const auto* wake = std::get_if<WakeAt>(&action.what)) {
    wakes_.insert(wake->at);
  }
}

void LiveRun::forget(const JobSpec& job) {
  if (!job.hands_over()) return;
  for (std::int64_t i = 0; i < std::ssize(scenario_.cluster.nodes); ++i)
    if (links_.link(NodeId{i}).state == NodeLinks::State::kAlive)
      links_.command(NodeId{i}, wire::ForgetCommand{job.name});
}

void LiveRun::note(const JobFinished& job) {
  const std::string& name = scenario_.jobs[job.job.value].name;
  say(now_, "job " + name + " " + std::string(wire::name_of(job.state)) +
                (job.reason.empty() ? "" : ": " + job.reason));
}

void LiveRun::note_start(ContainerId id, EmuTime at) {
  const Container* container = engine_.state().container(id);
  if (!container) return;
  const PhaseId phase = container->task.phase;
  const JobSpec& job = scenario_.jobs[phase.job.value];
  if (job.phases[phase.phase].kind == PhaseKind::kAm) return;
  std::optional<EmuTime>& start = starts_[phase.job.value];
  if (!start) say(at, "job " + job.name + " started");
  start = std::min(start.value_or(at), at);
}

void LiveRun::note_kill(const wire::Report& report, EmuTime at) {
  const Container* container = engine_.state().container(report.container);
  if (!container) return;
  const TaskId& task = container->task;
  const JobSpec& job = scenario_.jobs[task.phase.job.value];
  const std::string limit = report.oom == OomCause::kContainer ? "its own limit"
                            : report.oom == OomCause::kNode    ? "its node's limit"
                                                               : "a limit outside of its node";
  say(at, fmt::format("{}/{} {} killed on {} for lack of memory ({})", job.name,
                      job.phases[task.phase.phase].name, task.index,
                      scenario_.cluster.nodes[container->node.value].name, limit));
}

void LiveRun::say(EmuTime at, const std::string& sentence) {
  ++said_;
  last_events_.push_back(fmt::format("{:.1f} s  {}", to_seconds(at), sentence));
  if (last_events_.size() > kLastEvents) last_events_.erase(last_events_.begin());
}

void LiveRun::sample(NodeId node, const wire::Heartbeat& heartbeat, real::Time now,
                     Effects& effects) {
  auto& [cpu, at] = last_use_[node.value];
  // By the worker's clock: a message may be late.
  const real::Time measured{std::chrono::nanoseconds(heartbeat.monotonic_ns)};
  EmuTime elapsed = scale_.to_emulated(measured - at);
  if (elapsed > EmuTime(0) && at != real::Time())
    used_cores_[node.value] =
        std::max(0.0, static_cast<double>((heartbeat.node_cpu - cpu).count()) /
                          static_cast<double>(elapsed.count()));
  used_memory_[node.value] = heartbeat.node_memory;
  last_use_[node.value] = {heartbeat.node_cpu, measured};
  effects.samples += wire::sample_line(emulated(now), {node, heartbeat.containers},
                                       used_cores_[node.value], heartbeat.node_memory);
}

Effects LiveRun::on_time(real::Time now) {
  Effects effects;
  std::vector<Event> events;
  if (life_ == Life::kRunning) {
    EmuTime at = emulated(now);
    for (; next_arrival_ < arrivals_.size() && arrivals_[next_arrival_].first <= at;
         ++next_arrival_)
      events.push_back(
          {arrivals_[next_arrival_].first, JobSubmitted{arrivals_[next_arrival_].second}});
    change_loads(at, events);
    bring_about_faults(at, now, effects);
    for (NodeId node : faults_.take_missing(at))
      events.push_back({at, NodeLost{node, "its worker did not come back"}});
    bool woken = false;
    while (!wakes_.empty() && *wakes_.begin() <= at) {
      woken = true;
      wakes_.erase(wakes_.begin());
    }
    if (woken) events.push_back({at, Wake{}});
  }
  for (NodeId node : links_.expired(now)) {
    lose(node, "no word from its worker for " + std::to_string(seconds(liveness(scenario_))) + " s",
         now, events);
    links_.mark_lost(node);
    if (life_ == Life::kRunning) tell_peers(effects);
  }
  if (life_ == Life::kRegistering && now - started_ >= options_.registration_limit) {
    leave(RunStatus::kAborted, missing_workers(), now, effects);
  }
  if (life_ == Life::kReturning && all_back(now)) go_on(now, effects);
  if (life_ == Life::kLeaving && now >= *give_up_) life_ = Life::kOver;
  step(std::move(events), now, effects);
  settle(now, effects);
  return effects;
}

void LiveRun::change_loads(EmuTime at, std::vector<Event>& events) {
  for (; next_load_ < loads_.size() && loads_[next_load_].at <= at; ++next_load_)
    events.push_back({loads_[next_load_].at, loads_[next_load_].what});
}

void LiveRun::bring_about_faults(EmuTime at, real::Time now, Effects& effects) {
  std::set<NodeId> urgent;
  while (const FaultMoment* moment = faults_.take(at)) {
    effects.journal += lines_.fault(scenario_, *moment, times(now));
    say(*moment);
    const FaultSpec& fault = scenario_.faults[static_cast<std::size_t>(moment->fault)];
    if (fault.kind == FaultKind::kKillMaster) {
      effects.kill_master = true;
      return;
    }
    tell(*moment, urgent);
  }
  send(urgent, effects);
}

void LiveRun::tell(const FaultMoment& moment, std::set<NodeId>& urgent) {
  const FaultSpec& fault = scenario_.faults[static_cast<std::size_t>(moment.fault)];
  tell(*moment.node,
       wire::FaultCommand{fault.kind, fault.lasts.value_or(EmuTime(0)), moment.conditions}, urgent);
}

void LiveRun::say(const FaultMoment& moment) {
  const FaultKind kind = scenario_.faults[static_cast<std::size_t>(moment.fault)].kind;
  std::string sentence = moment.ends ? "fault over: " : "fault: ";
  sentence += word_of(kind);
  if (moment.node) sentence += " " + scenario_.cluster.nodes[moment.node->value].name;
  say(moment.at, sentence);
}

real::Time LiveRun::next_time() const {
  if (life_ == Life::kRegistering) return started_ + options_.registration_limit;
  if (life_ == Life::kReturning) return return_by_;
  if (life_ == Life::kLeaving) return *give_up_;
  real::Time next = links_.next_expiry().value_or(epoch_ + std::chrono::hours(1'000'000));
  if (next_arrival_ < arrivals_.size())
    next = std::min(next, epoch_ + scale_.to_real(arrivals_[next_arrival_].first));
  if (next_load_ < loads_.size())
    next = std::min(next, epoch_ + scale_.to_real(loads_[next_load_].at));
  if (std::optional<EmuTime> fault = faults_.next_time())
    next = std::min(next, epoch_ + scale_.to_real(*fault));
  if (!wakes_.empty()) next = std::min(next, epoch_ + scale_.to_real(*wakes_.begin()));
  return next;
}

void LiveRun::settle(real::Time now, Effects& effects) {
  if (life_ == Life::kRunning) {
    if (engine_.done()) {
      bool failed = std::any_of(engine_.state().jobs().begin(), engine_.state().jobs().end(),
                                [](const Job& job) { return job.state() != JobState::kCompleted; });
      leave(failed ? RunStatus::kFailed : RunStatus::kDone, "all jobs have ended", now, effects);
    } else if (engine_.state().alive_nodes() == 0 && !faults_.awaits()) {
      leave(RunStatus::kAborted, "every node was lost", now, effects);
    }
  }
  using State = NodeLinks::State;
  if (life_ == Life::kLeaving && links_.count(State::kAlive) + links_.count(State::kReturning) == 0)
    life_ = Life::kOver;
}

Effects LiveRun::stop(RunStatus status, const std::string& reason, real::Time now) {
  Effects effects;
  if (life_ != Life::kLeaving && life_ != Life::kOver) leave(status, reason, now, effects);
  settle(now, effects);
  return effects;
}

void LiveRun::leave(RunStatus status, const std::string& reason, real::Time now, Effects& effects) {
  note_workers(now, effects);
  effects.journal += lines_.leaving(emulated(now), name_of(status), reason, times(now));
  if (life_ != Life::kRunning) epoch_ = now - scale_.to_real(now_);
  life_ = Life::kLeaving;
  status_ = status;
  reason_ = reason;
  give_up_ = now + std::chrono::milliseconds(status == RunStatus::kInterrupted ? 700 : 3000);
  for (std::size_t i = 0; i < scenario_.cluster.nodes.size(); ++i) {
    const NodeLinks::Link& link = links_.link(NodeId{static_cast<std::int64_t>(i)});
    if (link.state == NodeLinks::State::kAlive)
      effects.send.emplace_back(link.identity, wire::Shutdown{reason});
  }
}

wire::Welcome LiveRun::welcome(NodeId node) const {
  const NodeSpec& spec = scenario_.cluster.nodes[node.value];
  const EmulationSpec& emulation = scenario_.emulation;
  wire::Welcome welcome{
      node,
      spec,
      scale_,
      emulation.cpu_limit,
      emulation.pacing,
      emulation.swap,
      emulation.suspend_with,
      emulation.overhead,
      scenario_.cluster.heartbeat,
      scenario_.cluster.node_timeout,
      static_cast<int>(std::min<std::int64_t>(most_overheads(scenario_, spec), 100'000))};
  welcome.run = options_.run;
  welcome.incarnation = links_.link(node).incarnation;
  welcome.node_use = emulation.node_use;
  welcome.oom_preference = emulation.oom_preference;
  if (estimated_at_worker(scenario_.policy)) welcome.estimate = damping_of(scenario_.policy);
  return welcome;
}

std::string LiveRun::end_line(double master_cpu_s, real::Time now) const {
  double slowest =
      decision_us_.empty() ? 0 : *std::max_element(decision_us_.begin(), decision_us_.end());
  Json overhead = {{"master_cpu_s", master_cpu_s},
                   {"workers_cpu_s", links_.workers_cpu_s()},
                   {"data_cpu_s", links_.data_cpu_s()},
                   {"wall_s", seconds(now - started_)},
                   {"decisions", decision_us_.size()},
                   {"decision_us",
                    {{"p50", wire::percentile(decision_us_, 0.5)},
                     {"p99", wire::percentile(decision_us_, 0.99)},
                     {"max", slowest}}}};
  return lines_.end(emulated(now), name_of(*status_), reason_, std::move(overhead), times(now));
}

wire::Progress LiveRun::progress(real::Time now) const {
  wire::Progress p = wire::progress_of(engine_.state(), emulated(now), starts_);
  for (std::size_t i = 0; i < p.nodes.size(); ++i) {
    const NodeId id{static_cast<std::int64_t>(i)};
    switch (links_.link(id).state) {
      case NodeLinks::State::kAlive:
        p.nodes[i].state = "alive";
        break;
      case NodeLinks::State::kWaiting:
      case NodeLinks::State::kReturning:
        p.nodes[i].state = "waiting";
        break;
      case NodeLinks::State::kLost:
        // A worker that goes because the run is over is no loss.
        p.nodes[i].state = engine_.state().node(id).alive ? "left" : "lost";
        break;
    }
    p.nodes[i].used_cores = used_cores_[i];
    p.nodes[i].used_memory = used_memory_[i];
  }
  p.events = said_;
  p.last_events = last_events_;
  p.scenario = scenario_.name;
  p.policy = policy_text(scenario_.policy);
  p.final = life_ == Life::kOver;
  if (status_) p.status = name_of(*status_);
  p.reason = reason_;
  return p;
}

}  // namespace heddle
