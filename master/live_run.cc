#include "master/live_run.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/model/least_silence.h"
#include "core/scenario/draw.h"
#include "wire/values.h"

namespace heddle::master {

namespace {

/// Returns the real time for which a node can be silent before it is lost, on a machine without
/// delays: max(node_timeout x time_scale, 2 s).
real::Duration liveness(const Scenario& scenario) {
  return std::max<real::Duration>(scenario.scale().to_real(scenario.cluster.node_timeout),
                                  kLeastSilence);
}

}  // namespace

LiveRun::LiveRun(const Scenario& scenario, Options options, real::Time now)
    : scenario_(scenario),
      options_(std::move(options)),
      started_(now),
      policy_(external::make_policy(scenario)),
      engine_(scenario, std::move(policy_.policy),
              [&scenario](TaskId task) { return draw_work(scenario, task); }),
      calendar_(scenario, options_.patience),
      watch_(scenario, engine_.state(), calendar_),
      recorder_(
          scenario,
          {wire::JournalLines::Mode::kReal, options_.journal_heartbeats, options_.stopwatch},
          [this](std::string_view lines) { effects_.journal += lines; },
          [this](std::string_view lines) { effects_.samples += lines; }),
      clock_(scenario.scale()),
      links_(scenario, options_.run, liveness(scenario), options_.clock),
      outbox_(links_, effects_),
      display_(scenario),
      exchange_(scenario, policy_.external, options_),
      commands_(scenario, engine_.state(), calendar_, links_, outbox_),
      nodes_(scenario, engine_.state(), life_, clock_, calendar_.faults(), links_, outbox_),
      registration_(scenario, options_, clock_, links_, outbox_, recorder_, display_, now),
      reports_(engine_, clock_, links_, times_, recorder_, nodes_),
      reception_(life_, clock_, links_, outbox_, recorder_, display_, nodes_, registration_,
                 reports_),
      recovery_(scenario, engine_, calendar_, clock_, links_, times_, display_, exchange_, nodes_,
                commands_),
      return_(scenario, options_, engine_, calendar_.faults(), links_, nodes_),
      end_(life_, engine_, clock_, links_, outbox_, recorder_, nodes_, registration_) {}

Effects LiveRun::open() {
  recorder_.set_wall(wall_s(started_));
  recorder_.open(options_.run);
  return std::exchange(effects_, {});
}

Result<Effects> LiveRun::resume(std::optional<EmuTime> last_sample, real::Time now) {
  if (!recovery_.begun()) return open();  // the master died before it wrote a line
  recorder_.set_wall(wall_s(now));
  HEDDLE_TRY(recovery_.end(last_sample));
  recorder_.continue_journal(recovery_.next_step(), recovery_.take_missing());
  started_ = now;
  if (!recovery_.started()) {
    recorder_.resumed(clock_.now(), downtime_s(now));
    return settled(now);
  }
  life_.state = Life::kReturning;
  return_.begin(now);
  if (engine_.done()) resume_time(now);
  return settled(now);
}

double LiveRun::downtime_s(real::Time now) const {
  return std::max(0.0, wall_s(now) - recovery_.wall_s());
}

void LiveRun::note_stall(real::Duration length) {
  links_.note_stall(length);
  // Emulated time stands still while workers return.
  if (life_.is(Life::kReturning))
    return_.note_stall(length);
  else
    calendar_.faults().note_stall(length);
}

Effects LiveRun::on_message(const std::string& identity, const wire::Message& message,
                            real::Time now) {
  recorder_.set_wall(wall_s(now));
  if (life_.is(Life::kReturning)) {
    reception_.receive_returning(identity, message, now);
    if (return_.wait_over(now)) resume_time(now);
    return settled(now);
  }
  // Events that were due before the message come first, although the message has woken this process
  // up.
  if (const auto due = calendar_.next_time();
      life_.is(Life::kRunning) && due && clock_.real(*due) <= now) {
    std::vector<Event> events;
    take_due(now, events);
    step(events, now);
    if (effects_.kill_master) return settled(now);
  }
  const Reception::Received received = reception_.receive(identity, message, now);
  if (life_.is(Life::kRegistering) && std::holds_alternative<wire::Hello>(message) &&
      links_.count(NodeLinks::State::kAlive) == std::ssize(scenario_.cluster.nodes))
    begin(now);
  step(received.events, now);
  if (const auto& answer = received.answer)
    outbox_.to_peer(answer->identity, links_.reply(answer->node, answer->sequence));
  return settled(now);
}

void LiveRun::begin(real::Time now) {
  life_.state = Life::kRunning;
  clock_.start(now);
  registration_.record_workers(now);
  std::vector<Event> events;
  for (std::int64_t i = 0; i < std::ssize(scenario_.cluster.nodes); ++i)
    events.push_back({EmuTime(0), NodeRegistered{NodeId{i}}});
  calendar_.take_due(EmuTime(0), events);
  outbox_.to_all(links_.peers());
  step(events, now);
  bring_about_faults(now);
  registration_.send_beats(now);
}

void LiveRun::resume_time(real::Time now) {
  const EmuTime at = clock_.now();
  clock_.start_resumed(now);
  life_.state = Life::kRunning;
  recorder_.resumed(at, downtime_s(now));
  registration_.record_workers(now);
  display_.say(at, "the run was resumed from its journal");
  if (!exchange_.difference().empty()) display_.say(at, exchange_.difference());
  std::vector<Event> events = return_.events(at, now);
  calendar_.take_missing(at, events);
  outbox_.to_all(links_.peers());
  step(events, now);
  // The program has replied during the recovery to a request without a reply in the journal.
  if (const auto reply = exchange_.take_last_reply())
    if (const auto request = exchange_.take_request()) take_reply(*request, *reply, now);
  registration_.send_beats(now);
}

void LiveRun::step(const std::vector<Event>& events, real::Time now,
                   const std::set<NodeId>& offers) {
  if (events.empty() || life_.is(Life::kRegistering) || life_.is(Life::kReturning)) return;
  clock_.step(now);
  // A run that is leaving makes no decisions and only records events.
  if (!life_.is(Life::kRunning)) return record(events, {});
  for (const Event& event : events) display_.happened(event, engine_.state());
  std::vector<Event> seen = recovery_.take_unseen();
  seen.insert(seen.end(), events.begin(), events.end());
  const Step step = recorder_.decide(engine_, clock_.now(), seen);
  record(events, step);
  exchange_.add_refused(step.refused.size());
  std::set<NodeId> urgent;
  commands_.queue(events, step, offers, urgent);
  times_.decided(step.actions, now, clock_.now());
  for (const JobFinished& job : step.finished) display_.finished(job, clock_.now());
  commands_.send(urgent);
  ask_policy(now);
  end_if_stuck(seen, step, now);
}

void LiveRun::end_if_stuck(const std::vector<Event>& events, const Step& step, real::Time now) {
  for (const Event& event : events)
    if (std::holds_alternative<NodeHeartbeat>(event.what)) watch_.note_heartbeat();
  watch_.note(events, step);
  const auto can_report = [this](const Container& container) {
    const Job& job = engine_.state().job(container.task.phase.job);
    return container.state != ContainerState::kSuspended &&
           job.inputs_ready(container.task.phase.phase);
  };
  // A drained node can be restored, and the program of a policy can still reply.
  const auto pending = [this] { return nodes_.expects_restored() || exchange_.waits(); };
  if (life_.is(Life::kRunning) && watch_.stuck(can_report, pending))
    end_.leave(RunStatus::kAborted, watch_.reason(), now);
}

void LiveRun::ask_policy(real::Time now) {
  if (const std::string why = exchange_.failure(); !why.empty())
    return end_.leave(RunStatus::kAborted, why, now);
  if (const auto* request = exchange_.make_request(engine_.state(), clock_.now(), now))
    effects_.ask = *request;
}

Effects LiveRun::on_reply(const std::string& reply, real::Time now) {
  recorder_.set_wall(wall_s(now));
  const auto request = exchange_.take_request();
  if (!request || !life_.is(Life::kRunning)) return settled(now);
  const Result<std::string> recorded = exchange_.read(*request, reply, now);
  if (!recorded) return stop(RunStatus::kAborted, recorded.error().text, now);
  take_reply(*request, *recorded, now);
  return settled(now);
}

void LiveRun::take_reply(const PolicyExchange::Request& request, const std::string& recorded,
                         real::Time now) {
  step({{clock_.emulated(now), PolicyReplied{request.number, request.at, recorded}}}, now,
       request.offers);
}

std::vector<std::string> LiveRun::farewell(real::Time now) {
  if (!life_.status) return {};
  return exchange_.farewell(engine_.state(), clock_.emulated(now), name_of(*life_.status));
}

void LiveRun::record(const std::vector<Event>& events, const Step& step) {
  wire::JournalLines::RealTimes& known = recorder_.next_step();
  const auto ms = [this](std::optional<real::Time> decided, EmuTime at, ContainerId container,
                         std::map<ContainerId, double>& all) {
    if (decided) all[container] = seconds(clock_.real(at) - *decided) * 1e3;
  };
  for (const Event& event : events) {
    if (const auto* registered = std::get_if<NodeRegistered>(&event.what))
      known.incarnations[registered->node] = links_.link(registered->node).incarnation;
    if (const auto* started = std::get_if<ContainerStarted>(&event.what))
      ms(times_.take_launch(started->container), event.at, started->container, known.launch_ms);
    if (const auto* stopped = std::get_if<ContainerSuspended>(&event.what))
      ms(times_.take_suspension(stopped->container), event.at, stopped->container, known.stop_ms);
    if (const auto* ended = std::get_if<ContainerEnded>(&event.what))
      times_.ended(ended->container);
  }
  recorder_.step(clock_.now(), events, step);
}

Effects LiveRun::on_time(real::Time now) {
  recorder_.set_wall(wall_s(now));
  std::vector<Event> events;
  if (life_.is(Life::kRunning)) take_due(now, events);
  nodes_.lose_silent(now, events);
  if (life_.is(Life::kRunning)) calendar_.take_missing(clock_.emulated(now), events);
  if (life_.is(Life::kRegistering) && now >= registration_.limit())
    end_.leave(RunStatus::kAborted, registration_.missing(), now);
  if (life_.is(Life::kRunning)) nodes_.send_probes(now);
  if (life_.is(Life::kReturning) && return_.wait_over(now)) resume_time(now);
  step(events, now);
  return settled(now);
}

void LiveRun::bring_about_faults(real::Time now) {
  std::set<NodeId> urgent;
  while (const FaultMoment* moment = calendar_.faults().take(clock_.emulated(now))) {
    recorder_.fault(*moment);
    display_.fault(*moment);
    const auto fault = static_cast<std::size_t>(moment->fault);
    if (scenario_.faults[fault].kind == FaultKind::kKillMaster) {
      effects_.kill_master = true;
      return;
    }
    commands_.tell(*moment, urgent);
  }
  commands_.send(urgent);
}

void LiveRun::take_due(real::Time now, std::vector<Event>& events) {
  const EmuTime at = clock_.emulated(now);
  calendar_.take_due(at, events);
  bring_about_faults(now);
  calendar_.take_wakes(at, events);
}

real::Time LiveRun::next_time() const {
  if (life_.is(Life::kRegistering)) return registration_.limit();
  if (life_.is(Life::kReturning)) return return_.limit();
  if (life_.is(Life::kLeaving)) return end_.limit();
  real::Time next = clock_.real(EmuTime(0)) + std::chrono::hours(1'000'000);
  next = links_.next_expiry().value_or(next);
  if (const auto due = calendar_.next_time()) next = std::min(next, clock_.real(*due));
  return std::min(next, nodes_.next_probe().value_or(next));
}

Effects LiveRun::settled(real::Time now) {
  end_.settle(now);
  if (const std::string notice = nodes_.take_notice(); !notice.empty())
    display_.say(clock_.emulated(now), notice);
  return std::exchange(effects_, {});
}

Effects LiveRun::expect_no_worker(real::Time now) {
  calendar_.faults().expect_none();
  return on_time(now);
}

Effects LiveRun::stop(RunStatus status, const std::string& reason, real::Time now) {
  recorder_.set_wall(wall_s(now));
  if (!life_.is(Life::kLeaving) && !end_.over()) end_.leave(status, reason, now);
  return settled(now);
}

std::string LiveRun::end_line(double master_cpu_s, real::Time now) {
  recorder_.set_wall(wall_s(now));
  const std::vector<double>& us = recorder_.decision_us();
  wire::Json overhead = {{"master_cpu_s", master_cpu_s},
                         {"workers_cpu_s", links_.sum(&NodeLinks::Link::worker_cpu_s)},
                         {"data_cpu_s", links_.sum(&NodeLinks::Link::data_cpu_s)},
                         {"wall_s", seconds(now - started_)},
                         {"decisions", recorder_.decisions()},
                         {"decision_us", wire::percentiles(us)}};
  if (us.empty()) overhead["decision_us"]["max"] = 0.0;
  exchange_.put_overhead(overhead);
  recorder_.end(clock_.emulated(now), name_of(end_.status()), end_.reason(), std::move(overhead));
  return std::exchange(effects_.journal, {});
}

wire::Progress LiveRun::progress(real::Time now) const {
  wire::Progress p = display_.progress(engine_.state(), links_, clock_.emulated(now));
  const std::vector<double>& us = recorder_.decision_us();
  p.decisions = recorder_.decisions();
  p.decision_s = std::accumulate(us.begin(), us.end(), 0.0) / 1e6;
  p.final = end_.over();
  if (life_.status) p.status = name_of(*life_.status);
  p.reason = life_.reason;
  return p;
}

}  // namespace heddle::master
