// Reads the traces that Hadoop's Rumen makes of the job history (hadoop-tools/hadoop-rumen): a
// sequence of JSON objects, one per job. The time 0 is the submission of the first job in the
// file.
//
// Maps become a phase, and reduces become a phase that begins when the maps are complete. A task
// is its successful attempt, or else its longest one. If the attempt has `clockSplits` and
// `cpuUsages`, the task follows a usage curve; if not, it takes the time of the attempt.

#include <array>
#include <set>

#include "core/scenario/quantity_text.h"
#include "trace/import/importer.h"

namespace heddle::trace {
namespace rumen {
namespace {

using wire::Json;

constexpr double kMostMillis = 1e15;  ///< since 1970
constexpr double kMostMemory = 1e15;  ///< bytes of a task
constexpr std::size_t kMostTasks = 1'000'000;
constexpr std::size_t kMostSplits = 63;  ///< a usage curve has at most 64 corners
constexpr int kNodes = 10;               ///< if there are no host names
const Resources kNode{Millicores(8000), EmuBytes(16LL << 30)};  ///< size of a node
constexpr Millicores kCores(1000);                              ///< of a task

constexpr Repair kTooManyTasks{"too_many_tasks", "a phase has more than 1000000 tasks: left out"};
constexpr Repair kPriority{"unknown_priority", "an unknown priority: taken as NORMAL"};
constexpr Repair kSplits{"splits", "the splits don't fit each other or the run time: ignored"};
constexpr Repair kLowMemory{"low_memory",
                            "tasks used more memory than the job's request: the request is raised"};

/// Milliseconds since 1970. Rumen writes -1 for an unknown number, and the job's properties as
/// text.
constexpr Rule kMillis{.least = 0, .most = kMostMillis};
constexpr Rule kNumber{.least = 0};

struct JobRow {
  std::string id, user, queue, priority, outcome;
  std::optional<double> submit, launch, map_mib, reduce_mib, map_heap, reduce_heap;
};
constexpr Column<JobRow> kJobColumns[] = {
    column<&JobRow::id>("jobID", kWord), column<&JobRow::user>("user", kWord),
    column<&JobRow::queue>("queue", kWord), column<&JobRow::priority>("priority", kWord),
    column<&JobRow::outcome>("outcome", kWord), column<&JobRow::submit>("submitTime", kMillis),
    column<&JobRow::launch>("launchTime", kMillis),
    // The properties have the size of the container. The job's own number is that of the Java heap
    // if Rumen found no other.
    column<&JobRow::map_mib>("jobProperties/mapreduce.map.memory.mb", kNumber),
    column<&JobRow::reduce_mib>("jobProperties/mapreduce.reduce.memory.mb", kNumber),
    column<&JobRow::map_heap>("jobMapMB", kNumber),
    column<&JobRow::reduce_heap>("jobReduceMB", kNumber)};

/// A task or an attempt.
struct Run {
  std::string host, result;
  std::optional<double> start, finish, memory;
};
constexpr Column<Run> kRunColumns[] = {
    column<&Run::host>("hostName", kWord), column<&Run::result>("result|taskStatus", kWord),
    column<&Run::start>("startTime", kMillis), column<&Run::finish>("finishTime", kMillis),
    column<&Run::memory>("resourceUsageMetrics/physicalMemoryUsage", kNumber)};

bool succeeded(const Run& run) { return run.result == "SUCCESS" || run.result == "SUCCEEDED"; }

/// Returns the values of the splits of an attempt. Returns none if a value is unknown.
std::vector<double> find_splits(const Json& attempt, const char* key) {
  const Json::array_t& values = elements(attempt, key);
  if (values.size() > kMostSplits) return {};
  std::vector<double> splits;
  for (const Json& value : values) {
    const double number = value.is_number() ? value.get<double>() : -1;
    if (!(number >= 0 && number <= kMostMillis)) return {};
    splits.push_back(number);
  }
  return splits;
}

/// A task, as its attempt shows it. Splits are empty if they are unknown.
struct Task {
  double millis = -1;          ///< run time
  std::vector<double> clock;   ///< milliseconds of each split
  std::vector<double> cpu;     ///< milliseconds of CPU in each split
  std::vector<double> memory;  ///< bytes in each split
  double peak = 0;             ///< of the memory, bytes; 0: unknown
  bool succeeded = false;
};

bool is_job(const Json& json) { return find(json, "jobID|mapTasks|reduceTasks") != nullptr; }

class Reader : public Importer {
 public:
  using Importer::Importer;

