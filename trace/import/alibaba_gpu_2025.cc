#include "trace/import/alibaba_gpu_2025.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

#include "trace/import/collection.h"
#include "trace/import/csv.h"
#include "trace/import/scaling.h"

namespace heddle::trace {
namespace alibaba_gpu_2025 {
namespace {

/// Columns that the file must have.
constexpr std::array<std::string_view, 8> kColumns{
    "instance_sn",    "role",          "app_name",       "cpu_request",
    "memory_request", "creation_time", "scheduled_time", "deletion_time"};
constexpr std::size_t kLongestId = 4096;
/// As many of these machines hold all instances that run at the same time.
constexpr int kDefaultNodes = 2500;
const Resources kDefaultMachine{Millicores(192'000), EmuBytes(1LL << 40)};
constexpr double kMostCores = 1e4, kMostGibibytes = 1 << 20;

constexpr Repair kBefore{"before_the_trace",
                         "was created before the trace: its time from 0 on was kept"};
constexpr Repair kAfter{"after_the_trace",
                        "has no deletion time: its time until the last time in the trace was kept"};

/// An instance. Times are in seconds.
struct Instance {
  std::string id, user, queue;
  double created = 0, start = 0;
  std::optional<double> end;
  Resources request;
};

class Reader {
 public:
  Reader(Input& input, const ImportOptions& options, JobCollection& jobs, ImportReport& report)
      : input_(input),
        options_(options),
        jobs_(jobs),
        report_(report),
        table_(input, report),
        work_(options) {}

  Imported read() {
    while (table_.next()) read_row();
    // Only now is the last time known.
    for (const Instance& instance : instances_) add(instance);
    Imported imported;
    imported.scenario = task_frame(options_, input_.name());
    const Resources size{options_.cores.value_or(kDefaultMachine.cores),
                         options_.memory.value_or(kDefaultMachine.memory)};
    const int count = options_.nodes.value_or(kDefaultNodes);
    imported.scenario.cluster.nodes = equal_nodes(count, size);
    report_.state("cluster: " + nodes_text(count, size) +
                  "; the trace has no machines (--nodes, --cores, --memory)");
    if (gpus_ > 0)
      report_.state(counted(gpus_, "instance") +
                    " with GPUs: Heddle has no GPUs, so only cores and memory are requested");
    if (limited_ > 0)
      report_.state(counted(limited_, "instance") +
                    " with a limit on instances of a node (max_instance_per_node): ignored");
    work_.state(report_);
    return imported;
  }

 private:
  void read_row() {
    const std::string_view id = table_.of("instance_sn"), user = table_.of("app_name"),
                           queue = table_.of("role");
    bool readable = !id.empty() && std::max({id.size(), user.size(), queue.size()}) <= kLongestId;
    const auto created = table_.time("creation_time", readable);
    const auto scheduled = table_.time("scheduled_time", readable);
    const auto deleted = table_.time("deletion_time", readable);
    if (!readable) return report_.repaired(kUnreadable, input_);
    const double created_at = created.value_or(0), start = scheduled.value_or(created_at);
    if (deleted && *deleted < start) return report_.repaired(kEndsBefore, input_);
    if (!seen_.insert(std::hash<std::string_view>()(id)).second)
      return report_.repaired(kDuplicate, input_);
    if (!created) report_.repaired(kBefore, input_);
    if (!deleted) report_.repaired(kAfter, input_);
    if (deleted && *deleted == start) report_.repaired(kZeroTime, input_);
    last_ = std::max({last_, start, deleted.value_or(0)});
    gpus_ += csv::number(table_.of("gpu_request")).value_or(0) > 0;
    limited_ += csv::number(table_.of("max_instance_per_node")).value_or(0) > 0;
    instances_.push_back({std::string(id), std::string(user), std::string(queue), created_at, start,
                          deleted, request()});
    if (instances_.size() > kMostImportedJobs)
      throw BadTrace{"more than " + std::to_string(kMostImportedJobs) +
                     " instances; expected at most as many"};
  }

  Resources request() {
    const auto cores = table_.figure("cpu_request", kMostCores);
    const auto memory = table_.figure("memory_request", kMostGibibytes);
    const double all = cores.value_or(1);
    const double bytes =
        memory
            ? *memory * 0x1p30
            : std::min(static_cast<double>(options_.memory_per_core.count()) * std::max(all, 1e-3),
                       kMostGibibytes * 0x1p30);
    return {Millicores(std::max(std::llround(all * 1000), 1LL)),
            EmuBytes(std::max(std::llround(bytes), 1LL))};
  }

  void add(const Instance& instance) {
    const EmuTime submit = emu_seconds(instance.created);
    if (!jobs_.takes(instance.id, submit, instance.user, instance.queue)) return;
    JobSpec job;
    job.submit = submit;
    PhaseSpec& phase = job.phases.emplace_back();
    phase.name = "instance";
    phase.request = instance.request;
    work_.set(phase, instance.end.value_or(last_) - instance.start, phase.request, std::nullopt,
              std::nullopt);
    jobs_.add(instance.id, instance.user, instance.queue, std::move(job));
  }

  Input& input_;
  const ImportOptions& options_;
  JobCollection& jobs_;
  ImportReport& report_;
  csv::Table table_;
  csv::Work work_;
  std::vector<Instance> instances_;
  std::unordered_set<std::size_t> seen_;  ///< hashes of the ids
  double last_ = 0;                       ///< the latest time of any row
  std::int64_t gpus_ = 0, limited_ = 0;
};

}  // namespace
}  // namespace alibaba_gpu_2025

Imported import_alibaba_gpu_2025(std::vector<Input>& files, const ImportOptions& options,
                                 JobCollection& jobs, ImportReport& report) {
  if (files.size() > 1)
    throw BadTrace{"more than one file; expected disaggregated_DLRM_trace.csv alone"};
  if (!is_alibaba_gpu_2025(files.front().head()))
    throw BadTrace{
        "its first line is not the header of disaggregated_DLRM_trace.csv; expected "
        "instance_sn,role,app_name,cpu_request,…"};
  return alibaba_gpu_2025::Reader(files.front(), options, jobs, report).read();
}

bool is_alibaba_gpu_2025(std::string_view head) {
  const auto rows = csv::first_rows(head, 1);
  if (rows.empty()) return false;
  const csv::Columns columns(rows.front());
  return std::ranges::all_of(alibaba_gpu_2025::kColumns,
                             [&](std::string_view name) { return columns.has(name); });
}

}  // namespace heddle::trace
