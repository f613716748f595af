#include "report/run_totals.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/scenario/faults.h"
#include "wire/values.h"
#include "yaml/limits.h"

namespace heddle::report {
namespace {

using wire::BadField;
using wire::Fields;
using wire::Json;
using wire::kMaxSeconds;

/// The notes of policies that affect a summary.
constexpr std::string_view kJobNote = "dress.job", kPredictionNote = "reduce.prediction",
                           kReleasedNote = "placement.released", kReleaseNote = "dress.release",
                           kOwnRulesNote = "external.own_rules",
                           kPromiseNote = "conservative.promise";
constexpr std::string_view kNotes[] = {kJobNote,     kPredictionNote, kReleasedNote,
                                       kReleaseNote, kOwnRulesNote,   kPromiseNote};

Amount& operator+=(Amount& a, const Amount& b) {
  a.core_s += b.core_s;
  a.byte_s += b.byte_s;
  a.counted_s.resize(std::max(a.counted_s.size(), b.counted_s.size()));
  for (std::size_t i = 0; i < b.counted_s.size(); ++i) a.counted_s[i] += b.counted_s[i];
  return a;
}

Amount operator*(const Resources& held, EmuTime span) {
  Amount amount{static_cast<double>(held.cores.count()) / 1e3 * to_seconds(span),
                static_cast<double>(held.memory.count()) * to_seconds(span)};
  if (held.counts.none()) return amount;
  for (std::size_t i = 0; i < Counts::kMost; ++i)
    amount.counted_s.push_back(static_cast<double>(held.counts[i].count()) / 1e3 *
                               to_seconds(span));
  return amount;
}

/// Returns the note as it is in a journal.
Json record_of(const PolicyNote& note, EmuTime at) {
  wire::JsonText text;
  text.open('{');
  put(text, note);
  text.field("t", at).close('}');
  return wire::parse_json(text.take());
}

std::vector<double> shares_from(const Fields& fields, const char* key) {
  std::vector<double> shares;
  for (const wire::Json& item : fields.array(key, 1'000'000)) {
    if (!item.is_number()) fields.bad(key, "numbers");
    shares.push_back(item.get<double>());
  }
  return shares;
}

PlacesReleased released_from(const Fields& fields) {
  PlacesReleased released{wire::time_field(fields, "at"), {}};
  for (const wire::Json& item : fields.array("containers", 1'000'000)) {
    if (!item.is_number_integer()) fields.bad("containers", "numbers of containers");
    released.containers.push_back(ContainerId{item.get<std::int64_t>()});
  }
  return released;
}

/// Returns the run record without its jobs and nodes, which the scenario has too.
Json without_lists(const Json& run_record) {
  Json run = Json::object();
  for (const auto& [key, value] : run_record.items())
    if (key != "jobs" && key != "nodes") run[key] = value;
  return run;
}

/// Returns whether a fault stops transfers of data, which the times of transfers do not show.
bool stops_data(FaultKind kind) {
  return kind == FaultKind::kKillWorker || kind == FaultKind::kFreezeWorker ||
         kind == FaultKind::kPartition || kind == FaultKind::kFullDisk;
}

}  // namespace

RunTotals::RunTotals(const Scenario& scenario, RunRows* rows, bool counted)
    : reservations(rows),
      fragmentation(scenario, rows),
      times(scenario),
      scenario_(scenario),
      rows_(rows),
      counted_(counted),
      jobs_(scenario.jobs.size()) {}

std::optional<EmuTime> RunTotals::Attempt::suspended_since() const {
  if (row.suspended.empty() || row.suspended.back().until) return std::nullopt;
  return row.suspended.back().from;
}

Result<void> RunTotals::add(const wire::Json& record) {
  try {
    Fields fields(record, "record");
    std::string type = fields.text("type");
    if (type == "run") run = without_lists(record);
    if (type == "end") end = record;
    if (type == "workers") workers(fields);
    if (type == "host") host = record;
    if (fields.has("t")) last = std::max(last, emu_seconds(fields.number("t", 0, kMaxSeconds)));
    if (type == "job_finished") job_finished(fields);
    if (type == "released") release(released_from(fields));
    if (type == "resumed") run_resumed(fields);
    if (type == "policy_state") policy_state(fields);
    auto parsed = wire::from_json(record);
    if (!parsed) return std::move(parsed).error();
    if (const auto* event = std::get_if<Event>(&*parsed))
      take(*event, fields.has("kept") && fields.flag("kept"));
    if (const auto* action = std::get_if<Action>(&*parsed))
      take(*action, emu_seconds(fields.number("t", 0, kMaxSeconds)));
    real_times(fields);
    if (rows_) give_line(record, type);
    if (type == "fault" && stops_data(scenario_.faults[fault_of(fields)].kind))
      times.lose_transfers();
    if (rows_ && type == "fault") give_fault(fields);
    if (rows_ && type == "resumed")
      rows_->resumptions.push_back(
          {wire::time_field(fields, "t"), fields.number("downtime_s", 0, kMaxSeconds)});
  } catch (const BadField& bad) {
    return aborted_error(bad.text);
  }
  return {};
}

Result<void> RunTotals::add_step(EmuTime now, std::span<const Event> events, const Step& step) {
  assert(!rows_ || !rows_->keep_decisions);
  try {
    for (const Event& event : events) {
      if (std::holds_alternative<NodeHeartbeat>(event.what)) continue;
      last = std::max(last, event.at);
      const auto* ended = std::get_if<ContainerEnded>(&event.what);
      take(event, ended && std::ranges::count(step.kept, ended->container) > 0);
    }
    for (const PlacesReleased& released : step.released) release(released);
    if (!step.released.empty() || !step.actions.empty() || !step.notes.empty() ||
        !step.finished.empty())
      last = std::max(last, now);
    for (const Action& action : step.actions) take(action, now);
    for (const PolicyNote& note : step.notes) {
      const bool counts = std::ranges::count(kNotes, note.about) > 0;
      const bool is_thinned = rows_ && rows_->thin_states;
      if (!counts && !is_thinned) continue;
      const Json record = record_of(note, now);
      if (counts) policy_state(Fields(record, "record"));
      if (is_thinned) rows_->state_series.add(scenario_, now, note.about, record);
    }
    for (const JobFinished& job : step.finished)
      finish_job(job.job, wire::name_of(job.state), job.reason, now);
  } catch (const BadField& bad) {
    return aborted_error(bad.text);
  }
  return {};
}

void RunTotals::take(const Event& event, bool kept) {
  if (const auto* ended = std::get_if<ContainerEnded>(&event.what))
    end_attempt(*ended, event.at, kept);
  else
    std::visit([&](const auto& what) { on(what, event.at); }, event.what);
}

std::int64_t RunTotals::killed_by(const Action& action) {
  if (const auto* kill = std::get_if<Kill>(&action.what)) {
    const Attempt* attempt = alive(kill->container);
    return attempt ? attempt->count : 1;
  }
  const auto* kill = std::get_if<KillJob>(&action.what);
  if (!kill) return 0;
  std::int64_t killed = 0;
  for (const auto& [id, attempt] : alive_)
    if (attempt.row.phase.job == kill->job) killed += attempt.count;
  return killed;
}

void RunTotals::take(const Action& action, EmuTime at) {
  std::visit([&](const auto& what) { on(what, at); }, action.what);
  if (const auto* launch = std::get_if<Launch>(&action.what); launch && rows_)
    alive(launch->container)->row.reason = action.reason;
  if (action.reason.starts_with("preempted")) preemptions += killed_by(action);
  // A reservation that moves to another node is not counted again.
  if (const auto* reserve = std::get_if<Reserve>(&action.what);
      reserve && action.reason.starts_with("moved from"))
    reservations.moved(reserve->node);
}

JobOutcome& RunTotals::job(JobId id) {
  if (id.value < 0 || id.value >= std::ssize(jobs_))
    throw BadField{"job " + std::to_string(id.value) + " is not in the scenario"};
  return jobs_[id.value];
}

const PhaseSpec& RunTotals::phase(PhaseId id) const {
  const std::vector<PhaseSpec>& phases = scenario_.jobs[id.job.value].phases;
  if (id.phase < 0 || id.phase >= std::ssize(phases))
    throw BadField{"job " + std::to_string(id.job.value) + " has no phase " +
                   std::to_string(id.phase)};
  return phases[id.phase];
}

void RunTotals::check(NodeId id) const {
  if (id.value < 0 || id.value >= std::ssize(scenario_.cluster.nodes))
    throw BadField{"node " + std::to_string(id.value) + " is not in the scenario"};
}

RunTotals::Attempt* RunTotals::alive(ContainerId id) {
  if (id > newest_) throw BadField{"container " + std::to_string(id.value) + " was not launched"};
  auto it = alive_.find(id);
  return it == alive_.end() ? nullptr : &it->second;
}

std::vector<const RunTotals::Attempt*> RunTotals::all_alive() const {
  std::vector<const Attempt*> all;
  for (const auto& [id, attempt] : alive_) all.push_back(&attempt);
  std::ranges::sort(all, {}, [](const Attempt* attempt) { return attempt->row.container; });
  return all;
}

void RunTotals::real_times(const Fields& record) {
  const auto row = [&]() -> AttemptRow* {
    Attempt* attempt = alive(ContainerId{record.integer("container", 0, INT64_MAX)});
    return attempt ? &attempt->row : nullptr;
  };
  if (record.has("launch_ms")) {
    launch_ms.push_back(record.number("launch_ms", -1e12, 1e12));
    if (AttemptRow* of = row()) of->launch_ms = launch_ms.back();
  }
  if (record.has("stop_ms")) {
    stop_ms.push_back(record.number("stop_ms", -1e12, 1e12));
    if (AttemptRow* of = row()) of->stop_ms.push_back(stop_ms.back());
  }
}

void RunTotals::give_line(const wire::Json& record, const std::string& type) {
  static const std::set<std::string> decisions = {"launch",  "reserve",     "unreserve",
                                                  "suspend", "resume",      "action_refused",
                                                  "kill",    "job_finished"};
  const bool state = type == "policy_state";
  if (!state && !decisions.contains(type)) return;
  const Fields fields(record, "record");
  const EmuTime at = emu_seconds(fields.number("t", 0, kMaxSeconds));
  if (state) {
    const std::string about = fields.text("about");
    if (rows_->keep_decisions) rows_->states.push_back({at, about, record});
    if (rows_->thin_states) rows_->state_series.add(scenario_, at, about, record);
  } else {
    const std::int64_t step = fields.integer("step", 0, INT64_MAX);
    if (rows_->keep_decisions) rows_->decisions.push_back({at, step, record});
  }
}

std::size_t RunTotals::fault_of(const Fields& record) const {
  return static_cast<std::size_t>(record.integer("fault", 0, std::ssize(scenario_.faults) - 1));
}

void RunTotals::give_fault(const Fields& record) {
  FaultRow row;
  row.number = static_cast<int>(fault_of(record));
  if (record.has("node"))
    row.node = NodeId{record.integer("node", 0, std::ssize(scenario_.cluster.nodes) - 1)};
  const EmuTime at = wire::time_field(record, "t");
  if (record.has("ends") && record.flag("ends")) {
    const auto begun =
        std::find_if(rows_->faults.rbegin(), rows_->faults.rend(), [&](const FaultRow& of) {
          return of.number == row.number && of.node == row.node && !of.span.until;
        });
    if (begun != rows_->faults.rend()) begun->span.until = at;
    return;
  }
  const FaultSpec& fault = scenario_.faults[row.number];
  row.kind = fault.kind;
  row.span.from = at;
  // No record says when a fault of a worker or the master ends, so the scenario's duration is used.
  if (!changes_conditions(fault.kind)) row.span.until = at + fault.lasts.value_or(EmuTime(0));
  rows_->faults.push_back(row);
}

void RunTotals::on(const NodeRegistered& event, EmuTime at) {
  check(event.node);
  away_.erase(event.node);
  fragmentation.usable(event.node, true, at);
  if (rows_) rows_->nodes.push_back({at, event.node, "registered", "", {}});
}

void RunTotals::on(const NodeLost& event, EmuTime at) {
  check(event.node);
  reservations.end(event.node, at);
  fragmentation.usable(event.node, false, at);
  times.lose_transfers();
  if (const auto [it, left] = away_.try_emplace(event.node, lost_nodes.size()); left)
    lost_nodes.push_back({{"node", scenario_.cluster.nodes[event.node.value].name},
                          {"at_s", to_seconds(at)},
                          {"reason", event.reason}});
  else
    lost_nodes[it->second]["given_up_s"] = to_seconds(at);
  if (rows_) rows_->nodes.push_back({at, event.node, "lost", event.reason, {}});
}

void RunTotals::on(const NodeDrained& event, EmuTime at) {
  check(event.node);
  reservations.end(event.node, at);
  fragmentation.usable(event.node, false, at);
  if (rows_) rows_->nodes.push_back({at, event.node, "drained", event.reason, {}});
}

void RunTotals::on(const NodeRestored& event, EmuTime at) {
  check(event.node);
  fragmentation.usable(event.node, true, at);
  if (rows_) rows_->nodes.push_back({at, event.node, "restored", "", {}});
}

void RunTotals::on(const ExternalLoad& event, EmuTime at) {
  check(event.node);
  if (rows_) rows_->nodes.push_back({at, event.node, "load", "", event.load});
}

void RunTotals::on(const InputsRead& event, EmuTime at) {
  // Each part of an executor reports that its inputs were read. Only the first report counts.
  Attempt* attempt = alive(event.container);
  if (attempt && !attempt->row.begun) attempt->row.begun = at;
}

void RunTotals::on(const ContainerStarted& event, EmuTime at) {
  Attempt* attempt = alive(event.container);
  if (!attempt || attempt->row.started) return;
  attempt->row.started = at;
  if (attempt->am) return;
  started += attempt->count;
  JobOutcome& outcome = job(attempt->row.phase.job);
  outcome.start = std::min(outcome.start.value_or(at), at);
}

void RunTotals::on(const ContainerSuspended& event, EmuTime at) {
  Attempt* attempt = alive(event.container);
  if (!attempt || attempt->suspended_since()) return;
  attempt->row.suspended.push_back({at, std::nullopt});
  ++suspensions;
}

void RunTotals::on(const ContainerResumed& event, EmuTime at) {
  if (Attempt* attempt = alive(event.container)) resume(*attempt, at);
}

void RunTotals::resume(Attempt& attempt, EmuTime at) {
  const std::optional<EmuTime> since = attempt.suspended_since();
  if (!since) return;
  attempt.suspended += at - *since;
  attempt.row.suspended.back().until = at;
}

void RunTotals::end_attempt(const ContainerEnded& event, EmuTime at, bool kept) {
  Attempt* attempt = alive(event.container);
  if (!attempt) return;
  resume(*attempt, at);
  suspended_ += attempt->suspended;
  JobOutcome& outcome = job(attempt->row.phase.job);
  if (event.outcome == Outcome::kLost) ++lost;
  if (event.outcome == Outcome::kNotStarted) {
    ++not_started;
    --(attempt->am ? outcome.am_attempts : outcome.attempts);
    if (!attempt->am) --attempts;
    // If a command's start fails, its supervisor can have reported the start before.
    if (!attempt->am && attempt->row.started) --started;
  }
  if (event.outcome == Outcome::kOomKilled) {
    ++oom_kills[event.oom];
    ++outcome.oom_kills;
    if (!attempt->am) ++crashed;
  }
  if (event.outcome != Outcome::kCompleted)
    placed_[attempt->row.phase] -= attempt->count;
  else if (!attempt->am)
    complete_task(*attempt, outcome, at);
  host_lost += event.usage.host_lost;
  memory.add(event);
  const Amount use{to_core_seconds(event.usage.cpu), event.usage.memory_byte_seconds};
  // Only a simulation knows what lost attempts used. These totals are compared with real runs.
  if (event.outcome != Outcome::kLost) {
    used += use;
    outcome.used_core_s += use.core_s;
  }
  // The application master is killed when its job is over. This is not a failure.
  if (event.outcome != Outcome::kCompleted && event.outcome != Outcome::kNotStarted &&
      !attempt->am) {
    unfinished += attempt->count;
    failed += event.outcome == Outcome::kFailed;
    // A simulation knows what lost attempts used.
    unmeasured += event.outcome == Outcome::kLost && event.usage == AttemptUsage();
    wasted += use;
    wasted_held += held(*attempt, attempt->row.allocated, at);
  }
  measure(*attempt, event, at);
  measure_times(*attempt, event);
  predictions.ended(event.container, event.outcome == Outcome::kCompleted,
                    scenario_.jobs[attempt->row.phase.job.value].name, at);
  attempt->row.ended = at;
  if (rows_) attempt->row.end = event;
  attempt->row.kept = kept;
  Attempt gone = std::move(*attempt);
  alive_.erase(event.container);
  if (kept)
    kept_.emplace(event.container, std::move(gone));
  else
    vacate(std::move(gone), at);
}

void RunTotals::complete_task(const Attempt& attempt, JobOutcome& outcome, EmuTime at) {
  outcome.last_end = std::max(outcome.last_end.value_or(at), at);
  Completed& kind = completed[phase(attempt.row.phase).kind];
  kind.count += attempt.count;
  kind.took += (at - attempt.row.started.value_or(attempt.row.allocated)) * attempt.count;
  kind.last_end = std::max(kind.last_end, at);
}

void RunTotals::release(const PlacesReleased& released) {
  for (ContainerId id : released.containers) {
    auto kept = kept_.extract(id);
    if (!kept) continue;
    kept.mapped().row.released = released.at;
    vacate(std::move(kept.mapped()), released.at);
  }
}

void RunTotals::vacate(Attempt attempt, EmuTime at) {
  fragmentation.gave_back(attempt.row.node, attempt.row.held, at);
  const Amount amount = held(attempt, attempt.row.allocated, at);
  allocated_ += amount;
  job(attempt.row.phase.job).held_core_s += amount.core_s;
  if (rows_) rows_->attempts.push_back(std::move(attempt.row));
}

void RunTotals::on(const Launch& action, EmuTime at) {
  check(action.node);
  if (action.container <= newest_)
    throw BadField{"container " + std::to_string(action.container.value) + " is launched twice"};
  JobOutcome& outcome = job(action.phase.job);
  const PhaseSpec& spec = phase(action.phase);
  const bool am = spec.kind == PhaseKind::kAm;
  const int count = counted_ ? spec.tasks : 1;
  (am ? outcome.am_attempts : outcome.attempts) += count;
  if (!am) attempts += count;
  newest_ = action.container;
  Attempt& attempt = alive_[newest_];
  attempt.count = count;
  attempt.am = am;
  attempt.more_than_work = !has_ideal_time(action.work);
  attempt.row.container = action.container;
  attempt.row.phase = action.phase;
  attempt.row.task = action.task;
  attempt.row.attempt = action.attempt;
  attempt.row.node = action.node;
  attempt.row.held = action.resources;
  attempt.row.locality = action.locality;
  attempt.row.awaits_inputs =
      action.work.waits || !action.work.reads.empty() || action.work.sources > 0;
  attempt.row.allocated = at;
  fragmentation.took(action.node, action.resources, at);
  if (spec.kind != PhaseKind::kExecutor) launches[action.locality] += count;
  framework_launches[scenario_.jobs[action.phase.job.value].framework][action.locality] += count;
  reservations.end(action.node, action.phase, at);
  // A reservation ends without a record if its phase needs no more containers.
  if ((placed_[action.phase] += count) >= spec.tasks)
    reservations.end_all(action.phase, {action.phase.job, action.phase.phase + 1}, at);
}

void RunTotals::on(const InputsReady& action, EmuTime at) {
  Attempt* attempt = alive(action.container);
  if (attempt && !attempt->row.inputs) attempt->row.inputs = at;
}

void RunTotals::on(const Reserve& action, EmuTime at) {
  check(action.node);
  (void)job(action.phase.job);
  (void)phase(action.phase);
  reservations.begin(action.node, action.phase, at);
}

void RunTotals::on(const Unreserve& action, EmuTime at) {
  check(action.node);
  (void)job(action.phase.job);
  (void)phase(action.phase);
  reservations.end(action.node, at);
}

void RunTotals::measure(const Attempt& attempt, const ContainerEnded& event, EmuTime at) {
  if (!attempt.row.started || event.outcome == Outcome::kLost) return;
  EmuTime span = at - *attempt.row.started;
  Amount requested = held(attempt, *attempt.row.started, at);
  // A core of a node of half speed does half a core-second of work per second.
  requested.core_s *= scenario_.cluster.nodes[attempt.row.node.value].speed;
  const JobSpec& spec = scenario_.jobs[attempt.row.phase.job.value];
  efficiency.add(spec.name, spec.user,
                 {to_core_seconds(event.usage.cpu), requested.core_s,
                  event.usage.memory_byte_seconds, requested.byte_s});
  bool undisturbed = !event.usage.contended && !attempt.more_than_work && !attempt.time_stood &&
                     attempt.suspended == EmuTime(0);
  if (event.outcome == Outcome::kCompleted && undisturbed && event.usage.ideal > EmuTime(0))
    errors.push_back(std::abs(to_seconds(span) / to_seconds(event.usage.ideal) - 1));
}

void RunTotals::measure_times(const Attempt& attempt, const ContainerEnded& event) {
  if (event.outcome == Outcome::kLost && attempt.more_than_work) times.lose_transfers();
  for (const TransferTime& transfer : event.usage.transfers)
    for (NodeId node : transfer.nodes) check(node);
  if (attempt.row.started)
    times.add(attempt.row.node, *attempt.row.started, event,
              event.outcome == Outcome::kCompleted && !attempt.time_stood);
}

wire::Json RunTotals::transfers_json() const {
  const bool going_on = std::any_of(alive_.begin(), alive_.end(),
                                    [](const auto& alive) { return alive.second.more_than_work; });
  return going_on ? wire::Json() : times.transfers_json();
}

void RunTotals::workers(const Fields& record) {
  hosts = Json::array();
  for (const Json& row : record.array("nodes", kMaxNodes)) {
    const Fields fields(row, "record.nodes");
    const NodeId node{fields.integer("node", 0, std::ssize(scenario_.cluster.nodes) - 1)};
    auto seconds = [&](const char* key) {
      const bool known = row.contains(key) && !row.at(key).is_null();
      return known ? Json(fields.number(key, -kMaxSeconds, kMaxSeconds)) : Json();
    };
    hosts.push_back({{"node", scenario_.cluster.nodes[node.value].name},
                     {"host", fields.text("host")},
                     {"clock_offset_s", seconds("clock_offset_s")},
                     {"clock_uncertainty_s", seconds("clock_uncertainty_s")}});
  }
}

void RunTotals::run_resumed(const Fields& record) {
  ++resumed;
  downtime_s += record.number("downtime_s", 0, kMaxSeconds);
  end.reset();  // belongs to the master before the resumption
  for (auto& [id, attempt] : alive_) attempt.time_stood = true;
  times.lose_transfers();
}

void RunTotals::job_finished(const Fields& record) {
  const std::string state = record.text("state");
  finish_job(JobId{record.integer("job", 0, INT64_MAX)}, state,
             state == "completed" ? "" : record.text("reason"), wire::time_field(record, "t"));
}

void RunTotals::finish_job(JobId id, std::string_view state, const std::string& reason,
                           EmuTime at) {
  JobOutcome& outcome = job(id);
  outcome.final_state = state;
  if (state != "completed") outcome.reason = reason;
  walltime_kills += state == wire::name_of(JobState::kKilled) && reason.starts_with(kWalltimeOver);
  outcome.finished = at;
  reservations.end_all({id, 0}, {JobId{id.value + 1}, 0}, at);
}

void RunTotals::policy_state(const Fields& record) {
  const std::string about = record.text("about");
  if (about == kJobNote) {
    const std::int64_t of = record.integer("of", 2, 1'000'000);
    const std::int64_t category = record.integer("category", 0, of - 1);
    job(JobId{record.integer("job", 0, INT64_MAX)}).size =
        category == 0        ? "small"
        : category == of - 1 ? "large"
                             : "medium" + (of > 3 ? "-" + std::to_string(category) : "");
  }
  if (about == kPromiseNote) {
    std::optional<EmuTime>& promised = job(JobId{record.integer("job", 0, INT64_MAX)}).promised;
    if (!promised) promised = emu_seconds(record.number("start_s", 0, kMaxSeconds));
  }
  if (about == kPredictionNote) predictions.told(record);
  if (about == kOwnRulesNote) own_rules.insert(record.text("option"));
  // A reservation ends without an action if fewer executors are needed than before.
  if (about == kReleasedNote) {
    const NodeId node{record.integer("node", 0, INT64_MAX)};
    const PhaseId phase{JobId{record.integer("job", 0, INT64_MAX)},
                        static_cast<int>(record.integer("phase", 0, INT32_MAX))};
    reservations.end(node, phase, last);
  }
  if (about == kReleaseNote) {
    heddle::Forecast forecast;
    forecast.predicted = shares_from(record, "predicted");
    forecast.actual = shares_from(record, "actual");
    if (forecast.predicted.size() != forecast.actual.size())
      record.bad("actual", "as many numbers as predicted");
    releases.add(forecast);
  }
}

Amount RunTotals::held(const Attempt& attempt, EmuTime from, EmuTime until) {
  EmuTime stopped = attempt.suspended;
  if (const auto since = attempt.suspended_since()) stopped += until - *since;
  Amount amount = attempt.row.held * (until - from);
  amount.core_s -= (attempt.row.held * stopped).core_s;
  return amount;
}

void RunTotals::finish() {
  if (!rows_) return;
  for (FaultRow& row : rows_->faults)
    if (row.span.until > last) row.span.until.reset();
  for (const Attempt* attempt : all_alive()) rows_->attempts.push_back(attempt->row);
  for (const auto& [id, attempt] : kept_) rows_->attempts.push_back(attempt.row);
  reservations.finish();
}

Amount RunTotals::allocated(EmuTime until) const {
  Amount sum = allocated_;
  for (const Attempt* attempt : all_alive()) sum += held(*attempt, attempt->row.allocated, until);
  for (const auto& [id, attempt] : kept_) sum += held(attempt, attempt.row.allocated, until);
  return sum;
}

EmuTime RunTotals::suspended(EmuTime until) const {
  EmuTime sum = suspended_;
  for (const auto& [id, attempt] : alive_) {
    sum += attempt.suspended;
    if (const auto since = attempt.suspended_since()) sum += until - *since;
  }
  return sum;
}

}  // namespace heddle::report