  Imported read() {
    read_objects(
        &is_job,
        "its first object is no job of Rumen; expected JSON objects with jobID and mapTasks",
        [&](const Json& json) { read_job(json); });
    const auto hosts = static_cast<int>(std::ssize(hosts_));
    Imported imported =
        made(&task_frame,
             equal_cluster(hosts > 0 ? hosts : kNodes, kNode,
                           hosts > 0 ? "; the trace has " + counted(hosts, "host") + " and no sizes"
                                     : "; the trace does not name its hosts"));
    state_choices();
    return imported;
  }

 private:
  void read_job(const Json& json) {
    const std::vector<Task> maps = tasks_of(json, "mapTasks");
    const std::vector<Task> reduces = tasks_of(json, "reduceTasks");
    others_ += std::ssize(elements(json, "otherTasks"));
    if (maps.empty() && reduces.empty()) return repaired(kNoTask);
    if (maps.size() > kMostTasks || reduces.size() > kMostTasks) return repaired(kTooManyTasks);
    JobRow row = read_json(json, kJobColumns);
    if (!row.submit && !row.launch) return repaired(kUnreadable);
    if (!row.submit) repaired(kMissing);
    const double submit = row.submit ? *row.submit : *row.launch;
    if (row.id.empty())
      row.id = "row" + std::to_string(report_.rows);
    else if (!is_new(row.id))
      repaired(kSameId);
    if (!zero_) zero_ = submit;
    submitted(submit);
    unsuccessful_ += row.outcome == "FAILED" || row.outcome == "KILLED";
    // Milliseconds since the first job become microseconds.
    const EmuTime time(std::llround((submit - *zero_) * 1e3));
    add(row.id, row.user, row.queue, time, [&](JobSpec& job) {
      job.priority = priority_of(row.priority);
      add_tasks(job, "map", maps, row.map_mib, row.map_heap);
      add_tasks(job, "reduce", reduces, row.reduce_mib, row.reduce_heap);
    });
  }

  int priority_of(const std::string& word) {
    static constexpr std::array<std::string_view, 5> kWords = {"VERY_LOW", "LOW", "NORMAL", "HIGH",
                                                               "VERY_HIGH"};
    const auto found = std::ranges::find(kWords, word);
    if (found != kWords.end()) return static_cast<int>(found - kWords.begin()) - 2;
    if (!word.empty()) repaired(kPriority);
    return 0;
  }

  /// Returns the tasks that ran.
  std::vector<Task> tasks_of(const Json& job, const char* key) {
    std::vector<Task> tasks;
    for (const Json& json : elements(job, key)) {
      Task task = task_of(json);
      if (task.millis < 0) {
        repaired(kNeverRan);
      } else if (task.millis > kMostSeconds * 1e3) {
        repaired(kUnreadable);
      } else {
        failed_ += !task.succeeded;
        tasks.push_back(std::move(task));
      }
    }
    return tasks;
  }

