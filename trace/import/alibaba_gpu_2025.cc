// Reads disaggregated_DLRM_trace.csv of Alibaba's cluster-trace-gpu-v2025
// (https://github.com/alibaba/clusterdata). Each instance becomes a job of one task, with the user
// `app_name` and the queue `role`. The trace has no machines. Requests of RDMA and disks are
// ignored, because the trace does not say how much of them a machine has.

#include "trace/import/gpus.h"
#include "trace/import/importer.h"

namespace heddle::trace {
namespace alibaba_gpu_2025 {
namespace {

/// As many of these machines hold all instances that run at the same time.
constexpr int kDefaultNodes = 2500;
constexpr int kDefaultGpus = 8;
const Resources kDefaultMachine{Millicores(192'000), EmuBytes(1LL << 40)};

constexpr Repair kBefore{"before_the_trace",
                         "was created before the trace: its time from 0 on was kept"};
constexpr Repair kAfter{"after_the_trace",
                        "has no deletion time: its time until the last time in the trace was kept"};

struct Instance {
  std::string id, user, queue;
  std::optional<double> created, scheduled, deleted, cores, memory, gpus, limit;
};
constexpr Column<Instance> kColumns[] = {
    column<&Instance::id>("instance_sn", kId),
    column<&Instance::user>("app_name", kText),
    column<&Instance::queue>("role", kText),
    column<&Instance::created>("creation_time", kSeconds),
    column<&Instance::scheduled>("scheduled_time", kSeconds),
    column<&Instance::deleted>("deletion_time", kSeconds),
    column<&Instance::cores>("cpu_request", figure(1e4)),
    column<&Instance::memory>("memory_request", figure(1 << 20, 1 << 30)),
    column<&Instance::gpus>("gpu_request", kIfKnown),
    column<&Instance::limit>("max_instance_per_node", kIfKnown)};
constexpr Table<Instance> kInstances{kColumns};

bool is_trace(std::string_view head) { return has_columns(kInstances, head); }

class Reader : public Importer {
 public:
  using Importer::Importer;

  Imported read() {
    need_one_file("disaggregated_DLRM_trace.csv alone");
    if (!is_trace(files_.front().head()))
      throw BadTrace{
          "its first line is not the header of disaggregated_DLRM_trace.csv; expected "
          "instance_sn,role,app_name,cpu_request,…"};
    read_rows(files_.front(), kInstances, [&](Instance& row) { read_row(row); });
    // Only now is the last time known.
    for (const Instance& instance : instances_) add_instance(instance);
    Imported imported = made(
        &task_frame, equal_cluster(kDefaultNodes, kDefaultMachine, "; the trace has no machines"));
    if (gpus_ > 0)
      Gpus().give(imported.scenario.cluster, kDefaultGpus, counted(gpus_, "instance"), report_);
    report_.state(limited_, "instance",
                  "with a limit on instances of a node (max_instance_per_node): ignored");
    state_work();
    return imported;
  }

 private:
  static double created(const Instance& row) { return row.created.value_or(0); }
  static double start(const Instance& row) { return row.scheduled.value_or(created(row)); }

  void read_row(Instance& row) {
    if (row.deleted < start(row) && row.deleted) return repaired(kEndsBefore);
    if (!is_new(row.id)) return repaired(kDuplicate);
    if (!row.created) repaired(kBefore);
    if (!row.deleted) repaired(kAfter);
    if (row.deleted == start(row)) repaired(kZeroTime);
    kept();
    latest_ = std::max({latest_, start(row), row.deleted.value_or(0)});
    if (!Gpus::amount(row.gpus.value_or(0))) {
      repaired(kUnclearGpus);
      row.gpus = 0;
    }
    gpus_ += row.gpus > 0;
    limited_ += row.limit > 0;
    instances_.push_back(std::move(row));
    if (instances_.size() > kMostImportedJobs)
      throw BadTrace{"more than " + std::to_string(kMostImportedJobs) +
                     " instances; expected at most as many"};
  }

  void add_instance(const Instance& row) {
    add(row.id, row.user, row.queue, emu_seconds(created(row)), [&](JobSpec& job) {
      PhaseSpec& phase = add_phase(job, "instance", request_of(row.cores, row.memory));
      phase.request.counts.set(0, Gpus::amount(row.gpus.value_or(0)).value_or(Thousandths(0)));
      set_work(phase, row.deleted.value_or(latest_) - start(row), phase.request);
    });
  }

  std::vector<Instance> instances_;
  double latest_ = 0;  ///< the latest time of any row
  std::int64_t gpus_ = 0, limited_ = 0;
};

}  // namespace
}  // namespace alibaba_gpu_2025

const FormatCode formats::alibaba_gpu_2025{&alibaba_gpu_2025::is_trace,
                                           &import_with<alibaba_gpu_2025::Reader>, kUsersAndQueues};

}  // namespace heddle::trace
