#include "sim/simulation.h"

#include <algorithm>
#include <limits>
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
    : form_(std::move(options.counted)),
      scenario_(form_ ? form_->scenario : scenario),
      counted_(form_ ? std::optional<wire::CountedTasks>(std::in_place, scenario, form_->per_node)
                     : std::nullopt),
      shortcuts_(options.shortcuts),
      sampled_(samples && !form_),
      ask_(std::move(options.ask)),
      farewell_(std::move(options.farewell)),
      stopwatch_(options.stopwatch),
      policy_(external::make_policy(scenario_)),
      engine_(scenario_, std::move(policy_.policy),
              [this](TaskId task) { return draw_work(scenario_, task); }),
      recorder_(scenario,
                {wire::JournalLines::Mode::kSimulated, options.journal_heartbeats,
                 std::move(options.stopwatch), options.observer, counted_ ? &*counted_ : nullptr},
                std::move(journal), form_ ? nullptr : std::move(samples)),
      calendar_(scenario_),
      cluster_(scenario_, options.variation),
      workers_(cluster_, shortcuts_ && scenario_.faults.empty() &&
                             cluster_.message_delay < scenario_.cluster.heartbeat),
      master_(cluster_, engine_.state(), calendar_),
      sampler_(scenario_.cluster.nodes.size(), options.thin_samples, scenario_.cluster.heartbeat),
      watch_(scenario_, engine_.state(), calendar_),
      quiet_enough_(quiet_enough()) {}

/// Returns kForever if no heartbeat may be left out.
std::int64_t Simulation::quiet_enough() const {
  constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();
  if (!workers_.can_skip()) return kForever;
  if (sampled_ && !sampler_.thins()) return kForever;  // nearly each heartbeat is a sample
  // If Heddle decides, and for all nodes, it does not matter which node has reported.
  const bool for_all = scenario_.cluster.dispatch == Dispatch::kImmediate && !policy_.external;
  return for_all ? 1 : std::ssize(cluster_.nodes);
}

bool Simulation::advance(std::int64_t turns) {
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
  if (policy_.external && farewell_)
    for (const std::string& message :
         policy_.external->farewell(engine_.state(), now(), name_of(status)))
      farewell_(message);
  recorder_.leaving(now(), name_of(status), reason);
  recorder_.end(now(), name_of(status), reason, nullptr);
}

