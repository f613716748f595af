#include "master/live_run.h"

#include <algorithm>

#include "common/wire/values.h"
#include "core/policy/table.h"
#include "core/scenario/draw.h"

namespace heddle {

using wire::Json;

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
      last_came_(now),
      display_(scenario) {
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

Effects LiveRun::on_message(const std::string& identity, const wire::Message& message,
                            real::Time now) {
  if (life_ == Life::kReturning) return on_return(identity, message, now);
  Effects effects;
  std::vector<Event> events;
  const auto* beat = std::get_if<wire::Heartbeat>(&message);
  if (const auto* hello = std::get_if<wire::Hello>(&message)) {
    const NodeLinks::Heard heard = links_.hello(identity, *hello, now);
    note_refusal(*hello, heard, now);
    if (heard.registered && came_.insert(*heard.registered).second) last_came_ = now;
    take(heard, identity, now, events, effects);
  } else if (const auto* reports = std::get_if<wire::Reports>(&message)) {
    take(links_.reports(identity, *reports, now), identity, now, events, effects);
  } else if (const auto* goodbye = std::get_if<wire::Goodbye>(&message)) {
    take(links_.goodbye(identity, *goodbye), identity, now, events, effects);
  } else if (const auto* probed = std::get_if<wire::Probed>(&message)) {
    const NodeLinks::Heard heard = links_.probed(identity, *probed, now);
    take(heard, identity, now, events, effects);
    if (heard.sender) take_probe(*heard.sender, probed->reason, now, events);
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
    display_.say(emulated(now), "a worker did not understand: " + error->text);
  } else {
    effects.send.emplace_back(identity, wire::ErrorMessage{"not a message for a master", false});
  }
  step(std::move(events), now, effects);
  settle(now, effects);
  return effects;
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

void LiveRun::sample(NodeId node, const wire::Heartbeat& heartbeat, real::Time now,
                     Effects& effects) {
  effects.samples += wire::sample_line(emulated(now), {node, heartbeat.containers},
                                       display_.used_cores(node, heartbeat), heartbeat.node_memory);
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
  if (life_ == Life::kRegistering && now - last_came_ >= options_.registration_limit)
    leave(RunStatus::kAborted, missing_workers(), now, effects);
  if (life_ == Life::kRunning) send_probes(now, effects);
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
    display_.fault(*moment);
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

real::Time LiveRun::next_time() const {
  if (life_ == Life::kRegistering) return last_came_ + options_.registration_limit;
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
  return std::min(next, drains_.next_time().value_or(next));
}

void LiveRun::settle(real::Time now, Effects& effects) {
  if (life_ == Life::kRunning) {
    if (engine_.done()) {
      bool failed = std::any_of(engine_.state().jobs().begin(), engine_.state().jobs().end(),
                                [](const Job& job) { return job.state() != JobState::kCompleted; });
      leave(failed ? RunStatus::kFailed : RunStatus::kDone, "all jobs have ended", now, effects);
    } else if (nothing_left()) {
      leave_empty(now, effects);
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

std::string LiveRun::trouble() const {
  if (!status_ || *status_ == RunStatus::kDone) return "";
  if (*status_ != RunStatus::kFailed) return reason_;
  std::string first;
  int others = 0;
  for (const Job& job : engine_.state().jobs()) {
    if (job.state() == JobState::kCompleted) continue;
    if (!first.empty())
      ++others;
    else
      first = "job " + job.spec().name + " failed: " + job.failure();
  }
  return others == 0 ? first : first + "; so did " + std::to_string(others) + " more";
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
  wire::Progress p = display_.progress(engine_.state(), emulated(now));
  for (std::size_t i = 0; i < p.nodes.size(); ++i) {
    const NodeId id{static_cast<std::int64_t>(i)};
    switch (links_.link(id).state) {
      case NodeLinks::State::kAlive:
        p.nodes[i].state = engine_.state().node(id).drained ? "drained" : "alive";
        break;
      case NodeLinks::State::kWaiting:
      case NodeLinks::State::kReturning:
        p.nodes[i].state = "waiting";
        break;
      case NodeLinks::State::kLost:
        // A worker that goes because the run is over is no loss.
        p.nodes[i].state = engine_.state().node(id).registered() ? "left" : "lost";
        break;
    }
  }
  p.final = life_ == Life::kOver;
  if (status_) p.status = name_of(*status_);
  p.reason = reason_;
  return p;
}

}  // namespace heddle
