// Returns a scenario that replays the output of `heddle trace` (docs/how-to/traces.md). In the
// scenario, jobs are submitted at the same times as in the trace. Each task takes as long and uses
// as much over time.

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "core/scenario/advance_reservations.h"
#include "report/journal_reader.h"
#include "trace/import/collection.h"
#include "trace/import/replay_task.h"
#include "trace/import/trace_lines.h"

namespace heddle::trace {
namespace {

using wire::BadField;
using wire::Json;

constexpr Repair kCutOff{"cut_off", "the last line is cut off: left out"};

/// Returns `count` nodes with unique names. The nodes of the trace are repeated in order.
std::vector<NodeSpec> in_turn(const std::vector<NodeSpec>& nodes, int count) {
  std::vector<NodeSpec> all;
  UniqueNames names;
  for (std::size_t i = 0; std::ssize(all) < count; ++i) {
    all.push_back(nodes[i % nodes.size()]);
    all.back().name = names.of(all.back().name);
  }
  return all;
}

void change(const ImportOptions& options, Scenario& scenario) {
  if (options.nodes) {
    scenario.cluster.nodes = in_turn(scenario.cluster.nodes, *options.nodes);
    scenario.external_load.clear();  // refers to nodes that no longer exist
    scenario.partitions.clear();
    scenario.reservations.clear();
    for (JobSpec& job : scenario.jobs) job.partition.clear();
  }
  if (options.time_scale) scenario.emulation.time_scale = options.time_scale;
  const std::string behind = "-replay";
  scenario.name = !options.name.empty()
                      ? options.name
                      : scenario.name.substr(0, kLongestName - behind.size()) + behind;
}

/// Returns whether `a` is the better attempt to replay. A completed attempt is better than one that
/// did not complete. Otherwise, the longer attempt is better.
bool better(const TraceAttempt& a, const TraceAttempt& b) {
  return std::pair(a.completed, a.end) > std::pair(b.completed, b.end);
}

/// The text of a trace, for readers of streams.
class Blocks : public std::streambuf {
 public:
  explicit Blocks(Input& input) : input_(input) {}

 protected:
  int_type underflow() override {
    const auto more = input_.block();
    if (!more) return traits_type::eof();
    text_ = *more;
    setg(text_.data(), text_.data(), text_.data() + text_.size());
    return traits_type::to_int_type(text_[0]);
  }

 private:
  Input& input_;
  std::string text_;
};

/// Makes jobs from traced jobs. If no task of a traced job ran, the job is left out.
class Replayer {
 public:
  Replayer(const std::vector<NodeSpec>& nodes, CpuLimit limit) : limit_(limit) {
    for (const NodeSpec& node : nodes) speeds_[node.name] = node.speed;
  }

  std::optional<JobSpec> replay(const TraceJob& traced) {
    pick(traced);
    JobSpec job = traced.spec;
    job.framework = Framework::kMapReduce;
    job.phases.clear();
    /// Index of each traced phase in the new job; -1: the phase is left out.
    std::vector<int> index;
    for (std::size_t i = 0; i < traced.spec.phases.size(); ++i)
      index.push_back(add_phase(traced.spec.phases[i], static_cast<int>(i), job));
    for (PhaseSpec& phase : job.phases) {
      std::erase_if(phase.after, [&](int before) { return index[before] < 0; });
      for (int& before : phase.after) before = index[before];
    }
    warn(traced.spec.name);
    const std::size_t own = job.phases.size() - (job.has_am() ? 1 : 0);
    return own > 0 ? std::optional(std::move(job)) : std::nullopt;
  }

  std::vector<std::string> warnings;

 private:
  /// The attempt of a task that is replayed, and when the task was first launched.
  struct Picked {
    const TraceAttempt* attempt = nullptr;
    std::int64_t first = 0;
  };

  void pick(const TraceJob& traced) {
    picked_.clear();
    incomplete_ = absent_ = 0;
    for (const TraceAttempt& attempt : traced.attempts) {
      Picked& task = picked_[{attempt.phase, attempt.task}];
      const bool known = task.attempt != nullptr;
      task.first = known ? std::min(task.first, attempt.container) : attempt.container;
      if (!known || better(attempt, *task.attempt)) task.attempt = &attempt;
    }
  }

  /// Adds the phase, whose `after` still has the indices of the trace. Returns its index, or -1.
  int add_phase(const PhaseSpec& traced, int number, JobSpec& job) {
    PhaseSpec phase = traced;
    const bool am = traced.kind == PhaseKind::kAm;
    if (!am) {
      if (phase.kind != PhaseKind::kReduce) phase.kind = PhaseKind::kMap;
      add_tasks(traced, number, phase);
      if (phase.each.empty()) return -1;
      phase.tasks = static_cast<int>(phase.each.size());
    }
    job.phases.push_back(std::move(phase));
    return static_cast<int>(job.phases.size()) - 1;
  }

  /// Adds the tasks in the order of their first launches. In the traced run, this order can have
  /// depended on the location of the tasks' data. The replay does not know this location.
  void add_tasks(const PhaseSpec& traced, int number, PhaseSpec& phase) {
    std::vector<Picked> tasks;
    for (auto it = picked_.lower_bound({number, 0});
         it != picked_.end() && it->first < std::pair(number, traced.tasks); ++it)
      tasks.push_back(it->second);
    absent_ += traced.tasks - static_cast<int>(tasks.size());
    std::ranges::stable_sort(tasks, {}, &Picked::first);
    for (const Picked& task : tasks) phase.each.push_back(replayed(*task.attempt, traced.request));
  }

