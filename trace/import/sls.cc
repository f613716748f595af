#include "trace/import/sls.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "core/scenario/quantity_text.h"
#include "trace/import/collection.h"
#include "trace/import/scaling.h"
#include "wire/fields.h"

namespace heddle::trace::sls {
namespace {

using wire::Json;

constexpr double kMostMillis = 1e15;
/// Times from here on are counted from 1970 and not from the beginning of the trace.
constexpr double kEpochMillis = 1e11;
constexpr double kMostTasks = 1e6;  ///< of a phase
constexpr double kMostCount = 1e6;  ///< of job.count and count
constexpr std::size_t kMostPhases = 1000;
/// Limit on the copies that count and job.count make of different tasks and of phases. A small file
/// could otherwise need any amount of memory.
constexpr double kMostCopies = 1e6;
constexpr double kMostClones = 1e7;  ///< jobs, also those that are not chosen
constexpr double kMostVcores = 1e6, kMostMib = 1e9, kMostPriority = 1e6;
constexpr std::size_t kLongestText = 256;
// Defaults of SLS (SLSConfiguration).
constexpr double kDefaultPriority = 20;
const Resources kNode{Millicores(10'000), EmuBytes(10LL << 30)};
constexpr int kNodes = 10;  ///< if neither num.nodes nor hosts are given; SLS has no default

constexpr Repair kTooManyTasks{"too_many_tasks", "a phase has more than 1000000 tasks: left out"};
constexpr Repair kTooManyPhases{"too_many_phases", "has more than 1000 kinds of tasks: left out"};
constexpr Repair kSameId{"same_id", "has the id of an earlier job: kept"};
constexpr Repair kReduceOnly{"reduce_only", "has reduces but no maps: they count as maps"};

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

struct Group {
  bool reduce = false;
  Resources request;
  double tasks = 0;
  std::vector<std::pair<double, double>> times;  ///< milliseconds, and the number of tasks
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

  /// Returns a number, which generators of traces also write as text. Counts a value that is
  /// neither.
  std::optional<double> find_number(const Json& object, const char* key) {
    const Json* value = find(object, key);
    if (!value) return std::nullopt;
    if (value->is_number()) {
      const double number = value->get<double>();
      if (std::isfinite(number)) return number;
    } else if (value->is_string()) {
      const std::string& text = value->get_ref<const std::string&>();
      double number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (error == std::errc() && end == text.data() + text.size() && std::isfinite(number))
        return number;
    }
    repaired(kNoNumber);
    return std::nullopt;
  }

  /// Returns a whole number.
  double find_whole(const Json& object, const char* key, double missing) {
    const double number = find_number(object, key).value_or(missing);
    if (number == std::floor(number)) return number;
    repaired(kFraction);
    return std::round(number);
  }

  void read_object(std::string_view text) {
    const Json json = wire::parse_json(text);
    const bool job =
        !json.is_discarded() && (find(json, "job.tasks") || find(json, "am.type") ||
                                 find(json, "yarn.sls.am.type") || find(json, "job.start.ms"));
    const bool cluster = !json.is_discarded() && find(json, "num.nodes");
    const bool racks = !json.is_discarded() && find_array(json, "nodes");
    if (report_.rows++ == 0 && !job && !cluster && !racks)
      throw BadTrace{
          "its first object is neither a job nor the cluster of SLS; expected JSON objects with "
          "job.tasks or num.nodes"};
    if (cluster) read_cluster(json);
    if (racks) read_rack(json);
    if (job)
      read_job(json);
    else if (!cluster && !racks)
      repaired(kUnreadable);
  }

  void read_cluster(const Json& json) {
    const double nodes = find_whole(json, "num.nodes", 0);
    if (nodes < 1) return repaired(kUnreadable);
    if (nodes > kMostImportedNodes && !options_.nodes)
      throw BadTrace{"num.nodes: expected 1 to " + std::to_string(kMostImportedNodes) +
                     ", here or as --nodes"};
    num_nodes_ = static_cast<int>(std::min(nodes, double{kMostImportedNodes}));
  }

  /// Reads a rack of a file of nodes, which SLS calls the topology.
  void read_rack(const Json& json) {
    for (const Json& node : *find_array(json, "nodes")) {
      if (std::ssize(rack_nodes_) >= kMostImportedNodes) return;
      rack_nodes_.push_back(resources_of(node, "vcores", "memory-mb", kNode));
    }
  }

  /// Returns cores and memory, with `missing` for what is not given.
  Resources resources_of(const Json& json, const char* cores_key, const char* memory_key,
                         const Resources& missing) {
    Resources size = missing;
    if (const std::optional<double> cores = find_number(json, cores_key)) {
      if (*cores >= 0.001 && *cores <= kMostVcores)
        size.cores = Millicores(std::llround(*cores * 1e3));
      else
        repaired(kMissing);
    }
    if (const std::optional<double> mib = find_number(json, memory_key)) {
      if (*mib >= 1 && *mib <= kMostMib)
        size.memory = EmuBytes(std::llround(*mib * (1 << 20)));
      else
        repaired(kMissing);
    }
    return size;
  }

  void read_job(const Json& json) {
    const std::vector<Group> groups = groups_of(json);
    if (groups.empty()) return repaired(kNoTask);
    if (groups.size() > kMostPhases) return repaired(kTooManyPhases);
    for (const Group& group : groups)
      if (group.tasks > kMostTasks) return repaired(kTooManyTasks);
    std::optional<double> start = find_number(json, "job.start.ms");
    if (start == -1) start.reset();
    if (!start) repaired(kMissing);
    const double submit = start.value_or(0);
    if (!(std::abs(submit) <= kMostMillis)) return repaired(kUnreadable);
    const double count = find_whole(json, "job.count", 1);
    if (count < 1) return repaired(kNoTask);
    if (count > kMostCount) return repaired(kUnreadable);
    clones_ += count - 1;
    if (clones_ > kMostClones)
      throw BadTrace{"job.count makes more than 10000000 jobs; expected fewer"};
    if (!zero_) zero_ = std::abs(submit) >= kEpochMillis ? submit : 0;
    if (submit < last_) repaired(kOutOfOrder);
    last_ = std::max(last_, submit);
    std::string id = find_text(json, "job.id");
    if (id.empty())
      id = std::to_string(report_.rows);
    else if (!ids_.insert(std::hash<std::string>()(id)).second)
      repaired(kSameId);
    add_jobs(json, groups, id, EmuTime(std::llround((submit - *zero_) * 1e3)),
             static_cast<int>(count));
  }

  /// Adds the job as often as job.count says.
  void add_jobs(const Json& json, const std::vector<Group>& groups, const std::string& id,
                EmuTime submit, int count) {
    std::string user = find_text(json, "job.user");
    if (user.empty()) user = "default";
    const std::string queue = find_text(json, "job.queue.name");
    std::optional<JobSpec> made;
    double size = 0;  // number of phases and of tasks that differ
    std::int64_t added = 0;
    for (int i = 0; i < count; ++i) {
      const std::string own = count == 1 ? id : id + "-" + std::to_string(i + 1);
      if (!jobs_.takes(own, submit, user, queue)) continue;
      // Copies have the same submission, so later ones are not among the first jobs.
      if (options_.jobs && added++ >= *options_.jobs) continue;
      if (!made) {
        made = job_of(json, groups);
        made->submit = submit;
        for (const PhaseSpec& phase : made->phases)
          size += 1 + static_cast<double>(phase.each.size());
      } else {
        copy(size);
      }
      jobs_.add(own, user, queue, *made);
    }
  }

  void copy(double pieces) {
    copies_ += pieces;
    if (copies_ > kMostCopies)
      throw BadTrace{
          "count and job.count make more than 1000000 copies of phases and of different tasks; "
          "expected fewer: give --jobs, --sample, --from or --until"};
  }

  std::vector<Group> groups_of(const Json& json) {
    std::vector<Group> groups;
    std::map<std::tuple<bool, std::int64_t, std::int64_t, double>, std::size_t> known;
    const Json::array_t* tasks = find_array(json, "job.tasks");
    if (!tasks) return groups;
    for (const Json& task : *tasks) {
      if (!task.is_object()) {
        repaired(kUnreadable);
        continue;
      }
      const double count = find_whole(task, "count", 1);
      if (!(count >= 1 && count <= kMostCount)) {
        repaired(kUnreadable);
        continue;
      }
      const std::optional<double> millis = millis_of(task);
      if (!millis) continue;
      see_wishes(task, count);
      const bool reduce = find_text(task, "container.type") == "reduce";
      const Resources request = resources_of(task, "container.vcores", "container.memory-mb",
                                             {Millicores(1000), options_.memory_per_core});
      without_memory_ += !find(task, "container.memory-mb");
      const double priority = find_number(task, "container.priority").value_or(kDefaultPriority);
      const auto [place, added] = known.try_emplace(
          {reduce, request.cores.count(), request.memory.count(), priority}, groups.size());
      if (added) {
        Group& group = groups.emplace_back();
        group.reduce = reduce;
        group.request = request;
      }
      Group& group = groups[place->second];
      group.tasks += count;
      if (!group.times.empty() && group.times.back().first == *millis)
        group.times.back().second += count;
      else
        group.times.emplace_back(*millis, count);
    }
    return groups;
  }

  /// Returns the run time of a task, or nullopt if it is left out.
  std::optional<double> millis_of(const Json& task) {
    std::optional<double> millis = find_number(task, "container.duration.ms");
    if (!millis) millis = find_number(task, "duration.ms");
    if (!millis) {
      const std::optional<double> start = find_number(task, "container.start.ms");
      const std::optional<double> end = find_number(task, "container.end.ms");
      if (start && end) millis = *end - *start;
    }
    if (!millis)
      repaired(kNeverRan);
    else if (*millis < 0)
      repaired(kEndsBefore);
    else if (*millis > kMostSeconds * 1e3)
      repaired(kUnreadable);
    else {
      if (*millis == 0) repaired(kZeroTime);
      return millis;
    }
    return std::nullopt;
  }

  /// Counts wishes that have no counterpart in a scenario.
  void see_wishes(const Json& task, double count) {
    const auto number = static_cast<std::int64_t>(count);
    if (std::string host = find_text(task, "container.host"); !host.empty()) {
      wishes_ += number;
      if (std::ssize(hosts_) < kMostImportedNodes) hosts_.insert(std::move(host));
    }
    if (find_number(task, "container.request.delay").value_or(0) > 0) delays_ += number;
    opportunistic_ += find_text(task, "container.execution.type") == "OPPORTUNISTIC" ? number : 0;
  }

  JobSpec job_of(const Json& json, const std::vector<Group>& groups) {
    JobSpec job;
    job.priority = static_cast<int>(
        std::clamp(find_whole(json, "job.priority", 0), -kMostPriority, kMostPriority));
    const bool maps = std::ranges::any_of(groups, [](const Group& one) { return !one.reduce; });
    if (!maps) repaired(kReduceOnly);
    std::vector<int> before;
    for (const bool reduce : {false, true}) {
      int number = 0;
      for (const Group& group : groups) {
        if (group.reduce != reduce) continue;
        if (!reduce) before.push_back(static_cast<int>(job.phases.size()));
        PhaseSpec& phase = job.phases.emplace_back();
        phase.name = reduce ? "reduce" : "map";
        if (++number > 1) phase.name += "-" + std::to_string(number);
        phase.kind = reduce && maps ? PhaseKind::kReduce : PhaseKind::kMap;
        if (reduce) phase.after = before;
        phase.tasks = static_cast<int>(group.tasks);
        phase.request = group.request;
        fill(phase, group);
      }
    }
    return job;
  }

  void fill(PhaseSpec& phase, const Group& group) {
    if (group.times.size() == 1) {
      static_cast<TaskSpec&>(phase) = spec_of(group.times.front().first);
      return;
    }
    for (const auto& [millis, count] : group.times)
      if (count > 1) copy(count - 1);
    for (const auto& [millis, count] : group.times)
      phase.each.insert(phase.each.end(), static_cast<std::size_t>(count), spec_of(millis));
    if (std::ranges::count(phase.each, phase.each.front()) == std::ssize(phase.each)) {
      static_cast<TaskSpec&>(phase) = phase.each.front();
      phase.each.clear();
    }
  }

  TaskSpec spec_of(double millis) const {
    TaskSpec spec;
    Drawn& work = options_.work == ImportOptions::Work::kCpu ? spec.cpu : spec.sleep;
    work.mean = std::max(1.0, std::round(millis * 1e3));
    return spec;
  }

  std::vector<NodeSpec> nodes() {
    std::vector<NodeSpec> nodes;
    std::string source;
    if (!options_.nodes && !rack_nodes_.empty()) {
      nodes = equal_nodes(static_cast<int>(rack_nodes_.size()), kNode);
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        Resources size = rack_nodes_[i];
        if (options_.cores) size.cores = *options_.cores;
        if (options_.memory) size.memory = *options_.memory;
        nodes[i].capacity = nodes[i].allowance = size;
      }
      report_.state("cluster: " + counted(std::ssize(nodes), "node") +
                    ", from the racks in the trace (--nodes, --cores, --memory)");
      return nodes;
    }
    int count = kNodes;
    if (options_.nodes) {
      count = *options_.nodes;
    } else if (num_nodes_) {
      count = *num_nodes_;
      source = "; their number is num.nodes";
    } else if (!hosts_.empty()) {
      count = static_cast<int>(hosts_.size());
      source = "; their number is that of the different container.host";
    }
    const Resources size{options_.cores.value_or(kNode.cores),
                         options_.memory.value_or(kNode.memory)};
    report_.state("cluster: " + nodes_text(count, size) + source + " (--nodes, --cores, --memory)");
    return equal_nodes(count, size);
  }

  void state_choices() {
    report_.state("application masters are left out");
    report_.state(options_.work == ImportOptions::Work::kCpu
                      ? "tasks compute for their run time"
                      : "tasks sleep for their run time (--work cpu: they compute)");
    if (zero_ && *zero_ != 0)
      report_.state("0 is the submission of the first job in the trace, " +
                    std::to_string(std::llround(*zero_)) + " ms after 1970");
    if (without_memory_ > 0)
      report_.state("entries of job.tasks without memory: " + std::to_string(without_memory_) +
                    "; these tasks request " + print_bytes(options_.memory_per_core) +
                    " (--memory-per-core)");
    if (wishes_ > 0)
      report_.state(counted(wishes_, "task") + " with a preferred host (container.host): ignored");
    if (delays_ > 0)
      report_.state(counted(delays_, "task") + " with a container.request.delay: ignored");
    if (opportunistic_ > 0)
      report_.state(counted(opportunistic_, "opportunistic task") + ": run as guaranteed");
  }

  std::vector<Input>& files_;
  const ImportOptions& options_;
  JobCollection& jobs_;
  ImportReport& report_;
  Input* input_ = nullptr;  ///< the file that is being read
  std::optional<int> num_nodes_;
  std::vector<Resources> rack_nodes_;
  std::set<std::string> hosts_;
  std::set<std::size_t> ids_;  ///< hashes of the ids
  std::optional<double> zero_;
  double last_ = -1e300, clones_ = 0, copies_ = 0;
  std::int64_t without_memory_ = 0, wishes_ = 0, delays_ = 0, opportunistic_ = 0;
};

bool looks_like(std::string_view head) {
  const std::size_t begin = head.find_first_not_of(" \t\r\n[");
  const auto has = [&](std::string_view key) { return head.find(key) != std::string_view::npos; };
  return begin != std::string_view::npos && head[begin] == '{' && !has("\"mapTasks\"") &&
         !has("\"jobID\"") &&
         (has("\"job.tasks\"") || has("\"am.type\"") || has("\"yarn.sls.am.type\"") ||
          has("\"num.nodes\""));
}

}  // namespace
}  // namespace heddle::trace::sls

namespace heddle::trace {

Imported import_sls(std::vector<Input>& files, const ImportOptions& options, JobCollection& jobs,
                    ImportReport& report) {
  return sls::Reader(files, options, jobs, report).read();
}

bool is_sls(std::string_view head) { return sls::looks_like(head); }

}  // namespace heddle::trace