void Simulation::turn() {
  if (policy_.external && policy_.external->due_at_once(now())) {
    converse();
    if (reply_ && reply_->at <= now()) hear_reply();
    return;
  }
  const EmuTime nodes = workers_.next_time();
  const EmuTime words = std::min(
      {master_.next_time(), calendar_.next_time().value_or(kNever), reply_ ? reply_->at : kNever});
  if (quiet() && !(policy_.external && policy_.external->due(now()))) skip_heartbeats(nodes, words);
  const EmuTime heartbeat = cluster_.heartbeats.empty() ? kNever : cluster_.heartbeats.front().at;
  if (policy_.external && std::min(nodes, words) > now() && policy_.external->due(now()))
    return converse();
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

void Simulation::skip_heartbeats(EmuTime nodes, EmuTime words) {
  // A heartbeat that is sent later could arrive after that.
  const EmuTime heard = std::min(words, engine_.passes_until()) - cluster_.message_delay;
  EmuTime until = std::min(nodes, heard);
  if (sampled_) until = std::min(until, sampler_.next_time());
  // The heartbeat with which the run could be stuck is simulated.
  const std::int64_t rounds = watch_.heartbeats_left() / std::ssize(cluster_.nodes) - 2;
  const EmuTime stuck = now() + scenario_.cluster.heartbeat * rounds;
  if (stuck < until &&
      !watch_.awaits_report([this](const Container& it) { return can_report(it); }))
    until = stuck;
  if (until <= std::max(now(), workers_.next_heartbeat())) return;
  const std::int64_t skipped = workers_.skip_heartbeats(until);
  watch_.note_heartbeats(skipped);
  recorder_.pass_unseen(skipped);
}

void Simulation::hear_reports() {
  heard_.clear();
  master_.hear_reports(heard_);
  master_.lose_silent(heard_);
  take_due(heard_);
  calendar_.take_wakes(now(), heard_);
  const bool replied = reply_ && reply_->at <= now();
  if (replied) heard_.push_back(*std::exchange(reply_, std::nullopt));
  if (counted_) counted_->sort(heard_);
  if (!heard_.empty()) step(heard_);
  if (replied) offers_.clear();
}

void Simulation::hear_reply() {
  heard_.clear();
  heard_.push_back(*std::exchange(reply_, std::nullopt));
  step(heard_);
  offers_.clear();
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
  const bool wanted = sampled_ && sampler_.takes(id, heard.made);
  const bool passes = shortcuts_ && recorder_.pass(engine_, now(), id);
  if (passes) ++quiet_beats_, end_if_over();
  if (passes && !wanted) {
    if (!heard.beat) worker.drop_beat();
  } else {
    if (!heard.beat) heard.beat = worker.take_beat();
    if (wanted)
      recorder_.sample(now(), heard.beat->heartbeat, sampler_.take(now(), heard.made, *heard.beat),
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

void Simulation::converse() {
  external::ExternalPolicy::Request request =
      policy_.external->take_request(engine_.state(), now());
  const real::Duration began = stopwatch_ ? stopwatch_() : real::Duration(0);
  Result<std::string> reply = ask_ ? ask_(request.text) : aborted_error("there is no program");
  const real::Duration took = stopwatch_ ? stopwatch_() - began : real::Duration(0);
  Result<external::Reply> checked =
      reply ? policy_.external->check(request, *reply) : reply.error();
  if (!checked) return fail_policy(request.name() + ": " + checked.error().text);
  if (stopwatch_) round_trips_.add(took, checked->took_us);
  offers_ = std::move(request.offers);
  EmuTime cost = scenario_.scale().to_emulated(took);
  if (const auto fixed = value(scenario_.policy, kPolicyCost))
    cost = request.again ? EmuTime(0) : *fixed;  // a decision has this cost once
  if (request.number == 0) cost = EmuTime(0);    // the first request only says hello
  reply_ =
      Event{now() + cost, PolicyReplied{request.number, request.at, std::move(checked->recorded)}};
}

void Simulation::fail_policy(const std::string& why) {
  farewell_ = nullptr;  // the program gets nothing more
  stop(RunStatus::kAborted, "policy " + policy_text(scenario_.policy) + ": " + why);
}

void Simulation::step(const std::vector<Event>& events) {
  quiet_beats_ = 0;
  Step step = recorder_.decide(engine_, now(), events);
  if (counted_) counted_->follow(events, step);
  recorder_.step(now(), events, step);
  for (Action& action : step.actions) carry_out(action);
  round_trips_.add_refused(step.refused.size());
  watch_.note(events, step);
  if (policy_.external && !policy_.external->failure().empty())
    return fail_policy(policy_.external->failure());
  end_if_over();
}

bool Simulation::sends_now(NodeId node) const {
  return scenario_.cluster.dispatch == Dispatch::kImmediate || offers_.contains(node);
}

void Simulation::carry_out(Action& action) {
  auto send = [&](auto& what, bool at_once) {
    const Container* container = engine_.state().container(what.container);
    if (!container) return;  // it has ended in this step
    master_.command(container->node, std::move(what), at_once);
  };
  std::visit(
      Overloads{[&](Launch& it) { send(it, sends_now(it.node)); },
                [&](Kill& it) { send(it, true); }, [&](Suspend& it) { send(it, true); },
                [&](Resume& it) { send(it, true); }, [&](InputsReady& it) { send(it, true); },
                [&](Fetch& it) { send(it, true); }, [&](RunPart& it) { send(it, true); },
                [&](Finish& it) { send(it, true); }, [&](WakeAt& it) { calendar_.wake_at(it.at); },
                [&](SubmitAt& it) { calendar_.submit_at(it.job, it.at); },
                // Only the master knows reservations.
                [](Reserve&) {}, [](Unreserve&) {}, [](Submit&) {},
                // The engine also kills the containers of the job.
                [](KillJob&) {}},
      action.what);
}

void Simulation::end_if_over() {
  const std::vector<Job>& jobs = engine_.state().jobs();
  if (engine_.done()) {
    // An external policy also learns what happened at the end.
    if (policy_.external && policy_.external->due(now())) return;
    const bool failed = std::ranges::any_of(jobs, &Job::failed);
    return stop(failed ? RunStatus::kFailed : RunStatus::kDone, "all jobs have ended");
  }
  if (engine_.state().alive_nodes() == 0 && !calendar_.faults().awaits())
    return stop(RunStatus::kAborted, "every node was lost");
  if (is_stuck()) stop(RunStatus::kAborted, watch_.reason());
}

bool Simulation::can_report(const Container& container) const {
  return !cluster_.nodes[container.node.value].worker.at_rest(container.id);
}

bool Simulation::is_stuck() const {
  return watch_.stuck([this](const Container& it) { return can_report(it); },
                      [this] {
                        return !cluster_.deliveries.empty() || !cluster_.reports.empty() ||
                               cluster_.any_settling();
                      });
}

}  // namespace heddle::sim
