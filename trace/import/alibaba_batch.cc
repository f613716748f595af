#include "trace/import/alibaba_batch.h"

#include <algorithm>
#include <set>

#include "common/text.h"
#include "core/scenario/quantity_text.h"
#include "trace/import/alibaba_rows.h"
#include "trace/import/collection.h"
#include "trace/import/csv.h"
#include "trace/import/scaling.h"

namespace heddle::trace::alibaba {
namespace {

constexpr int kDefaultNodes = 100;

/// Makes the scenario of the rows.
class Maker {
 public:
  Maker(const Format& format, const ImportOptions& options, JobCollection& jobs,
        ImportReport& report)
      : format_(format),
        options_(options),
        collection_(jobs),
        report_(report),
        rows_(format, options, jobs, report),
        machine_(rows_.machine()),
        work_(options) {}

  Imported make(std::vector<Input>& files) {
    rows_.read(files);
    for (const Jobs::value_type* entry : rows_.in_order())
      collection_.add(entry->first, "", "", job_of(entry->first, entry->second));
    Imported imported;
    imported.scenario = task_frame(options_, files.front().name());
    imported.scenario.cluster.nodes = equal_nodes(options_.nodes.value_or(kDefaultNodes), machine_);
    state(files.size() > 1);
    return imported;
  }

 private:
  JobSpec job_of(const std::string& id, const Job& job) {
    JobSpec spec;
    spec.submit = job.submit;
    std::set<std::string> names;
    for (const Task& task : job.tasks) {
      PhaseSpec& phase = spec.phases.emplace_back();
      phase.name = name_of(task.name, names);
      phase.request = task.request;
      set_work(phase, task);
    }
    if (format_.link != nullptr) format_.link(id, job, spec.phases, report_);
    return spec;
  }

  static std::string name_of(std::string_view text, std::set<std::string>& taken) {
    std::string base(text.substr(0, kLongestName));
    for (char& c : base)
      if (!valid_name(std::string("a") + c)) c = '_';
    if (!valid_name(base) || csv::number(base)) base = ("t" + base).substr(0, kLongestName);
    std::string name = base;
    for (int next = 2; !taken.insert(name).second; ++next) {
      const std::string behind = "-" + std::to_string(next);
      name = base.substr(0, kLongestName - behind.size()) + behind;
    }
    return name;
  }

  void set_work(PhaseSpec& phase, const Task& task) {
    // Requests above a machine will be cut to the machine.
    const Resources request = min(phase.request, machine_);
    if (task.each.empty()) {
      phase.tasks = task.instances;
      work_.set(phase, task.seconds, request, std::nullopt, std::nullopt);
      without_instances_ += task.instances > 1;
      return;
    }
    other_count_ += std::ssize(task.each) != task.instances;
    const auto known = [](float value) {
      return value < 0 ? std::nullopt : std::optional<double>(value);
    };
    std::vector<TaskSpec> each(std::min(task.each.size(), static_cast<std::size_t>(kMostTasks)));
    for (std::size_t i = 0; i < each.size(); ++i)
      work_.set(each[i], task.each[i].seconds, request, known(task.each[i].cores),
                known(task.each[i].memory));
    csv::Work::set_tasks(phase, std::move(each));
  }

  void state(bool has_instances) {
    report_.state("cluster: " + nodes_text(options_.nodes.value_or(kDefaultNodes), machine_) +
                  "; the trace has no machines (--nodes, --cores, --memory)");
    report_.state("memory is a share of a machine in the trace and is multiplied by " +
                  print_bytes(machine_.memory) + " (--memory); CPU 100 is one core");
    if (format_.link == nullptr)
      report_.state(
          "the trace has no order of tasks; all tasks of a job can start at its "
          "submission");
    if (rows_.rows_without_cpu() > 0)
      report_.state(counted(rows_.rows_without_cpu(), "row") +
                    " without a CPU request: 1 core was taken");
    if (rows_.rows_without_memory() > 0)
      report_.state(counted(rows_.rows_without_memory(), "row") +
                    " without a memory request: " + print_bytes(options_.memory_per_core) +
                    " for each core was taken (--memory-per-core)");
    if (without_instances_ > 0)
      report_.state(counted(without_instances_, "phase") +
                    " with several instances of which only the time from the first start to the "
                    "last end is known: each instance takes this time" +
                    (has_instances ? "" : " (give batch_instance.csv as the second file)"));
    if (other_count_ > 0)
      report_.state(counted(other_count_, "phase") +
                    " with another number of instances in batch_instance.csv: its rows count");
    work_.state(report_);
  }

  const Format& format_;
  const ImportOptions& options_;
  JobCollection& collection_;
  ImportReport& report_;
  BatchRows rows_;
  const Resources machine_;
  csv::Work work_;
  std::int64_t without_instances_ = 0, other_count_ = 0;
};

}  // namespace

Imported import(const Format& format, std::vector<Input>& files, const ImportOptions& options,
                JobCollection& jobs, ImportReport& report) {
  if (!looks_like(files.front().head(), format.tasks))
    throw BadTrace{"its first rows are not of batch_task.csv; expected " +
                   std::string(format.expected)};
  return Maker(format, options, jobs, report).make(files);
}

}  // namespace heddle::trace::alibaba
