// Reads workflows of WfCommons (WfFormat 1.3 to 1.6, https://github.com/wfcommons/WfFormat). Each
// file is a workflow, and each task a job with one task, which waits for its parents. Up to 1.4, a
// task has everything in one place. From 1.5 on, the structure is in `specification` and what was
// measured is in `execution`.

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "common/text.h"
#include "trace/import/importer.h"
#include "wire/fields.h"

namespace heddle::trace {
namespace {

using wire::Fields;
using wire::Json;

constexpr double kMostFileBytes = 1LL << 50;
constexpr std::size_t kMostListed = kMostImportedJobs, kMostParents = 100'000;
constexpr std::size_t kLongestId = 4096;
/// A node of which the file does not say the size.
constexpr double kCores = 8, kBytes = 16LL << 30;

constexpr Repair kUnknownParent{"unknown_parent",
                                "names a parent that is no task: waits not for it"};
constexpr Repair kNoRunTime{"no_run_time",
                            "has no run time: left out, with what it would wait for"};
constexpr Repair kUnknownFile{"unknown_file", "reads or writes a file without a size: of 0 bytes"};

struct Task {
  std::string id, name;
  std::vector<std::string> parents;
  std::optional<double> seconds, cores, cpu_percent, memory;
  double input = 0, output = 0;  ///< bytes of its files
};

std::optional<double> optional_number(const Fields& fields, std::initializer_list<const char*> keys,
                                      double least, double most) {
  for (const char* key : keys)
    if (fields.has(key)) return fields.number(key, least, most);
  return std::nullopt;
}

std::vector<std::string> texts(const Fields& fields, const char* key) {
  std::vector<std::string> all;
  if (!fields.has(key)) return all;
  for (const Json& item : fields.array(key, kMostParents)) {
    if (!item.is_string()) fields.bad(key, "texts");
    all.push_back(item.get<std::string>());
  }
  return all;
}

/// Calls `use` with each object of a list.
void each_object(const Fields& fields, const char* key, const auto& use) {
  const std::vector<Json>& list = fields.array(key, kMostListed);
  for (std::size_t i = 0; i < list.size(); ++i)
    use(Fields(list[i], fields.path(key) + "[" + std::to_string(i) + "]"));
}

class Reader : public Importer {
 public:
  using Importer::Importer;

  Imported read() {
    for (Input& file : files_) {
      input_ = &file;
      const Json json = wire::parse_json(file.rest());
      if (json.is_discarded()) refuse(file, "is not JSON; expected a workflow of WfCommons");
      read_workflow(Fields(json, "workflow"));
    }
    report_.state("each workflow is submitted at 0");
    report_.state(
        "reading and writing files is a part of the run times: it is taken off the work, "
        "at the speed of a node's disk");
    state_work();
    Imported imported = made(&frame, nodes());
    return imported;
  }

 private:
  static Scenario frame(const ImportOptions& options, const std::string& filename) {
    Scenario scenario = task_frame(options, filename);
    scenario.cluster.dispatch = Dispatch::kImmediate;
    return scenario;
  }

  void read_workflow(const Fields& instance) {
    std::string name = as_in_names(instance.text("name", kLongestId)).substr(0, 24);
    if (!valid_name(name))
      name = ("w" + name).substr(0, 24);  // as it begins with another character
    workflow_ = workflows_.of(name);
    const Fields all = instance.object("workflow");
    std::vector<Task> tasks;
    if (all.has("specification"))
      read_parts(all, tasks);
    else
      each_object(all, "tasks", [&](const Fields& task) {
        tasks.push_back(structure_of(task));
        measure(task, tasks.back());
        if (!task.has("files")) return;
        each_object(task, "files", [&](const Fields& one) {
          const double bytes =
              optional_number(one, {"sizeInBytes", "size"}, 0, kMostFileBytes).value_or(0);
          double& sum = one.text("link") == "output" ? tasks.back().output : tasks.back().input;
          sum = std::min(sum + bytes, kMostFileBytes);
        });
      });
    const Fields machines = all.has("execution") ? all.object("execution") : all;
    if (machines.has("machines"))
      each_object(machines, "machines", [&](const Fields& machine) { add_machine(machine); });
    add_jobs(tasks);
  }

  /// Reads the tasks of WfFormat 1.5 and later.
  void read_parts(const Fields& all, std::vector<Task>& tasks) {
    const Fields specification = all.object("specification");
    std::unordered_map<std::string, double> sizes;
    if (specification.has("files"))
      each_object(specification, "files", [&](const Fields& file) {
        sizes[file.text("id", kLongestId)] = file.number("sizeInBytes", 0, kMostFileBytes);
      });
    std::unordered_map<std::string, std::size_t> places;
    each_object(specification, "tasks", [&](const Fields& task) {
      places.emplace(task.text("id", kLongestId), tasks.size());
      tasks.push_back(structure_of(task));
      tasks.back().input = bytes_of(texts(task, "inputFiles"), sizes);
      tasks.back().output = bytes_of(texts(task, "outputFiles"), sizes);
    });
    if (!all.has("execution"))
      all.bad("execution", "what was measured of the tasks, as their run times");
    each_object(all.object("execution"), "tasks", [&](const Fields& task) {
      const auto place = places.find(task.text("id", kLongestId));
      if (place == places.end()) task.bad("id", "the id of a task of the specification");
      measure(task, tasks[place->second]);
    });
  }

