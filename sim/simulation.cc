#include "sim/simulation.h"

#include <algorithm>
#include <utility>

#include "common/overloads.h"
#include "core/policy/registry.h"
#include "core/scenario/draw.h"

namespace heddle::sim {
namespace {

/// Run id of every simulation. The id is always the same, so that two simulations of a scenario do
/// not differ.
constexpr const char* kRun = "simulated";

}  // namespace

Simulation::Simulation(const Scenario& scenario, Options options, Sink journal, Sink samples)
    : scenario_(scenario),
      shortcuts_(options.shortcuts),
      engine_(scenario, make_policy(scenario),
              [&scenario](TaskId task) { return draw_work(scenario, task); }),
      recorder_(scenario,
                {wire::JournalLines::Mode::kSimulated, options.journal_heartbeats,
                 std::move(options.stopwatch), options.observer},
                std::move(journal), std::move(samples)),
      calendar_(scenario),
      cluster_(scenario),
      workers_(cluster_, shortcuts_ && scenario.faults.empty() &&
                             cluster_.message_delay < scenario.cluster.heartbeat),
      master_(cluster_, engine_.state(), calendar_),
      sampler_(scenario.cluster.nodes.size(), options.thin_samples),
      watch_(cluster_, engine_.state(), calendar_) {}

bool Simulation::go_on(std::int64_t turns) {
  if (!begun_) begin();
  for (; turns > 0 && !status_; --turns) turn();
  return !status_;
}

void Simulation::begin() {
  begun_ = true;
  recorder_.open(kRun);
  std::vector<Event> events;
  for (std::int64_t i = 0; i < std::ssize(cluster_.nodes); ++i)
    events.push_back({EmuTime(0), NodeRegistered{NodeId{i}}});
  take_due(events);
  step(events);
}

void Simulation::stop(RunStatus status, const std::string& reason) {
  if (status_) return;
  if (!std::exchange(begun_, true)) recorder_.open(kRun);
  status_ = status;
  reason_ = reason;
  recorder_.leaving(now(), name_of(status), reason);
  recorder_.end(now(), name_of(status), reason, nullptr);
}

void Simulation::turn() {
  const EmuTime nodes = workers_.next_time();
  const EmuTime words = std::min(master_.next_time(), calendar_.next_time().value_or(kNever));
  const EmuTime heartbeat = cluster_.heartbeats.empty() ? kNever : cluster_.heartbeats.front().at;
  cluster_.now = std::min({nodes, words, heartbeat, workers_.next_heartbeat()});
  if (nodes <= now())
    workers_.run();
  else if (words <= now())
    hear_reports();
  else if (heartbeat <= now())
    hear_heartbeat();
  else
    workers_.send_heartbeat();
}

void Simulation::hear_reports() {
  heard_.clear();
  master_.hear_reports(heard_);
  master_.lose_silent(heard_);
  take_due(heard_);
  calendar_.take_wakes(now(), heard_);
  if (!heard_.empty()) step(heard_);
}

void Simulation::take_due(std::vector<Event>& events) {
  const std::size_t before = events.size();
  calendar_.take_due(now(), events);
  for (std::size_t i = before; i < events.size(); ++i)
    if (const auto* load = std::get_if<ExternalLoad>(&events[i].what)) master_.notify(*load);
  while (const FaultMoment* moment = calendar_.faults().take(now())) {
    recorder_.fault(*moment);
    master_.notify(*moment);
  }
}

void Simulation::hear_heartbeat() {
  SimulatedCluster::Heartbeat heard = std::move(cluster_.heartbeats.front());
  cluster_.heartbeats.pop_front();
  NodeId id = heard.node;
  NodeLink& link = cluster_.link(id);
  // If a newer heartbeat arrived earlier, this heartbeat is outdated.
  if (!master_.knows(id, heard.life) || heard.number <= link.newest_beat) return;
  link.newest_beat = heard.number;
  watch_.note_heartbeat();
  WorkerModel& worker = cluster_.node(id).worker;
  const bool wanted = sampler_.takes(now(), id);
  const bool passes = shortcuts_ && recorder_.pass(engine_, now(), id);
  if (passes) end_if_over();
  if (passes && !wanted) {
    if (!heard.beat) worker.drop_beat();
  } else {
    if (!heard.beat) heard.beat = worker.take_beat();
    if (wanted)
      recorder_.sample(now(), heard.beat->heartbeat, sampler_.cores(now(), *heard.beat),
                       heard.beat->memory);
  }
  if (!passes) {
    heard_.clear();
    heard_.push_back({now(), std::move(heard.beat->heartbeat)});
    step(heard_);
  }
  if (link.talks(now())) link.answered = heard.made;
  cluster_.touch(id);
  cluster_.flush(id);
}

void Simulation::step(const std::vector<Event>& events) {
  Step step = recorder_.decide(engine_, now(), events);
  recorder_.step(now(), events, step);
  for (Action& action : step.actions) carry_out(action);
  watch_.note(events, step);
  end_if_over();
}

void Simulation::carry_out(Action& action) {
  auto send = [&](auto& what, bool at_once) {
    const Container* container = engine_.state().container(what.container);
    if (!container) return;  // it has ended in this step
    master_.command(container->node, std::move(what), at_once);
  };
  std::visit(
      Overloads{[&](Launch& it) { send(it, scenario_.cluster.dispatch == Dispatch::kImmediate); },
                [&](Kill& it) { send(it, true); }, [&](Suspend& it) { send(it, true); },
                [&](Resume& it) { send(it, true); }, [&](InputsReady& it) { send(it, true); },
                [&](Fetch& it) { send(it, true); }, [&](RunPart& it) { send(it, true); },
                [&](Finish& it) { send(it, true); }, [&](WakeAt& it) { calendar_.wake_at(it.at); },
                // Only the master knows reservations.
                [](Reserve&) {}, [](Unreserve&) {}},
      action.what);
}

void Simulation::end_if_over() {
  const std::vector<Job>& jobs = engine_.state().jobs();
  if (engine_.done()) {
    bool failed = std::any_of(jobs.begin(), jobs.end(),
                              [](const Job& job) { return job.state() == JobState::kFailed; });
    return stop(failed ? RunStatus::kFailed : RunStatus::kDone, "all jobs have ended");
  }
  if (engine_.state().alive_nodes() == 0 && !calendar_.faults().awaits())
    return stop(RunStatus::kAborted, "every node was lost");
  if (watch_.stuck()) stop(RunStatus::kAborted, watch_.reason());
}

}  // namespace heddle::sim