  Task task_of(const Json& json) {
    Task best;
    const Json* chosen = nullptr;
    for (const Json& attempt : elements(json, "attempts")) {
      const Run run = read_json(attempt, kRunColumns);
      if (!run.host.empty() && std::ssize(hosts_) < kMostImportedNodes) hosts_.insert(run.host);
      const double millis = millis_of(run);
      if (millis < 0 || best.succeeded || (!succeeded(run) && millis <= best.millis)) continue;
      best.millis = millis;
      best.succeeded = succeeded(run);
      best.peak = std::min(run.memory.value_or(0), kMostMemory);
      chosen = &attempt;
    }
    if (chosen) {
      read_splits(*chosen, best);
      return best;
    }
    // Without an attempt, the task's own times are all that is known.
    const Run run = read_json(json, kRunColumns);
    best.millis = millis_of(run);
    best.succeeded = succeeded(run);
    return best;
  }

  /// Returns the run time of a task or an attempt; -1 if it is unknown.
  double millis_of(const Run& run) {
    // A start at 0 stands for an attempt that never started.
    if (!run.start || !run.finish || *run.start == 0) return -1;
    if (*run.finish >= *run.start) return *run.finish - *run.start;
    repaired(kEndsBefore);
    return -1;
  }

  void read_splits(const Json& attempt, Task& task) {
    task.clock = find_splits(attempt, "clockSplits");
    task.cpu = find_splits(attempt, "cpuUsages");
    task.memory = find_splits(attempt, "physMemKbytes");
    // Kilobytes of 1024.
    for (double& memory : task.memory) memory = std::min(memory * 1024, kMostMemory);
    const auto largest = std::ranges::max_element(task.memory);
    if (largest != task.memory.end() && *largest > 0) task.peak = *largest;
    double clock = 0;
    for (const double millis : task.clock) clock += millis;
    if (task.clock.empty() || task.cpu.empty()) {
      task.cpu.clear();
    } else if (task.clock.size() != task.cpu.size() || clock == 0 || task.millis == 0) {
      repaired(kSplits);
      task.cpu.clear();
    }
    if (!task.cpu.empty() && !task.memory.empty() && task.memory.size() != task.clock.size()) {
      repaired(kSplits);
      task.memory.clear();
    }
  }

  void add_tasks(JobSpec& job, const char* name, const std::vector<Task>& tasks,
                 std::optional<double> mib, std::optional<double> heap) {
    if (tasks.empty()) return;
    const bool reduces = !job.phases.empty();
    PhaseSpec& phase = add_phase(job, name, {kCores, memory_of(mib > 0 ? mib : heap, tasks)});
    // Reduces count as maps if the job has no maps.
    phase.kind = reduces ? PhaseKind::kReduce : PhaseKind::kMap;
    if (reduces) phase.after = {0};
    std::vector<TaskSpec> each;
    for (const Task& task : tasks) each.push_back(spec_of(task, phase.request));
    set_tasks(phase, std::move(each));
  }

  EmuBytes memory_of(std::optional<double> mib, const std::vector<Task>& tasks) {
    double peak = 0;
    for (const Task& task : tasks) peak = std::max(peak, task.peak);
    const double requested = std::min(mib.value_or(0) * (1 << 20), kMostMemory);
    if (requested > 0 && peak > requested) repaired(kLowMemory);
    const EmuBytes memory(std::llround(std::max(requested, peak)));
    if (memory > EmuBytes(0)) return memory;
    ++without_memory_;
    return options_.memory_per_core;
  }

  TaskSpec spec_of(const Task& task, const Resources& request) {
    TaskSpec spec;
    if (!task.cpu.empty()) spec.usage = curve_of(task, request);
    if (!spec.usage.empty()) {
      ++curves_;
      return spec;
    }
    ++without_cpu_;
    if (task.millis == 0) repaired(kZeroTime);
    set_time(spec, task.millis * 1e3);
    if (task.peak > 0) spec.memory = {{0, {.mean = std::round(task.peak)}}};
    return spec;
  }

