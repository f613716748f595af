#include "sim/simulation.h"

#include <algorithm>
#include <utility>

#include "common/text.h"
#include "core/policy/capacity/estimation.h"
#include "core/policy/policy.h"
#include "core/scenario/draw.h"

namespace heddle {
namespace {

/// About as many sample lines are written per heartbeat period at most.
constexpr std::int64_t kSamplesPerPeriod = 64;
// A run in which nothing happens for so many heartbeats of every node, and so many wakes if the
// policy asks for any, is stuck: policies that count time have had theirs.
constexpr std::int64_t kQuietRounds = 1000;
constexpr std::int64_t kQuietWakes = 100;
constexpr std::size_t kNamedJobs = 5;

/// The only one: it names nothing that differs between two simulations of a scenario.
constexpr const char* kRun = "simulated";

EmuTime delay(const Scenario& scenario, real::Duration real) {
  return scenario.simulation.ideal ? EmuTime(0) : scenario.scale().to_emulated(real);
}

/// As for real; a data service gives a silent peer up after 3 s.
NodeLink::Limits limits_of(const Scenario& scenario) {
  const auto emulated = [&](real::Duration time) { return scenario.scale().to_emulated(time); };
  using namespace std::chrono_literals;
  return {std::max(scenario.cluster.node_timeout, emulated(2s)), emulated(1s), emulated(3s)};
}

std::vector<EmuTime> offsets(const Scenario& scenario) {
  const ClusterSpec& cluster = scenario.cluster;
  std::vector<EmuTime> offsets(cluster.nodes.size());
  if (scenario.simulation.ideal) return offsets;
  // Workers hear of their beats at the beginning, and count from then on.
  const EmuTime told = delay(scenario, scenario.simulation.message_delay);
  for (std::int64_t i = 0; i < std::ssize(offsets); ++i)
    offsets[i] =
        EmuTime((cluster.beat_offset(NodeId{i}) + told).count() % cluster.heartbeat.count());
  return offsets;
}

}  // namespace

Simulation::Simulation(const Scenario& scenario, Options options, Sink journal, Sink samples)
    : scenario_(scenario),
      options_(std::move(options)),
      journal_(std::move(journal)),
      samples_(std::move(samples)),
      message_delay_(delay(scenario, scenario.simulation.message_delay)),
      engine_(scenario, make_policy(scenario),
              [&scenario](TaskId task) { return draw_work(scenario, task); }),
      lines_(wire::JournalLines::Mode::kSimulated, options_.journal_heartbeats),
      data_(scenario.cluster.nodes),
      faults_(scenario),
      limits_(limits_of(scenario)),
      beats_(offsets(scenario), scenario.cluster.heartbeat),
      sample_every_((std::ssize(scenario.cluster.nodes) + kSamplesPerPeriod - 1) /
                    kSamplesPerPeriod),
      lazy_beats_(options_.shortcuts && scenario.faults.empty() &&
                  message_delay_ < scenario.cluster.heartbeat),
      due_(scenario.cluster.nodes.size()),
      worker_due_(scenario.cluster.nodes.size()),
      master_due_(scenario.cluster.nodes.size()) {
  EmuTime launch_delay = delay(scenario, scenario.simulation.launch_delay);
  std::optional<Damping> estimate;
  if (estimated_at_worker(scenario.policy)) estimate = damping_of(scenario.policy);
  for (const NodeSpec& spec : scenario.cluster.nodes) {
    NodeModel node(NodeModel::spec_of(scenario, spec), NodeId{std::ssize(nodes_)}, data_);
    nodes_.emplace_back(WorkerModel(std::move(node), launch_delay, spec.system, estimate));
  }
  for (std::int64_t i = 0; i < std::ssize(scenario.jobs); ++i)
    arrivals_.emplace_back(scenario.jobs[i].submit, JobId{i});
  std::sort(arrivals_.begin(), arrivals_.end());
  loads_ = load_changes(scenario.external_load);
}

bool Simulation::go_on(std::int64_t turns) {
  if (!begun_) begin();
  for (; turns > 0 && !status_; --turns) turn();
  return !status_;
}

void Simulation::begin() {
  begun_ = true;
  journal_(lines_.run(scenario_, kRun));
  std::vector<Event> events;
  for (std::int64_t i = 0; i < std::ssize(nodes_); ++i)
    events.push_back({EmuTime(0), NodeRegistered{NodeId{i}}});
  for (; next_arrival_ < arrivals_.size() && arrivals_[next_arrival_].first <= EmuTime(0);
       ++next_arrival_)
    events.push_back({EmuTime(0), JobSubmitted{arrivals_[next_arrival_].second}});
  change_loads(events);
  bring_about_faults();
  step(events);
}

void Simulation::stop(RunStatus status, const std::string& reason) {
  if (status_) return;
  if (!begun_) journal_(lines_.run(scenario_, kRun));
  begun_ = true;
  status_ = status;
  reason_ = reason;
  journal_(lines_.leaving(now_, name_of(status), reason));
  journal_(lines_.end(now_, name_of(status), reason, nullptr));
}

EmuTime Simulation::next_node_time() const {
  const EmuTime next = std::min({data_.next_time(), due_.next_time(), worker_due_.next_time()});
  return deliveries_.empty() ? next : std::min(next, deliveries_.front().at);
}

EmuTime Simulation::next_word_time() const {
  EmuTime next = reports_.empty() ? kNever : reports_.front().at;
  if (next_arrival_ < arrivals_.size()) next = std::min(next, arrivals_[next_arrival_].first);
  if (next_load_ < loads_.size()) next = std::min(next, loads_[next_load_].at);
  next = std::min({next, master_due_.next_time(), faults_.next_time().value_or(kNever)});
  return wakes_.empty() ? next : std::min(next, *wakes_.begin());
}

void Simulation::turn() {
  const EmuTime nodes = next_node_time(), words = next_word_time();
  const EmuTime heartbeat = heartbeats_.empty() ? kNever : heartbeats_.front().at;
  now_ = std::min({nodes, words, heartbeat, beats_.next_time()});
  if (nodes <= now_)
    run_nodes();
  else if (words <= now_)
    hear_words();
  else if (heartbeat <= now_)
    hear_heartbeat();
  else
    send_heartbeat();
}

void Simulation::run_nodes() {
  data_.advance(now_);
  std::vector<NodeId> active;
  go_on_with_workers(active);
  const std::vector<DataModel::Moved> moved = data_.take_moved();
  for (const DataModel::Moved& it : moved) active.push_back(it.node);
  for (; due_.next_time() <= now_; due_.set(active.back(), kNever)) active.push_back(due_.next());
  for (auto it = deliveries_.begin(); it != deliveries_.end() && it->at <= now_; ++it)
    active.push_back(it->node);
  std::sort(active.begin(), active.end());
  active.erase(std::unique(active.begin(), active.end()), active.end());
  for (NodeId id : active) nodes_[id.value].worker.advance(now_);
  for (const DataModel::Moved& it : moved)
    nodes_[it.node.value].worker.moved(it.container, it.ticket, it.outcome);
  for (; !deliveries_.empty() && deliveries_.front().at <= now_; deliveries_.pop_front()) {
    if (!takes(deliveries_.front())) continue;
    WorkerModel& worker = nodes_[deliveries_.front().node.value].worker;
    auto hear = [&](auto& command) {
      if constexpr (requires { worker.command(std::move(command)); })
        worker.command(std::move(command));
    };
    Command& command = deliveries_.front().command;
    if (auto* load = std::get_if<ExternalLoad>(&command))
      hear(*load);
    else if (const auto* fault = std::get_if<FaultMoment>(&command))
      strike(deliveries_.front().node, *fault);
    else if (const auto* conditions = std::get_if<NodeConditions>(&command))
      set_conditions(deliveries_.front().node, *conditions);
    else
      std::visit(hear, std::get<Order>(command));
  }
  for (NodeId id : active) settle_node(id);
  data_.settle();
}

void Simulation::settle_node(NodeId id) {
  Node& node = nodes_[id.value];
  for (Event& event : node.worker.settle()) tell(id, std::move(event));
  due_.set(id, node.worker.next_time());
}

void Simulation::hear_words() {
  std::vector<Event> events;
  for (; !reports_.empty() && reports_.front().at <= now_; reports_.pop_front()) {
    Report& report = reports_.front();
    if (!report.event)
      hear_hello(report, events);
    else if (knows(report.node, report.life))
      events.push_back(*std::move(report.event));
  }
  lose_silent(events);
  for (; next_arrival_ < arrivals_.size() && arrivals_[next_arrival_].first <= now_;
       ++next_arrival_)
    events.push_back({now_, JobSubmitted{arrivals_[next_arrival_].second}});
  change_loads(events);
  bring_about_faults();
  if (!wakes_.empty() && *wakes_.begin() <= now_) {
    wakes_.erase(wakes_.begin());
    events.push_back({now_, Wake{}});
  }
  if (!events.empty()) step(events);
}

void Simulation::change_loads(std::vector<Event>& events) {
  for (; next_load_ < loads_.size() && loads_[next_load_].at <= now_; ++next_load_) {
    const ExternalLoad& load = loads_[next_load_].what;
    events.push_back({now_, load});
    if (!nodes_[load.node.value].link.alive) continue;
    nodes_[load.node.value].waiting.emplace_back(load);
    flush(load.node);
  }
}

void Simulation::send_heartbeat() {
  NodeId id = beats_.pop();
  NodeLink& link = nodes_[id.value].link;
  if (!link.up || !link.joined || link.frozen(now_)) return;
  const BeatFate fate = fate_of(link.rules, ++link.beats);
  ++link.sequence;
  if (fate.lost || link.cut(now_)) return;
  tell_untold(id);
  WorkerModel& worker = nodes_[id.value].worker;
  worker.beat(now_);
  Heartbeat sent{now_ + message_delay_ + fate.delay, id, link.life, link.sequence, now_, {}};
  if (!lazy_beats_) sent.beat = worker.take_beat();
  if (heartbeats_.empty() || heartbeats_.back().at <= sent.at) {
    heartbeats_.push_back(std::move(sent));
    return;
  }
  const auto later =
      std::upper_bound(heartbeats_.begin(), heartbeats_.end(), sent.at,
                       [](EmuTime at, const Heartbeat& other) { return at < other.at; });
  heartbeats_.insert(later, std::move(sent));
}

void Simulation::hear_heartbeat() {
  Heartbeat heard = std::move(heartbeats_.front());
  heartbeats_.pop_front();
  NodeId id = heard.node;
  NodeLink& link = nodes_[id.value].link;
  // One that was overtaken says what is no longer so.
  if (!knows(id, heard.life) || heard.number <= link.newest_beat) return;
  link.newest_beat = heard.number;
  ++quiet_heartbeats_;
  WorkerModel& worker = nodes_[id.value].worker;
  const bool wanted = sampled(id);
  const bool passes = pass(id);
  if (passes && !wanted) {
    if (!heard.beat) worker.drop_beat();
  } else {
    if (!heard.beat) heard.beat = worker.take_beat();
    if (wanted) sample(*heard.beat);
  }
  if (!passes) {
    heard_.clear();
    heard_.push_back({now_, std::move(heard.beat->heartbeat)});
    step(heard_);
  }
  if (link.talks(now_)) link.answered = heard.made;
  touch(id);
  flush(id);
}

bool Simulation::pass(NodeId id) {
  const real::Duration before = options_.stopwatch ? options_.stopwatch() : real::Duration(0);
  if (!options_.shortcuts || !engine_.passes(now_, id)) return false;
  note_decision(before);
  lines_.pass_heartbeat();
  end_if_over();
  return true;
}

bool Simulation::sampled(NodeId id) {
  return (nodes_[id.value].beats++ + id.value) % sample_every_ == 0;
}

void Simulation::sample(const WorkerModel::Beat& beat) {
  Node& node = nodes_[beat.heartbeat.node.value];
  EmuTime span = now_ - node.sampled_at;
  double cores = span > EmuTime(0) ? static_cast<double>((beat.cpu - node.sampled_cpu).count()) /
                                         static_cast<double>(span.count())
                                   : 0;
  samples_(wire::sample_line(now_, beat.heartbeat, cores, beat.memory));
  node.sampled_cpu = beat.cpu;
  node.sampled_at = now_;
}

void Simulation::note_decision(real::Duration before) {
  ++decisions_;
  if (!options_.stopwatch) return;
  const auto taken = std::chrono::duration<double, std::micro>(options_.stopwatch() - before);
  decision_us_.push_back(taken.count());
}

void Simulation::step(const std::vector<Event>& events) {
  const real::Duration before = options_.stopwatch ? options_.stopwatch() : real::Duration(0);
  Step step = engine_.step(now_, events);
  note_decision(before);
  const std::string_view lines = lines_.step(now_, events, step);
  if (!lines.empty()) journal_(lines);
  for (Action& action : step.actions) carry_out(action);
  note_progress(events, step);
  end_if_over();
}

void Simulation::carry_out(Action& action) {
  bool immediate = scenario_.cluster.dispatch == Dispatch::kImmediate;
  auto at_node_of = [&](ContainerId id, bool at_once) {
    const Container* container = engine_.state().container(id);
    if (!container) return;  // ended in this very step
    nodes_[container->node.value].waiting.emplace_back(std::move(action.what));
    if (at_once) flush(container->node);
  };
  if (const auto* launch = std::get_if<Launch>(&action.what))
    at_node_of(launch->container, immediate);
  else if (const auto* suspend = std::get_if<Suspend>(&action.what))
    at_node_of(suspend->container, true);
  else if (const auto* resume = std::get_if<Resume>(&action.what))
    at_node_of(resume->container, true);
  else if (const auto* kill = std::get_if<Kill>(&action.what))
    at_node_of(kill->container, true);
  else if (const auto* ready = std::get_if<InputsReady>(&action.what))
    at_node_of(ready->container, true);
  else if (const auto* fetch = std::get_if<Fetch>(&action.what))
    at_node_of(fetch->container, true);
  else if (const auto* part = std::get_if<RunPart>(&action.what))
    at_node_of(part->container, true);
  else if (const auto* finish = std::get_if<Finish>(&action.what))
    at_node_of(finish->container, true);
  else if (const auto* wake = std::get_if<WakeAt>(&action.what))
    wakes_.insert(wake->at);
}

void Simulation::flush(NodeId id) {
  // Commands stay in order: with one that can't wait go those before it.
  Node& node = nodes_[id.value];
  if (node.undelivered.empty() && node.waiting.empty()) return;
  // What did not arrive goes first, once more.
  for (Delivery& delivery : std::exchange(node.undelivered, {}))
    deliveries_.push_back({now_ + message_delay_, id, std::move(delivery.command), delivery.life});
  for (Command& command : std::exchange(node.waiting, {}))
    deliveries_.push_back({now_ + message_delay_, id, std::move(command), node.link.known_life});
}

void Simulation::note_progress(const std::vector<Event>& events, const Step& step) {
  bool moved = std::any_of(events.begin(), events.end(), [](const Event& event) {
    return !std::holds_alternative<NodeHeartbeat>(event.what) &&
           !std::holds_alternative<Wake>(event.what);
  });
  moved = moved || std::any_of(step.actions.begin(), step.actions.end(), [](const Action& action) {
            return !std::holds_alternative<WakeAt>(action.what) &&
                   !std::holds_alternative<Reserve>(action.what) &&
                   !std::holds_alternative<Unreserve>(action.what);
          });
  if (moved) {
    quiet_heartbeats_ = quiet_wakes_ = 0;
  } else if (std::holds_alternative<Wake>(events.front().what)) {
    ++quiet_wakes_;
  }
}

void Simulation::end_if_over() {
  const std::vector<Job>& jobs = engine_.state().jobs();
  if (engine_.done()) {
    bool failed = std::any_of(jobs.begin(), jobs.end(),
                              [](const Job& job) { return job.state() != JobState::kCompleted; });
    return stop(failed ? RunStatus::kFailed : RunStatus::kDone, "all jobs have ended");
  }
  if (engine_.state().alive_nodes() == 0 && !faults_.awaits())
    return stop(RunStatus::kAborted, "every node was lost");
  std::int64_t enough = kQuietRounds * std::ssize(nodes_);
  if (quiet_heartbeats_ == 0 || quiet_heartbeats_ % enough != 0) return;
  if (!wakes_.empty() && quiet_wakes_ < kQuietWakes) return;
  if (!anything_goes_on()) stop(RunStatus::kAborted, stuck_reason());
}

bool Simulation::anything_goes_on() const {
  if (next_arrival_ < arrivals_.size() || next_load_ < loads_.size() || !deliveries_.empty() ||
      !reports_.empty() || faults_.next_time() || any_settling())
    return true;
  const auto& containers = engine_.state().containers();
  return std::any_of(containers.begin(), containers.end(), [&](const Container& container) {
    PhaseId phase = container.task.phase;
    // An application master goes on for ever.
    if (scenario_.jobs[phase.job.value].phases[phase.phase].kind == PhaseKind::kAm) return false;
    return !nodes_[container.node.value].worker.at_rest(container.id);
  });
}

std::string Simulation::stuck_reason() const {
  std::vector<std::string> names;
  std::size_t stuck = 0;
  for (const Job& job : engine_.state().jobs())
    if (!job.finished() && ++stuck <= kNamedJobs) names.push_back(job.spec().name);
  if (stuck > kNamedJobs) names.push_back(std::to_string(stuck - kNamedJobs) + " more");
  return "nothing can happen any more: no task runs and no heartbeat led to anything; not "
         "finished: " +
         join(names);
}

}  // namespace heddle