  double bytes_of(const std::vector<std::string>& files,
                  const std::unordered_map<std::string, double>& sizes) {
    double sum = 0;
    for (const std::string& file : files) {
      const auto size = sizes.find(file);
      if (size == sizes.end())
        repaired(kUnknownFile);
      else
        sum += size->second;
    }
    return std::min(sum, kMostFileBytes);
  }

  Task structure_of(const Fields& fields) {
    ++report_.rows;
    Task task;
    task.name = fields.text("name", kLongestId);
    task.id = fields.has("id") ? fields.text("id", kLongestId) : task.name;
    task.parents = texts(fields, "parents");
    return task;
  }

  static void measure(const Fields& fields, Task& task) {
    task.seconds = optional_number(fields, {"runtimeInSeconds", "runtime"}, 0, kMostSeconds);
    task.cores = optional_number(fields, {"coreCount", "cores"}, 0, 10'000);
    task.cpu_percent = optional_number(fields, {"avgCPU"}, 0, 1e9);
    task.memory = optional_number(fields, {"memoryInBytes", "memory"}, 0, kMostFileBytes);
  }

  void add_machine(const Fields& machine) {
    double cores = kCores;
    if (machine.has("cpu"))
      cores =
          optional_number(machine.object("cpu"), {"coreCount", "count"}, 1, 10'000).value_or(cores);
    const double bytes =
        optional_number(machine, {"memoryInBytes", "memory"}, 1, kMostFileBytes).value_or(kBytes);
    machines_.push_back({Millicores(std::llround(cores * 1000)), EmuBytes(std::llround(bytes))});
    check_machines(machines_.size());
  }

  /// Returns the tasks, each after its parents. Tasks in a cycle come in the order of the file.
  std::vector<std::size_t> in_order(const std::vector<Task>& tasks) {
    std::unordered_map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < tasks.size(); ++i) places.emplace(tasks[i].id, i);
    for (std::size_t i = 0; i < tasks.size(); ++i) places.emplace(tasks[i].name, i);
    parents_.assign(tasks.size(), {});
    std::vector<std::vector<std::size_t>> children(tasks.size());
    std::vector<std::size_t> open(tasks.size());
    std::set<std::size_t> ready, left;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      for (const std::string& parent : tasks[i].parents) {
        const auto place = places.find(parent);
        if (place == places.end()) {
          repaired(kUnknownParent);
          continue;
        }
        parents_[i].push_back(place->second);
        children[place->second].push_back(i);
        ++open[i];
      }
      (open[i] == 0 ? ready : left).insert(i);
    }
    std::vector<std::size_t> order;
    while (!ready.empty() || !left.empty()) {
      std::set<std::size_t>& from = ready.empty() ? left : ready;
      const std::size_t next = *from.begin();
      from.erase(from.begin());
      order.push_back(next);
      for (const std::size_t child : children[next])
        if (--open[child] == 0 && left.erase(child) > 0) ready.insert(child);
    }
    return order;
  }

  void add_jobs(const std::vector<Task>& tasks) {
    const std::vector<std::size_t> order = in_order(tasks);
    UniqueNames unique;
    std::vector<std::string> ids;
    // The name of a job has "job-" before its id, and must not be cut.
    for (const Task& task : tasks)
      ids.push_back((files_.size() > 1 ? workflow_ + "-" : "") +
                    unique.of(as_in_names(task.id).substr(0, files_.size() > 1 ? 28 : 48)));
    for (const std::size_t i : order) {
      if (!tasks[i].seconds) {
        repaired(kNoRunTime);
        continue;
      }
      add(ids[i], {}, {}, EmuTime(0), [&](JobSpec& job) {
        job.workflow = workflow_;
        for (const std::size_t parent : parents_[i])
          job.after.push_back({job_before(ids[parent]), AfterWhen::kOk, EmuTime(0)});
        fill(tasks[i], job);
      });
    }
  }

  void fill(const Task& task, JobSpec& job) {
    const std::optional<double> cores = task.cores && *task.cores > 0 ? task.cores : std::nullopt;
    const Resources request = request_of(cores, task.memory);
    PhaseSpec& phase = add_phase(job, "task", request);
    phase.input.mean = std::round(task.input);
    phase.output.mean = std::round(task.output);
    const double moved_s = (task.input + task.output) / NodeSpec{}.disk_bytes_per_s;
    std::optional<double> used;
    if (task.cpu_percent) used = *task.cpu_percent / 100;
    set_work(phase, std::max(*task.seconds - moved_s, 1e-6), request, used, task.memory);
  }

  std::vector<NodeSpec> nodes() {
    if (!machines_.empty()) return cluster_of(machines_, "the machines of the file");
    return equal_cluster(10,
                         {Millicores(std::llround(kCores * 1000)), EmuBytes(std::llround(kBytes))},
                         "; the file has no machines");
  }

  std::string workflow_;  ///< name of the workflow that is being read
  UniqueNames workflows_;
  std::vector<std::vector<std::size_t>> parents_;  ///< of its tasks
  std::vector<Resources> machines_;
};

/// The file names the schema, and has a workflow with tasks.
bool is_wfcommons(std::string_view head) {
  return head.find("\"schemaVersion\"") != std::string_view::npos &&
         head.find("\"workflow\"") != std::string_view::npos;
}

}  // namespace

const FormatCode formats::wfcommons{&is_wfcommons, &import_with<Reader>};

}  // namespace heddle::trace
