#include "master/live_run.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "wire/values.h"

namespace heddle::master {

LiveRun::LiveRun(const Scenario& scenario, Options options, real::Time now)
    : started_(now),
      parts_(scenario, std::move(options)),
      commands_(parts_),
      nodes_(parts_),
      registration_(parts_, now),
      reception_(parts_, nodes_, registration_),
      recovery_(parts_, nodes_, commands_, registration_),
      end_(parts_, nodes_, registration_) {}

Effects LiveRun::open() {
  parts_.recorder.set_wall(parts_.wall_s(started_));
  parts_.recorder.open(parts_.options.run);
  return std::exchange(parts_.effects, {});
}

Result<Effects> LiveRun::resume(std::optional<EmuTime> last_sample, real::Time now) {
  if (!recovery_.begun()) return open();  // the master died before it wrote a line
  parts_.recorder.set_wall(parts_.wall_s(now));
  HEDDLE_TRY(recovery_.end(last_sample, now));
  started_ = now;
  if (parts_.life == Life::kReturning && parts_.engine.done()) go_on(now);
  return settled(now);
}

Effects LiveRun::on_message(const std::string& identity, const wire::Message& message,
                            real::Time now) {
  parts_.recorder.set_wall(parts_.wall_s(now));
  if (parts_.life == Life::kReturning) {
    reception_.receive_returning(identity, message, now);
    if (recovery_.all_back(now)) go_on(now);
    return settled(now);
  }
  const Reception::Received received = reception_.receive(identity, message, now);
  if (parts_.life == Life::kRegistering && std::holds_alternative<wire::Hello>(message) &&
      parts_.links.count(NodeLinks::State::kAlive) == std::ssize(parts_.scenario.cluster.nodes))
    begin(now);
  step(received.events, now);
  if (const auto& answer = received.answer)
    parts_.effects.send.emplace_back(answer->identity,
                                     parts_.links.reply(answer->node, answer->sequence));
  return settled(now);
}

void LiveRun::begin(real::Time now) {
  parts_.life = Life::kRunning;
  parts_.clock.start(now);
  registration_.record_workers(now);
  std::vector<Event> events;
  for (std::int64_t i = 0; i < std::ssize(parts_.scenario.cluster.nodes); ++i)
    events.push_back({EmuTime(0), NodeRegistered{NodeId{i}}});
  parts_.calendar.take_due(EmuTime(0), events);
  parts_.send_to_all(parts_.links.peers());
  step(events, now);
  commands_.bring_about_faults(now);
  registration_.send_beats(now);
}

void LiveRun::go_on(real::Time now) {
  step(recovery_.go_on(now), now);
  // The program has replied during the recovery to a request without a reply in the journal.
  if (const auto reply = recovery_.take_last_reply(); reply && parts_.asked)
    take_reply(*std::exchange(parts_.asked, std::nullopt), *reply, now);
  registration_.send_beats(now);
}

void LiveRun::step(const std::vector<Event>& events, real::Time now) {
  if (events.empty() || parts_.life == Life::kRegistering || parts_.life == Life::kReturning)
    return;
  parts_.clock.step(now);
  // A run that is leaving makes no decisions and only records events.
  if (parts_.life != Life::kRunning) return record(events, {});
  for (const Event& event : events) parts_.display.happened(event, parts_.engine.state());
  std::vector<Event> seen = std::exchange(parts_.unseen, {});
  seen.insert(seen.end(), events.begin(), events.end());
  const Step step = parts_.recorder.decide(parts_.engine, parts_.clock.now(), seen);
  record(events, step);
  parts_.round_trips.add_refused(step.refused.size());
  std::set<NodeId> urgent;
  commands_.queue(events, step, now, urgent);
  commands_.send(urgent);
  ask_policy(now);
}

void LiveRun::ask_policy(real::Time now) {
  if (!parts_.policy.external) return;
  if (const std::string& why = parts_.policy.external->failure(); !why.empty())
    return end_.leave(RunStatus::kAborted, parts_.about_policy(why), now);
  if (!parts_.policy.external->due(parts_.clock.now())) return;
  parts_.asked = parts_.policy.external->take_request(parts_.engine.state(), parts_.clock.now());
  parts_.effects.ask = parts_.asked;
  parts_.asked_at = now;
}

Effects LiveRun::on_reply(const std::string& reply, real::Time now) {
  parts_.recorder.set_wall(parts_.wall_s(now));
  const auto request = std::exchange(parts_.asked, std::nullopt);
  if (!request || parts_.life != Life::kRunning) return settled(now);
  const Result<external::Reply> read = parts_.policy.external->check(*request, reply);
  if (!read)
    return stop(RunStatus::kAborted,
                parts_.about_policy(request->name() + ": " + read.error().text), now);
  parts_.round_trips.add(now - parts_.asked_at, read->took_us);
  take_reply(*request, read->recorded, now);
  return settled(now);
}

void LiveRun::take_reply(const external::ExternalPolicy::Request& request,
                         const std::string& recorded, real::Time now) {
  parts_.offers = request.offers;
  step({{parts_.clock.emulated(now), PolicyReplied{request.number, request.at, recorded}}}, now);
  parts_.offers.clear();
}

std::vector<std::string> LiveRun::farewell(real::Time now) {
  if (!parts_.policy.external || !parts_.status) return {};
  return parts_.policy.external->farewell(parts_.engine.state(), parts_.clock.emulated(now),
                                          name_of(*parts_.status));
}

void LiveRun::record(const std::vector<Event>& events, const Step& step) {
  wire::JournalLines::RealTimes& known = parts_.recorder.next_step();
  const auto ms = [this](std::optional<real::Time> decided, EmuTime at, ContainerId container,
                         std::map<ContainerId, double>& all) {
    if (decided) all[container] = seconds(parts_.clock.real(at) - *decided) * 1e3;
  };
  for (const Event& event : events) {
    if (const auto* registered = std::get_if<NodeRegistered>(&event.what))
      known.incarnations[registered->node] = parts_.links.link(registered->node).incarnation;
    if (const auto* started = std::get_if<ContainerStarted>(&event.what))
      ms(parts_.times.take_launch(started->container), event.at, started->container,
         known.launch_ms);
    if (const auto* stopped = std::get_if<ContainerSuspended>(&event.what))
      ms(parts_.times.take_suspension(stopped->container), event.at, stopped->container,
         known.stop_ms);
    if (const auto* ended = std::get_if<ContainerEnded>(&event.what))
      parts_.times.ended(ended->container);
  }
  parts_.recorder.step(parts_.clock.now(), events, step);
}

Effects LiveRun::on_time(real::Time now) {
  parts_.recorder.set_wall(parts_.wall_s(now));
  std::vector<Event> events;
  if (parts_.life == Life::kRunning) take_due(now, events);
  nodes_.lose_silent(now, events);
  if (parts_.life == Life::kRegistering && now >= registration_.limit())
    end_.leave(RunStatus::kAborted, registration_.missing(), now);
  if (parts_.life == Life::kRunning) nodes_.send_probes(now);
  if (parts_.life == Life::kReturning && recovery_.all_back(now)) go_on(now);
  step(events, now);
  return settled(now);
}

void LiveRun::take_due(real::Time now, std::vector<Event>& events) {
  const EmuTime at = parts_.clock.emulated(now);
  parts_.calendar.take_due(at, events);
  commands_.bring_about_faults(now);
  parts_.calendar.take_missing(at, events);
  parts_.calendar.take_wakes(at, events);
}

real::Time LiveRun::next_time() const {
  if (parts_.life == Life::kRegistering) return registration_.limit();
  if (parts_.life == Life::kReturning) return recovery_.limit();
  if (parts_.life == Life::kLeaving) return end_.limit();
  real::Time next = parts_.clock.real(EmuTime(0)) + std::chrono::hours(1'000'000);
  next = parts_.links.next_expiry().value_or(next);
  if (const auto due = parts_.calendar.next_time()) next = std::min(next, parts_.clock.real(*due));
  return std::min(next, nodes_.next_probe().value_or(next));
}

Effects LiveRun::settled(real::Time now) {
  end_.settle(now);
  return std::exchange(parts_.effects, {});
}

Effects LiveRun::stop(RunStatus status, const std::string& reason, real::Time now) {
  parts_.recorder.set_wall(parts_.wall_s(now));
  if (parts_.life != Life::kLeaving && !end_.over()) end_.leave(status, reason, now);
  return settled(now);
}

std::string LiveRun::end_line(double master_cpu_s, real::Time now) {
  parts_.recorder.set_wall(parts_.wall_s(now));
  const std::vector<double>& us = parts_.recorder.decision_us();
  wire::Json overhead = {{"master_cpu_s", master_cpu_s},
                         {"workers_cpu_s", parts_.links.sum(&NodeLinks::Link::worker_cpu_s)},
                         {"data_cpu_s", parts_.links.sum(&NodeLinks::Link::data_cpu_s)},
                         {"wall_s", seconds(now - started_)},
                         {"decisions", parts_.recorder.decisions()},
                         {"decision_us", wire::percentiles(us)}};
  if (us.empty()) overhead["decision_us"]["max"] = 0.0;
  if (parts_.policy.external) parts_.round_trips.put(overhead);
  parts_.recorder.end(parts_.clock.emulated(now), name_of(end_.status()), end_.reason(),
                      std::move(overhead));
  return std::exchange(parts_.effects.journal, {});
}

wire::Progress LiveRun::progress(real::Time now) const {
  wire::Progress p =
      parts_.display.progress(parts_.engine.state(), parts_.links, parts_.clock.emulated(now));
  const std::vector<double>& us = parts_.recorder.decision_us();
  p.decisions = parts_.recorder.decisions();
  p.decision_s = std::accumulate(us.begin(), us.end(), 0.0) / 1e6;
  p.final = end_.over();
  if (parts_.status) p.status = name_of(*parts_.status);
  p.reason = parts_.reason;
  return p;
}

}  // namespace heddle::master
