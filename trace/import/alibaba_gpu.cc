// Reads openb_pod_list_*.csv of Alibaba's cluster-trace-gpu-v2023
// (https://github.com/alibaba/clusterdata). Another file can be openb_node_list_*.csv of the same
// trace, whose machines become the cluster, with their GPUs and models. Each pod becomes a job of
// one task, in the queue of its QoS class. A pod asks for a part of one GPU or for whole GPUs, and
// for the models that it names.

#include <algorithm>

#include "trace/import/gpus.h"
#include "trace/import/importer.h"

namespace heddle::trace {
namespace alibaba_gpu {
namespace {

constexpr int kDefaultNodes = 100;
constexpr int kDefaultGpus = 8;
const Resources kDefaultMachine{Millicores(96'000), EmuBytes(384LL << 30)};
constexpr Rule kCores = figure(1e7, 1, 1000), kMemory = figure(1LL << 30, 1 << 20);

constexpr Repair kNeverScheduled{
    "never_scheduled", "was never scheduled: its time from creation to deletion was kept"};
constexpr Repair kNoEnd{"no_end", "has no deletion time: left out"};

struct Pod {
  std::string_view name, qos, models;
  std::optional<double> created, deleted, scheduled, cores, memory, gpus, part;
};
constexpr Column<Pod> kPodColumns[] = {column<&Pod::name>("name", kId),
                                       column<&Pod::qos>("qos", kText.optional()),
                                       column<&Pod::created>("creation_time", kSeconds),
                                       column<&Pod::deleted>("deletion_time", kSeconds),
                                       column<&Pod::scheduled>("scheduled_time", kSeconds),
                                       column<&Pod::cores>("cpu_milli", kCores),
                                       column<&Pod::memory>("memory_mib", kMemory),
                                       column<&Pod::gpus>("num_gpu", kIfKnown),
                                       column<&Pod::part>("gpu_milli", kIfKnown),
                                       column<&Pod::models>("gpu_spec", kText.optional())};
constexpr Table<Pod> kPods{kPodColumns};

struct Machine {
  std::string_view name, model;
  std::optional<double> cores, memory, gpus;
};
constexpr Column<Machine> kMachineColumns[] = {
    column<&Machine::name>("sn"), column<&Machine::cores>("cpu_milli", kCores),
    column<&Machine::memory>("memory_mib", kMemory), column<&Machine::gpus>("gpu", kIfKnown),
    column<&Machine::model>("model", kText.optional())};
constexpr Table<Machine> kMachines{kMachineColumns};

/// Returns whether the first row of a file begins with these columns.
bool is_list(std::string_view head, std::string_view first) {
  const std::vector<Cells> rows = first_rows(head, 1);
  return !rows.empty() && rows[0].size() >= 3 && rows[0][0] == first && rows[0][1] == "cpu_milli" &&
         rows[0][2] == "memory_mib";
}

class Reader : public Importer {
 public:
  using Importer::Importer;

  Imported read() {
    if (!is_list(files_.front().head(), "name") && !is_list(files_.front().head(), "sn"))
      throw BadTrace{
          "its first line is not the header of openb_pod_list; expected "
          "name,cpu_milli,memory_mib,num_gpu,…"};
    lists_machines_ =
        std::ranges::any_of(files_, [](Input& file) { return is_list(file.head(), "sn"); });
    for (Input& file : files_) read_file(file);
    Imported imported = made(
        &task_frame,
        machines_.empty()
            ? equal_cluster(kDefaultNodes, kDefaultMachine, "",
                            "--nodes, --cores, --memory, or openb_node_list_all_node.csv as "
                            "another file")
            : cluster_of(machines_, "the list of " + counted(std::ssize(machines_), "machine")));
    if (gpu_pods_ > 0)
      gpus_.give(imported.scenario.cluster, kDefaultGpus, counted(gpu_pods_, "pod"), report_);
    state_work();
    return imported;
  }

 private:
  void read_file(Input& file) {
    if (is_list(file.head(), "sn"))
      return read_rows(file, kMachines, [&](const Machine& machine) { read_machine(machine); });
    if (!is_list(file.head(), "name"))
      refuse(file,
             "its first line is not the header of openb_pod_list or openb_node_list; expected "
             "name,cpu_milli,memory_mib,… or sn,cpu_milli,memory_mib,…");
    if (const auto column = missing_column(kPods, first_rows(file.head(), 1).front());
        !column.empty())
      throw BadTrace{file.name() + ":1: has no column " + std::string(column) +
                         "; expected a list with creation, deletion and scheduled times, such "
                         "as openb_pod_list_default.csv",
                     true};
    read_rows(file, kPods, [&](const Pod& pod) { read_pod(pod); });
  }

  void read_pod(const Pod& pod) {
    const auto created = pod.created ? pod.created : submission_above();
    if (!created) return;
    if (!pod.deleted) return repaired(kNoEnd);
    const double start = pod.scheduled.value_or(*created);
    if (*pod.deleted < start) return repaired(kEndsBefore);
    if (!is_new(pod.name)) return repaired(kDuplicate);
    if (!pod.scheduled) repaired(kNeverScheduled);
    if (*pod.deleted == start) repaired(kZeroTime);
    submitted(*created);
    kept();
    const Thousandths gpus = gpus_of(pod);
    const Where where = gpus > Thousandths(0) ? models_of(pod) : Where();
    gpu_pods_ += gpus > Thousandths(0);
    add(
        pod.name, "", pod.qos, emu_seconds(*created),
        [&](JobSpec& job) {
          PhaseSpec& phase = add_phase(job, "pod", request_of(pod.cores, pod.memory));
          phase.request.counts.set(0, gpus);
          phase.where = where;
          set_work(phase, *pod.deleted - start, phase.request);
        },
        {}, run_of(pod, *created));
  }

  /// Returns nullopt if the pod was not scheduled after its creation.
  static std::optional<LoggedRun> run_of(const Pod& pod, double created) {
    if (!pod.scheduled || *pod.scheduled < created) return std::nullopt;
    return LoggedRun{0, *pod.scheduled - created, *pod.deleted - created};
  }

  void read_machine(const Machine& machine) {
    kept();
    const Resources size = request_of(machine.cores, machine.memory);
    machines_.push_back({machine.cores ? size.cores : kDefaultMachine.cores,
                         machine.memory ? size.memory : kDefaultMachine.memory});
    gpus_.add_machine(machine.gpus.value_or(0), machine.model);
    check_machines(machines_.size());
  }

  /// Returns what the pod asks for of GPUs.
  Thousandths gpus_of(const Pod& pod) {
    const auto gpus = Gpus::amount(pod.gpus.value_or(0), pod.part.value_or(1000) / 1e3);
    if (!gpus) repaired(kUnclearGpus);
    return gpus.value_or(Thousandths(0));
  }
  /// Returns the condition that the pod sets on the model of its GPUs. Without a list of machines,
  /// there is none, because no model is known.
  Where models_of(const Pod& pod) {
    if (!lists_machines_) return {};
    const auto where = Gpus::one_of(pod.models);
    if (!where) repaired(kUnclearModel);
    return where.value_or(Where());
  }

  std::vector<Resources> machines_;
  Gpus gpus_;
  bool lists_machines_ = false;
  std::int64_t gpu_pods_ = 0;
};

bool is_pod_list(std::string_view head) { return is_list(head, "name"); }

}  // namespace
}  // namespace alibaba_gpu

const FormatCode formats::alibaba_gpu_2023{&alibaba_gpu::is_pod_list,
                                           &import_with<alibaba_gpu::Reader>, kQueuesOnly};

}  // namespace heddle::trace