  /// Returns the usage of a task. The splits are stretched to its run time.
  std::vector<UsageCorner> curve_of(const Task& task, const Resources& request) {
    const std::vector<double> cpu = fitted(task, request);
    double clock = 0, passed = 0, carried = 0;
    for (const double millis : task.clock) clock += millis;
    const double stretch = task.millis * 1e3 / clock;
    std::vector<UsageCorner> corners;
    const auto memory = [&](std::size_t split) {
      return task.memory.empty() ? EmuBytes(0) : EmuBytes(std::llround(task.memory[split]));
    };
    for (std::size_t i = 0; i < task.clock.size(); ++i) {
      const EmuTime begin(std::llround(passed * stretch));
      passed += task.clock[i];
      const EmuTime end(std::llround(passed * stretch));
      carried += cpu[i];
      if (end <= begin) continue;  // too short for a corner; its CPU belongs to the next one
      const double millis = static_cast<double>((end - begin).count()) / stretch;
      const double cores = std::min(carried / millis, to_cores(request.cores));
      corners.push_back({begin, Millicores(std::llround(cores * 1e3)), memory(i)});
      carried = 0;
    }
    if (corners.empty()) return corners;
    corners.push_back(
        {EmuTime(std::llround(task.millis * 1e3)), Millicores(0), memory(task.clock.size() - 1)});
    return corners;
  }

  /// Returns the CPU time of each split. Rumen interpolates the splits, so a short one can have
  /// more than the task can use. The excess moves to the following splits, and then to earlier
  /// ones.
  std::vector<double> fitted(const Task& task, const Resources& request) {
    std::vector<double> cpu = task.cpu;
    const double cores = to_cores(request.cores);
    double excess = 0;
    const auto fit = [&](std::size_t split) {
      const double wanted = cpu[split] + excess;
      cpu[split] = std::min(wanted, task.clock[split] * cores);
      excess = wanted - cpu[split];
    };
    for (std::size_t i = 0; i < cpu.size(); ++i) fit(i);
    for (std::size_t i = cpu.size(); excess > 0 && i-- > 0;) fit(i);
    cut_ += excess > 0;
    return cpu;
  }

  void state_choices() {
    state_zero(zero_.value_or(0));
    report_.state(curves_, "task", "with measured usage of CPU and memory");
    report_.state(without_cpu_, "task",
                  std::string("without measured usage: ") +
                      (options_.work == ImportOptions::Work::kCpu
                           ? "CPU work for the run time"
                           : "sleep for the run time (--work cpu: CPU work)"));
    report_.state(cut_, "task", "with more than 1 core on average: cut to 1 core");
    report_.state(failed_, "task", "without a successful attempt: the longest attempt is taken");
    if (unsuccessful_ > 0)
      report_.state("jobs that failed or were killed: " + std::to_string(unsuccessful_) +
                    "; their tasks run here");
    report_.state(others_, "task", "of setup and cleanup: left out");
    report_.state(without_memory_, "phase",
                  "without memory: the tasks request " + print_bytes(options_.memory_per_core) +
                      " (--memory-per-core)");
  }

  std::set<std::string> hosts_;
  std::optional<double> zero_;
  std::int64_t curves_ = 0, without_cpu_ = 0, cut_ = 0, failed_ = 0, unsuccessful_ = 0;
  std::int64_t others_ = 0, without_memory_ = 0;
};

bool looks_like_rumen(std::string_view head) {
  const std::size_t begin = head.find_first_not_of(" \t\r\n[");
  const auto has = [&](std::string_view key) { return head.find(key) != std::string_view::npos; };
  return begin != std::string_view::npos && head[begin] == '{' && !has("\"job.tasks\"") &&
         (has("\"mapTasks\"") || has("\"reduceTasks\"") ||
          (has("\"jobID\"") && (has("\"submitTime\"") || has("\"jobMapMB\""))));
}

}  // namespace
}  // namespace rumen

const FormatCode formats::rumen{&rumen::looks_like_rumen, &import_with<rumen::Reader>,
                                kUsersAndQueues};

}  // namespace heddle::trace