  TaskSpec replayed(const TraceAttempt& attempt, const Resources& request) {
    if (!attempt.completed) ++incomplete_;
    auto speed = speeds_.find(attempt.node);
    if (speed == speeds_.end())
      throw BadField{"job.containers: node " + attempt.node + " is not in the trace's first line"};
    return replay_task(attempt, request, speed->second, limit_);
  }

  void warn(const std::string& job) {
    if (incomplete_ > 0)
      warnings.push_back("job " + job + ": " + counted(incomplete_, "task") +
                         " never completed; the longest attempt is used for each");
    if (absent_ > 0)
      warnings.push_back("job " + job + ": " + counted(absent_, "task") + " never ran and " +
                         (absent_ == 1 ? "is" : "are") + " left out");
  }

  CpuLimit limit_;
  std::map<std::string, double> speeds_;
  std::map<std::pair<int, int>, Picked> picked_;  ///< by phase and task
  std::int64_t incomplete_ = 0, absent_ = 0;
};

/// Returns the next line of a trace, or nullopt at the end.
std::optional<Json> next(report::JournalReader& lines) {
  Result<std::optional<Json>> line = lines.next();
  if (!line) throw BadTrace{line.error().text, true};
  return *std::move(line);
}

/// Sets the conditions of jobs on each other. Those on jobs that are left out are left out too.
void set_conditions(const std::map<std::int64_t, std::vector<WrittenCondition>>& after,
                    std::vector<JobSpec>& jobs, std::vector<std::string>& warnings) {
  std::set<std::string> names;
  for (const JobSpec& job : jobs) names.insert(job.name);
  Conditions conditions;
  std::size_t index = 0;
  const auto wrong = [](const std::string& text) { throw BadField{"after_jobs: " + text}; };
  for (const auto& [id, some] : after) {
    for (const WrittenCondition& one : some)
      if (names.contains(one.job))
        conditions.add(index, index + 1, one, wrong);
      else
        warnings.push_back("job " + jobs[index].name + " does not wait for " + one.job +
                           ", which is left out");
    ++index;
  }
  conditions.resolve(jobs);
}

/// Leaves names of jobs that are left out also out of reservations.
void drop_unknown_jobs(Scenario& scenario) {
  for (ReservationSpec& reservation : scenario.reservations) {
    if (reservation.jobs.empty()) continue;
    std::erase_if(reservation.jobs, [&](const std::string& name) {
      return std::ranges::none_of(scenario.jobs,
                                  [&](const JobSpec& job) { return means_job(name, job.name); });
    });
    if (!reservation.jobs.empty()) continue;
    reservation.users.clear();  // no job is left that can use it
    reservation.accounts.clear();
    reservation.maintenance = true;
  }
}

/// Returns the jobs by their ids, because the trace lists them in the order of their ends.
std::map<std::int64_t, JobSpec> read_jobs(
    report::JournalReader& lines, Replayer& replayer, const CountNames& counted,
    std::map<std::int64_t, std::vector<WrittenCondition>>& after) {
  std::map<std::int64_t, JobSpec> jobs;
  std::set<std::int64_t> seen;
  while (const std::optional<Json> line = next(lines)) {
    const TraceJob traced = read_trace_job(*line, counted);
    if (!seen.insert(traced.id).second)
      throw BadField{"job.id: " + std::to_string(traced.id) + " occurs twice"};
    if (seen.size() > kMostImportedJobs)
      throw BadField{"more than " + std::to_string(kMostImportedJobs) + " jobs"};
    if (std::optional<JobSpec> job = replayer.replay(traced)) {
      jobs.emplace(traced.id, *std::move(job));
      after.emplace(traced.id, traced.after);
    } else {
      replayer.warnings.push_back("job " + traced.spec.name +
                                  " is left out, because none of its tasks ran");
    }
  }
  return jobs;
}

Imported import_heddle_trace(std::vector<Input>& files, const ImportOptions& options,
                             JobCollection&, ImportReport& report) {
  if (files.size() > 1) throw BadTrace{"more than one file; expected one trace of heddle trace"};
  const std::string& name = files.front().name();
  Blocks blocks(files.front());
  report::JournalReader lines(std::make_unique<std::istream>(&blocks), name);
  try {
    const std::optional<Json> first = next(lines);
    if (!first)
      throw BadTrace{name + ": has no complete line; expected a trace as heddle trace writes it",
                     true};
    Scenario scenario;
    read_trace_header(*first, scenario);
    Replayer replayer(scenario.cluster.nodes, scenario.emulation.cpu_limit);
    std::map<std::int64_t, std::vector<WrittenCondition>> after;
    for (auto& [id, job] : read_jobs(lines, replayer, scenario.cluster.resources, after))
      scenario.jobs.push_back(std::move(job));
    set_conditions(after, scenario.jobs, replayer.warnings);
    drop_unknown_jobs(scenario);
    if (lines.cut()) report.repaired(kCutOff, lines.where());
    if (scenario.jobs.empty()) throw BadTrace{name + ": has no job of which a task ran", true};
    report.rows = std::ssize(scenario.jobs);
    change(options, scenario);
    return {std::move(scenario), std::move(replayer.warnings), {}};
  } catch (const BadField& bad) {
    throw BadTrace{lines.where() + ": " + bad.text, true};
  }
}

bool is_heddle_trace(std::string_view head) {
  return head.substr(0, head.find('\n')).find("\"heddle_trace\"") != std::string_view::npos;
}

}  // namespace

const FormatCode formats::heddle_trace{&is_heddle_trace, &import_heddle_trace, kUsersAndQueues};

}  // namespace heddle::trace
