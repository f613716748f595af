#include "trace/import/rumen.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "core/scenario/quantity_text.h"
#include "trace/import/collection.h"
#include "trace/import/scaling.h"
#include "wire/fields.h"

namespace heddle::trace::rumen {
namespace {

using wire::Json;

constexpr double kMostMillis = 1e15;  ///< since 1970
constexpr double kMostMemory = 1e15;  ///< bytes of a task
constexpr std::size_t kMostTasks = 1'000'000;
constexpr std::size_t kMostSplits = 63;  ///< a usage curve has at most 64 corners
constexpr std::size_t kLongestText = 256;
constexpr int kNodes = 10;                                      ///< if there are no host names
const Resources kNode{Millicores(8000), EmuBytes(16LL << 30)};  ///< size of a node
constexpr Millicores kCores(1000);                              ///< of a task

constexpr Repair kTooManyTasks{"too_many_tasks", "a phase has more than 1000000 tasks: left out"};
constexpr Repair kSameId{"same_id", "has the id of an earlier job: kept"};
constexpr Repair kPriority{"unknown_priority", "an unknown priority: taken as NORMAL"};
constexpr Repair kSplits{"splits", "the splits don't fit each other or the run time: ignored"};
constexpr Repair kLowMemory{"low_memory",
                            "tasks used more memory than the job's request: the request is raised"};

/// Returns a value of an object, or nullptr if it is missing or null.
const Json* find(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

const Json::array_t* find_array(const Json& object, const char* key) {
  const Json* value = find(object, key);
  return value && value->is_array() ? &value->get_ref<const Json::array_t&>() : nullptr;
}

std::string find_text(const Json& object, const char* key) {
  const Json* value = find(object, key);
  if (!value) return "";
  if (value->is_string()) return value->get_ref<const std::string&>().substr(0, kLongestText);
  return value->is_number() ? value->dump() : "";
}

/// Returns a number that is not negative. Rumen writes -1 for an unknown number, and the job's
/// properties as text.
std::optional<double> find_number(const Json& object, const char* key) {
  const Json* value = find(object, key);
  double number = -1;
  if (value && value->is_number()) {
    number = value->get<double>();
  } else if (value && value->is_string()) {
    const std::string& text = value->get_ref<const std::string&>();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  }
  if (!(number >= 0) || !std::isfinite(number)) return std::nullopt;
  return number;
}

/// Returns a time in milliseconds since 1970.
std::optional<double> find_time(const Json& object, const char* key) {
  const std::optional<double> time = find_number(object, key);
  return time && *time <= kMostMillis ? time : std::nullopt;
}

/// Returns the values of the splits of an attempt. Returns none if a value is unknown.
std::vector<double> find_splits(const Json& attempt, const char* key) {
  const Json::array_t* values = find_array(attempt, key);
  if (!values || values->size() > kMostSplits) return {};
  std::vector<double> splits;
  for (const Json& value : *values) {
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

class Reader {
 public:
  Reader(std::vector<Input>& files, const ImportOptions& options, JobCollection& jobs,
         ImportReport& report)
      : files_(files), options_(options), jobs_(jobs), report_(report) {}

  Imported read() {
    for (Input& file : files_) {
      input_ = &file;
      while (const auto text = file.object()) read_object(*text);
    }
    Imported imported;
    imported.scenario = task_frame(options_, files_.front().name());
    imported.scenario.cluster.nodes = nodes();
    state_choices();
    return imported;
  }

 private:
  void repaired(const Repair& repair) { report_.repaired(repair, *input_); }

  void read_object(std::string_view text) {
    const Json json = wire::parse_json(text);
    const bool job = !json.is_discarded() &&
                     (find(json, "jobID") || find(json, "mapTasks") || find(json, "reduceTasks"));
    if (report_.rows++ == 0 && !job)
      throw BadTrace{
          "its first object is no job of Rumen; expected JSON objects with jobID and mapTasks"};
    if (!job) return repaired(kUnreadable);
    read_job(json);
  }

  void read_job(const Json& json) {
    const std::vector<Task> maps = tasks_of(json, "mapTasks");
    const std::vector<Task> reduces = tasks_of(json, "reduceTasks");
    if (const Json::array_t* others = find_array(json, "otherTasks"))
      others_ += std::ssize(*others);
    if (maps.empty() && reduces.empty()) return repaired(kNoTask);
    if (maps.size() > kMostTasks || reduces.size() > kMostTasks) return repaired(kTooManyTasks);
    std::optional<double> submit = find_time(json, "submitTime");
    if (!submit) {
      submit = find_time(json, "launchTime");
      if (!submit) return repaired(kUnreadable);
      repaired(kMissing);
    }
    std::string id = find_text(json, "jobID");
    if (id.empty())
      id = "row" + std::to_string(report_.rows);
    else if (!ids_.insert(std::hash<std::string>()(id)).second)
      repaired(kSameId);
    if (!zero_) zero_ = *submit;
    if (*submit < last_) repaired(kOutOfOrder);
    last_ = std::max(last_, *submit);
    const std::string outcome = find_text(json, "outcome");
    unsuccessful_ += outcome == "FAILED" || outcome == "KILLED";
    // Milliseconds since the first job become microseconds.
    const EmuTime time(std::llround((*submit - *zero_) * 1e3));
    const std::string user = find_text(json, "user"), queue = find_text(json, "queue");
    if (!jobs_.takes(id, time, user, queue)) return;
    JobSpec job;
    job.submit = time;
    job.priority = priority_of(find_text(json, "priority"));
    add_phase(job, json, "map", maps);
    add_phase(job, json, "reduce", reduces);
    jobs_.add(id, user, queue, std::move(job));
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
    const Json::array_t* all = find_array(job, key);
    if (!all) return tasks;
    for (const Json& json : *all) {
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
    if (const Json::array_t* attempts = find_array(json, "attempts")) {
      for (const Json& attempt : *attempts) {
        see_host(attempt);
        const double millis = millis_of(attempt);
        const std::string result = find_text(attempt, "result");
        const bool succeeded = result == "SUCCESS" || result == "SUCCEEDED";
        if (millis < 0 || best.succeeded || (!succeeded && millis <= best.millis)) continue;
        best.millis = millis;
        best.succeeded = succeeded;
        chosen = &attempt;
      }
    }
    if (chosen) {
      read_splits(*chosen, best);
      return best;
    }
    // Without an attempt, the task's own times are all that is known.
    best.millis = millis_of(json);
    const std::string status = find_text(json, "taskStatus");
    best.succeeded = status == "SUCCESS" || status == "SUCCEEDED";
    return best;
  }

  /// Returns the run time of a task or an attempt; -1 if it is unknown.
  double millis_of(const Json& json) {
    const std::optional<double> start = find_time(json, "startTime");
    const std::optional<double> finish = find_time(json, "finishTime");
    // A start at 0 stands for an attempt that never started.
    if (!start || !finish || *start == 0) return -1;
    if (*finish < *start) {
      repaired(kEndsBefore);
      return -1;
    }
    return *finish - *start;
  }

  void see_host(const Json& attempt) {
    if (std::ssize(hosts_) >= kMostImportedNodes) return;
    std::string host = find_text(attempt, "hostName");
    if (!host.empty()) hosts_.insert(std::move(host));
  }

  void read_splits(const Json& attempt, Task& task) {
    task.clock = find_splits(attempt, "clockSplits");
    task.cpu = find_splits(attempt, "cpuUsages");
    task.memory = find_splits(attempt, "physMemKbytes");
    // Kilobytes of 1024.
    for (double& memory : task.memory) memory = std::min(memory * 1024, kMostMemory);
    for (const double memory : task.memory) task.peak = std::max(task.peak, memory);
    if (task.peak == 0)
      if (const Json* metrics = find(attempt, "resourceUsageMetrics"))
        task.peak = std::min(find_number(*metrics, "physicalMemoryUsage").value_or(0), kMostMemory);
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

  void add_phase(JobSpec& job, const Json& json, const char* name, const std::vector<Task>& tasks) {
    if (tasks.empty()) return;
    const bool reduces = !job.phases.empty();
    PhaseSpec& phase = job.phases.emplace_back();
    phase.name = name;
    // Reduces count as maps if the job has no maps.
    phase.kind = reduces ? PhaseKind::kReduce : PhaseKind::kMap;
    if (reduces) phase.after = {0};
    phase.tasks = static_cast<int>(tasks.size());
    phase.request = {kCores, memory_of(json, name, tasks)};
    for (const Task& task : tasks) phase.each.push_back(spec_of(task, phase.request));
    if (std::ranges::count(phase.each, phase.each.front()) == std::ssize(phase.each)) {
      static_cast<TaskSpec&>(phase) = phase.each.front();
      phase.each.clear();
    }
  }

  EmuBytes memory_of(const Json& json, std::string_view name, const std::vector<Task>& tasks) {
    double peak = 0;
    for (const Task& task : tasks) peak = std::max(peak, task.peak);
    const bool map = name == "map";
    // The properties have the size of the container. The job's own number is that of the Java heap
    // if Rumen found no other.
    std::optional<double> mib;
    if (const Json* properties = find(json, "jobProperties"))
      mib =
          find_number(*properties, map ? "mapreduce.map.memory.mb" : "mapreduce.reduce.memory.mb");
    if (mib.value_or(0) <= 0) mib = find_number(json, map ? "jobMapMB" : "jobReduceMB");
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
    Drawn& work = options_.work == ImportOptions::Work::kCpu ? spec.cpu : spec.sleep;
    work.mean = std::max(1.0, std::round(task.millis * 1e3));
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
      const double cores =
          std::min(carried / millis, static_cast<double>(request.cores.count()) / 1e3);
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
    const double cores = static_cast<double>(request.cores.count()) / 1e3;
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

  std::vector<NodeSpec> nodes() {
    const bool from_hosts = !hosts_.empty();
    const int count =
        options_.nodes.value_or(from_hosts ? static_cast<int>(std::ssize(hosts_)) : kNodes);
    const Resources size{options_.cores.value_or(kNode.cores),
                         options_.memory.value_or(kNode.memory)};
    report_.state("cluster: " + nodes_text(count, size) +
                  (from_hosts
                       ? "; the trace has " + counted(std::ssize(hosts_), "host") + " and no sizes"
                       : "; the trace does not name its hosts") +
                  " (--nodes, --cores, --memory)");
    return equal_nodes(count, size);
  }

  void state_choices() {
    if (zero_)
      report_.state("0 is the submission of the first job in the trace, " +
                    std::to_string(std::llround(*zero_)) + " ms after 1970");
    if (curves_ > 0)
      report_.state(counted(curves_, "task") + " with measured usage of CPU and memory");
    if (without_cpu_ > 0)
      report_.state(counted(without_cpu_, "task") + " without measured usage: " +
                    (options_.work == ImportOptions::Work::kCpu
                         ? "CPU work for the run time"
                         : "sleep for the run time (--work cpu: CPU work)"));
    if (cut_ > 0)
      report_.state(counted(cut_, "task") + " with more than 1 core on average: cut to 1 core");
    if (failed_ > 0)
      report_.state(counted(failed_, "task") +
                    " without a successful attempt: the longest attempt is taken");
    if (unsuccessful_ > 0)
      report_.state("jobs that failed or were killed: " + std::to_string(unsuccessful_) +
                    "; their tasks run here");
    if (others_ > 0) report_.state(counted(others_, "task") + " of setup and cleanup: left out");
    if (without_memory_ > 0)
      report_.state(counted(without_memory_, "phase") + " without memory: the tasks request " +
                    print_bytes(options_.memory_per_core) + " (--memory-per-core)");
  }

  std::vector<Input>& files_;
  const ImportOptions& options_;
  JobCollection& jobs_;
  ImportReport& report_;
  Input* input_ = nullptr;  ///< the file that is being read
  std::set<std::string> hosts_;
  std::set<std::size_t> ids_;  ///< hashes of the ids
  std::optional<double> zero_;
  double last_ = 0;
  std::int64_t curves_ = 0, without_cpu_ = 0, cut_ = 0, failed_ = 0, unsuccessful_ = 0;
  std::int64_t others_ = 0, without_memory_ = 0;
};

bool looks_like(std::string_view head) {
  const std::size_t begin = head.find_first_not_of(" \t\r\n[");
  const auto has = [&](std::string_view key) { return head.find(key) != std::string_view::npos; };
  return begin != std::string_view::npos && head[begin] == '{' && !has("\"job.tasks\"") &&
         (has("\"mapTasks\"") || has("\"reduceTasks\"") ||
          (has("\"jobID\"") && (has("\"submitTime\"") || has("\"jobMapMB\""))));
}

}  // namespace
}  // namespace heddle::trace::rumen

namespace heddle::trace {

Imported import_rumen(std::vector<Input>& files, const ImportOptions& options, JobCollection& jobs,
                      ImportReport& report) {
  return rumen::Reader(files, options, jobs, report).read();
}

bool is_rumen(std::string_view head) { return rumen::looks_like(head); }

}  // namespace heddle::trace
