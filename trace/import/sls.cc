// Reads the input of YARN's Scheduler Load Simulator (hadoop-tools/hadoop-sls): a sequence of JSON
// objects, one per job. An object with `num.nodes` describes the cluster.
//
// Tasks of one type with the same request and the same priority become a phase. Phases of reduces
// begin when the phases of maps are complete. Containers of application masters are left out.

#include <map>
#include <set>
#include <tuple>

#include "core/scenario/quantity_text.h"
#include "trace/import/gpus.h"
#include "trace/import/importer.h"

namespace heddle::trace {
namespace sls {
namespace {

using wire::Json;

constexpr double kMostMillis = 1e15;
/// Times from here on are counted from 1970 and not from the beginning of the trace.
constexpr double kEpochMillis = 1e11;
constexpr double kMostTasks = 1e6;  ///< of a phase
constexpr double kMostCount = 1e6;  ///< of job.count and count
/// Limit on the copies that count and job.count make of different tasks and of phases. A small file
/// could otherwise need any amount of memory.
constexpr double kMostCopies = 1e5;
constexpr double kMostClones = 1e7;  ///< jobs, also those that are not chosen
constexpr double kMostVcores = 1e6, kMostMib = 1e9, kMostPriority = 1e6;
// Defaults of SLS (SLSConfiguration).
constexpr double kDefaultPriority = 20;
const Resources kNode{Millicores(10'000), EmuBytes(10LL << 30)};
constexpr int kNodes = 10;  ///< if neither num.nodes nor hosts are given; SLS has no default

constexpr Repair kTooManyTasks{"too_many_tasks", "a phase has more than 1000000 tasks: left out"};
constexpr Repair kTooManyPhases{"too_many_phases", "has more than 10000 kinds of tasks: left out"};
constexpr Repair kReduceOnly{"reduce_only", "has reduces but no maps: they count as maps"};

// Generators of traces also write numbers as text.
constexpr Rule kNumber{.wrong = missing(kNoNumber)};
constexpr Rule kWhole{.whole = true, .wrong = missing(kNoNumber), .fraction = nearest(kFraction)};
constexpr Rule between(double least, double most, double unit) {
  return {.least = least,
          .most = most,
          .unit = unit,
          .wrong = missing(kNoNumber),
          .below = missing(kMissing),
          .above = missing(kMissing)};
}
constexpr Rule kCores = between(0.001, kMostVcores, 1), kMemory = between(1, kMostMib, 1 << 20);

struct JobRow {
  std::string id, user = "default", queue;
  std::optional<double> start;
  double count = 1, priority = 0;
};
constexpr Column<JobRow> kJobColumns[] = {
    column<&JobRow::id>("job.id", kWord),
    column<&JobRow::user>("job.user", kWord),
    column<&JobRow::queue>("job.queue.name", kWord),
    column<&JobRow::start>("job.start.ms", {.none = -1, .wrong = missing(kNoNumber)}),
    column<&JobRow::count>("job.count", kWhole),
    column<&JobRow::priority>("job.priority", kWhole)};

struct TaskRow {
  std::string type, host, execution;
  double count = 1, priority = kDefaultPriority, delay = 0;
  std::optional<double> duration, old_duration, start, end, cores, memory;
};
constexpr Column<TaskRow> kTaskColumns[] = {
    column<&TaskRow::count>("count", kWhole),
    column<&TaskRow::duration>("container.duration.ms", kNumber),
    column<&TaskRow::old_duration>("duration.ms", kNumber),
    column<&TaskRow::start>("container.start.ms", kNumber),
    column<&TaskRow::end>("container.end.ms", kNumber),
    column<&TaskRow::type>("container.type", kWord),
    column<&TaskRow::priority>("container.priority", kNumber),
    column<&TaskRow::cores>("container.vcores", kCores),
    column<&TaskRow::memory>("container.memory-mb", kMemory),
    column<&TaskRow::host>("container.host", kWord),
    column<&TaskRow::delay>("container.request.delay", kNumber),
    column<&TaskRow::execution>("container.execution.type", kWord)};

struct NodeRow {
  std::optional<double> cores, memory;
};
constexpr Column<NodeRow> kNodeColumns[] = {column<&NodeRow::cores>("vcores", kCores),
                                            column<&NodeRow::memory>("memory-mb", kMemory)};

struct ClusterRow {
  double nodes = 0;
};
constexpr Column<ClusterRow> kClusterColumns[] = {column<&ClusterRow::nodes>("num.nodes", kWhole)};

bool is_job(const Json& json) {
  return find(json, "job.tasks|am.type|yarn.sls.am.type|job.start.ms") != nullptr;
}
bool is_known(const Json& json) { return is_job(json) || find(json, "num.nodes|nodes") != nullptr; }

/// Returns cores and memory, with `missing` for what is not given.
Resources size_of(const auto& row, const Resources& missing) {
  return {row.cores ? Millicores(std::llround(*row.cores * 1e3)) : missing.cores,
          row.memory ? EmuBytes(std::llround(*row.memory)) : missing.memory};
}

/// Returns the GPUs of a node or a task. `key`: the name of YARN's resource type, after a prefix.
double gpus_of(const Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  if (found == json.end()) return 0;
  if (found->is_number()) return found->get<double>();
  return found->is_string() ? number(found->get_ref<const std::string&>()).value_or(-1) : -1;
}

struct Group {
  bool reduce = false;
  Resources request;
  double tasks = 0;
  std::vector<std::pair<double, double>> times;  ///< milliseconds, and the number of tasks
};

class Reader : public Importer {
 public:
  using Importer::Importer;

  Imported read() {
    read_objects(
        &is_known,
        "its first object is neither a job nor the cluster of SLS; expected JSON objects with "
        "job.tasks or num.nodes",
        [&](const Json& json) { read_object(json); });
    Imported imported = made(&task_frame, nodes());
    if (gpu_tasks_ > 0) {
      Gpus gpus;
      gpus.add_machines(rack_gpus_);
      gpus.give(imported.scenario.cluster, most_gpus_, counted(gpu_tasks_, "task"), report_);
    }
    state_choices();
    return imported;
  }

 private:
  void read_object(const Json& json) {
    if (find(json, "num.nodes")) read_cluster(read_json(json, kClusterColumns));
    // A rack of a file of nodes, which SLS calls the topology.
    for (const Json& node : elements(json, "nodes"))
      if (std::ssize(rack_nodes_) < kMostImportedNodes) {
        rack_nodes_.push_back(size_of(read_json(node, kNodeColumns), kNode));
        rack_gpus_.push_back(gpus_of(node, "yarn.io/gpu"));
      }
    if (is_job(json)) read_job(json);
  }

  void read_cluster(const ClusterRow& row) {
    if (row.nodes < 1) return repaired(kUnreadable);
    if (row.nodes > kMostImportedNodes && !options_.nodes)
      throw BadTrace{"num.nodes: expected 1 to " + std::to_string(kMostImportedNodes) +
                     ", here or as --nodes"};
    num_nodes_ = static_cast<int>(std::min(row.nodes, double{kMostImportedNodes}));
  }

  void read_job(const Json& json) {
    const std::vector<Group> groups = groups_of(json);
    if (groups.empty()) return repaired(kNoTask);
    if (groups.size() > kMostPhases) return repaired(kTooManyPhases);
    for (const Group& group : groups)
      if (group.tasks > kMostTasks) return repaired(kTooManyTasks);
    JobRow row = read_json(json, kJobColumns);
    if (!row.start) repaired(kMissing);
    const double submit = row.start.value_or(0);
    if (!(std::abs(submit) <= kMostMillis)) return repaired(kUnreadable);
    if (row.count < 1) return repaired(kNoTask);
    if (row.count > kMostCount) return repaired(kUnreadable);
    clones_ += row.count - 1;
    if (clones_ > kMostClones)
      throw BadTrace{"job.count makes more than 10000000 jobs; expected fewer"};
    if (!zero_) zero_ = std::abs(submit) >= kEpochMillis ? submit : 0;
    submitted(submit);
    if (row.id.empty())
      row.id = std::to_string(report_.rows);
    else if (!is_new(row.id))
      repaired(kSameId);
    add_jobs(row, groups, EmuTime(std::llround((submit - *zero_) * 1e3)));
  }

  /// Adds the job as often as job.count says.
  void add_jobs(const JobRow& row, const std::vector<Group>& groups, EmuTime submit) {
    std::optional<JobSpec> first;
    double size = 0;  // number of phases and of tasks that differ
    std::int64_t added = 0;
    for (int i = 0; i < static_cast<int>(row.count); ++i) {
      const std::string id = row.count == 1 ? row.id : row.id + "-" + std::to_string(i + 1);
      if (!jobs_.takes(id, submit, row.user, row.queue)) continue;
      // Copies have the same submission, so later ones are not among the first jobs.
      if (options_.jobs && added++ >= *options_.jobs) continue;
      if (!first) {
        first = job_of(row, groups);
        first->submit = submit;
        for (const PhaseSpec& phase : first->phases)
          size += 1 + static_cast<double>(phase.each.size());
      } else {
        copy(size);
      }
      jobs_.add(id, row.user, row.queue, *first);
    }
  }

  void copy(double pieces) {
    copies_ += pieces;
    if (copies_ > kMostCopies)
      throw BadTrace{
          "count and job.count make more than 100000 copies of phases and of different tasks; "
          "expected fewer: give --jobs, --sample, --from or --until"};
  }

  std::vector<Group> groups_of(const Json& json) {
    std::vector<Group> groups;
    std::map<std::tuple<bool, std::int64_t, std::int64_t, std::int64_t, double>, std::size_t> known;
    for (const Json& task : elements(json, "job.tasks")) {
      const TaskRow row = read_json(task, kTaskColumns);
      if (!task.is_object() || !(row.count >= 1 && row.count <= kMostCount)) {
        repaired(kUnreadable);
        continue;
      }
      const std::optional<double> millis = millis_of(row);
      if (!millis) continue;
      see_wishes(row);
      const bool reduce = row.type == "reduce";
      Resources request = size_of(row, {Millicores(1000), options_.memory_per_core});
      request.counts.set(0, requested_gpus(task, row.count));
      without_memory_ += !find(task, "container.memory-mb");
      const auto [place, added] =
          known.try_emplace({reduce, request.cores.count(), request.memory.count(),
                             request.counts[0].count(), row.priority},
                            groups.size());
      if (added) groups.push_back({reduce, request, 0, {}});
      Group& group = groups[place->second];
      group.tasks += row.count;
      if (!group.times.empty() && group.times.back().first == *millis)
        group.times.back().second += row.count;
      else
        group.times.emplace_back(*millis, row.count);
    }
    return groups;
  }

  Thousandths requested_gpus(const Json& task, double count) {
    const double number = gpus_of(task, "container.yarn.io/gpu");
    const std::optional<Thousandths> amount = Gpus::amount(number);
    if (!amount) repaired(kUnclearGpus);
    if (amount.value_or(Thousandths(0)) == Thousandths(0)) return Thousandths(0);
    gpu_tasks_ += static_cast<std::int64_t>(count);
    most_gpus_ = std::max(most_gpus_, static_cast<int>(number));
    return *amount;
  }

  /// Returns the run time of a task, or nullopt if it is left out.
  std::optional<double> millis_of(const TaskRow& row) {
    std::optional<double> millis = row.duration ? row.duration : row.old_duration;
    if (!millis && row.start && row.end) millis = *row.end - *row.start;
    const Repair* wrong = nullptr;
    if (!millis)
      wrong = &kNeverRan;
    else if (*millis < 0)
      wrong = &kEndsBefore;
    else if (*millis > kMostSeconds * 1e3)
      wrong = &kUnreadable;
    if (wrong) return repaired(*wrong), std::nullopt;
    if (*millis == 0) repaired(kZeroTime);
    return millis;
  }

  /// Counts wishes that have no counterpart in a scenario.
  void see_wishes(const TaskRow& row) {
    const auto number = static_cast<std::int64_t>(row.count);
    if (!row.host.empty()) {
      wishes_ += number;
      if (std::ssize(hosts_) < kMostImportedNodes) hosts_.insert(row.host);
    }
    if (row.delay > 0) delays_ += number;
    if (row.execution == "OPPORTUNISTIC") opportunistic_ += number;
  }

  JobSpec job_of(const JobRow& row, const std::vector<Group>& groups) {
    JobSpec job;
    job.priority = static_cast<int>(std::clamp(row.priority, -kMostPriority, kMostPriority));
    const bool maps = std::ranges::any_of(groups, [](const Group& one) { return !one.reduce; });
    if (!maps) repaired(kReduceOnly);
    std::vector<int> before;
    for (const bool reduce : {false, true}) {
      int number = 0;
      for (const Group& group : groups) {
        if (group.reduce != reduce) continue;
        if (!reduce) before.push_back(static_cast<int>(job.phases.size()));
        PhaseSpec& phase = add_phase(job, reduce ? "reduce" : "map", group.request);
        if (++number > 1) phase.name += "-" + std::to_string(number);
        phase.kind = reduce && maps ? PhaseKind::kReduce : PhaseKind::kMap;
        if (reduce) phase.after = before;
        fill(phase, group);
      }
    }
    return job;
  }

  void fill(PhaseSpec& phase, const Group& group) {
    TaskSpec task;
    if (group.times.size() == 1) {
      phase.tasks = static_cast<int>(group.tasks);
      return set_time(phase, group.times.front().first * 1e3);
    }
    for (const auto& [millis, count] : group.times)
      if (count > 1) copy(count - 1);
    std::vector<TaskSpec> each;
    for (const auto& [millis, count] : group.times) {
      set_time(task, millis * 1e3);
      each.insert(each.end(), static_cast<std::size_t>(count), task);
    }
    set_tasks(phase, std::move(each));
  }

  std::vector<NodeSpec> nodes() {
    if (!options_.nodes && !rack_nodes_.empty())
      return cluster_of(rack_nodes_, "the racks in the trace");
    if (num_nodes_)
      return equal_cluster(*num_nodes_, kNode, options_.nodes ? "" : "; their number is num.nodes");
    if (!hosts_.empty())
      return equal_cluster(
          static_cast<int>(hosts_.size()), kNode,
          options_.nodes ? "" : "; their number is that of the different container.host");
    return equal_cluster(kNodes, kNode);
  }

  void state_choices() {
    report_.state("application masters are left out");
    report_.state(options_.work == ImportOptions::Work::kCpu
                      ? "tasks compute for their run time"
                      : "tasks sleep for their run time (--work cpu: they compute)");
    state_zero(zero_.value_or(0));
    if (without_memory_ > 0)
      report_.state("entries of job.tasks without memory: " + std::to_string(without_memory_) +
                    "; these tasks request " + print_bytes(options_.memory_per_core) +
                    " (--memory-per-core)");
    report_.state(wishes_, "task", "with a preferred host (container.host): ignored");
    report_.state(delays_, "task", "with a container.request.delay: ignored");
    if (opportunistic_ > 0)
      report_.state(counted(opportunistic_, "opportunistic task") + ": run as guaranteed");
  }

  std::optional<int> num_nodes_;
  std::vector<Resources> rack_nodes_;
  std::vector<double> rack_gpus_;
  std::int64_t gpu_tasks_ = 0;
  int most_gpus_ = 0;  ///< of a task
  std::set<std::string> hosts_;
  std::optional<double> zero_;
  double clones_ = 0, copies_ = 0;
  std::int64_t without_memory_ = 0, wishes_ = 0, delays_ = 0, opportunistic_ = 0;
};

bool looks_like_sls(std::string_view head) {
  const std::size_t begin = head.find_first_not_of(" \t\r\n[");
  const auto has = [&](std::string_view key) { return head.find(key) != std::string_view::npos; };
  return begin != std::string_view::npos && head[begin] == '{' && !has("\"mapTasks\"") &&
         !has("\"jobID\"") &&
         (has("\"job.tasks\"") || has("\"am.type\"") || has("\"yarn.sls.am.type\"") ||
          has("\"num.nodes\""));
}

}  // namespace
}  // namespace sls

const FormatCode formats::sls{&sls::looks_like_sls, &import_with<sls::Reader>, kUsersAndQueues};

}  // namespace heddle::trace
