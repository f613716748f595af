#include "trace/import/alibaba_spot_gpu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

#include "core/scenario/quantity_text.h"
#include "trace/import/collection.h"
#include "trace/import/csv.h"
#include "trace/import/scaling.h"

namespace heddle::trace {
namespace alibaba_spot_gpu {
namespace {

/// Columns that a list of jobs must have, and those of a list of nodes.
constexpr std::array<std::string_view, 6> kJobColumns{"job_name",    "cpu_request", "worker_num",
                                                      "submit_time", "duration",    "job_type"};
constexpr std::array<std::string_view, 2> kNodeColumns{"node_name", "cpu_num"};
constexpr std::size_t kLongestId = 4096;
constexpr std::size_t kMostSeen = 10'000'000;  ///< bounds the memory for names of jobs
constexpr int kDefaultNodes = 100;
constexpr Millicores kDefaultCores{128'000};
constexpr double kMostCores = 1e4, kMostWorkers = 1e6;
constexpr double kMostMemory = 0x1p50;

bool has_all(const csv::Columns& columns, auto names) {
  return std::ranges::all_of(names, [&](std::string_view name) { return columns.has(name); });
}

class Reader {
 public:
  Reader(const ImportOptions& options, JobCollection& jobs, ImportReport& report)
      : options_(options), jobs_(jobs), report_(report), work_(options) {}

  Imported read(std::vector<Input>& files) {
    for (Input& file : files) {
      csv::Table table(file, report_);
      if (has_all(table.columns(), kJobColumns))
        while (table.next()) read_job(file, table);
      else if (has_all(table.columns(), kNodeColumns))
        read_nodes(table);
      else
        throw BadTrace{file.name() +
                           ": its first line is not the header of job_info_df.csv or "
                           "node_info_df.csv; expected job_name,organization,… or "
                           "gpu_model,gpu_capacity_num,cpu_num,node_name",
                       true};
    }
    Imported imported;
    imported.scenario = rigid_frame(options_, files.front().name());
    imported.scenario.cluster.nodes = nodes();
    report_.state("the trace has no memory; tasks request " +
                  print_bytes(options_.memory_per_core) + " for each core (--memory-per-core)");
    if (gpus_ > 0)
      report_.state(counted(gpus_, "job") +
                    " with GPUs: Heddle has no GPUs, so only cores and memory are requested");
    work_.state(report_);
    return imported;
  }

 private:
  EmuBytes memory_of(double cores) const {
    const double bytes = static_cast<double>(options_.memory_per_core.count()) * cores;
    return EmuBytes(std::max(std::llround(std::min(bytes, kMostMemory)), 1LL));
  }

  void read_job(Input& input, csv::Table& table) {
    const std::string_view id = table.of("job_name"), user = table.of("organization"),
                           queue = table.of("job_type");
    auto submit_s = csv::number(table.of("submit_time"));
    if (submit_s == -1) {
      submit_s = report_.submission_above(last_, input);
      if (!submit_s) return;
    }
    const auto duration = csv::number(table.of("duration"));
    if (id.empty() || std::max({id.size(), user.size(), queue.size()}) > kLongestId || !submit_s ||
        std::abs(*submit_s) > kMostSeconds || (!duration && !table.of("duration").empty()) ||
        duration.value_or(0) > kMostSeconds)
      return report_.repaired(kUnreadable, input);
    if (duration.value_or(-1) < 0) return report_.repaired(kNeverRan, input);
    const auto count = csv::number(table.of("worker_num"));
    if (count && *count > kMostWorkers) return report_.repaired(kUnreadable, input);
    if (seen_.size() >= kMostSeen) seen_.clear();
    if (!seen_.insert(std::hash<std::string_view>()(id)).second)
      return report_.repaired(kDuplicate, input);
    const double workers = table.figure("worker_num", kMostWorkers).value_or(1);
    if (workers != std::floor(workers)) report_.repaired(kFraction, input);
    if (*duration == 0) report_.repaired(kZeroTime, input);
    if (*submit_s < last_) report_.repaired(kOutOfOrder, input);
    last_ = std::max(last_.value_or(*submit_s), *submit_s);
    const double cores = table.figure("cpu_request", kMostCores).value_or(1);
    const EmuTime submit = emu_seconds(*submit_s);
    gpus_ += csv::number(table.of("gpu_request")).value_or(0) > 0;
    if (!jobs_.takes(id, submit, user, queue)) return;
    JobSpec job;
    job.submit = submit;
    job.priority = queue == "HP" ? 1 : 0;
    PhaseSpec& phase = job.phases.emplace_back();
    phase.name = "workers";
    phase.tasks = static_cast<int>(std::max(std::round(workers), 1.0));
    phase.gang = true;
    phase.request = {Millicores(std::max(std::llround(cores * 1000), 1LL)), memory_of(cores)};
    work_.set(phase, *duration, phase.request, std::nullopt, std::nullopt);
    jobs_.add(id, user, queue, std::move(job));
  }

  void read_nodes(csv::Table& table) {
    while (table.next()) {
      const auto cores = table.figure("cpu_num", kMostCores);
      const Millicores size =
          cores ? Millicores(std::max(std::llround(*cores * 1000), 1LL)) : kDefaultCores;
      machines_.push_back({size, memory_of(static_cast<double>(size.count()) / 1000)});
      if (machines_.size() > kMostImportedNodes)
        throw BadTrace{"more than 20000 nodes; expected at most 20000"};
    }
  }

  std::vector<NodeSpec> nodes() {
    if (!machines_.empty()) {
      std::vector<NodeSpec> nodes = csv::nodes_of(machines_, options_);
      report_.state("cluster: " + counted(std::ssize(nodes), "node") + ", from the list of " +
                    counted(std::ssize(machines_), "node") + " (--nodes, --cores, --memory)");
      return nodes;
    }
    const Millicores cores = options_.cores.value_or(kDefaultCores);
    const Resources size{
        cores, options_.memory.value_or(memory_of(static_cast<double>(cores.count()) / 1000))};
    const int count = options_.nodes.value_or(kDefaultNodes);
    report_.state("cluster: " + nodes_text(count, size) +
                  " (--nodes, --cores, --memory, or node_info_df.csv as another file)");
    return equal_nodes(count, size);
  }

  const ImportOptions& options_;
  JobCollection& jobs_;
  ImportReport& report_;
  csv::Work work_;
  std::unordered_set<std::size_t> seen_;  ///< hashes of the names of jobs
  std::vector<Resources> machines_;
  std::optional<double> last_;
  std::int64_t gpus_ = 0;
};

}  // namespace
}  // namespace alibaba_spot_gpu

Imported import_alibaba_spot_gpu_2026(std::vector<Input>& files, const ImportOptions& options,
                                      JobCollection& jobs, ImportReport& report) {
  return alibaba_spot_gpu::Reader(options, jobs, report).read(files);
}

bool is_alibaba_spot_gpu_2026(std::string_view head) {
  const auto rows = csv::first_rows(head, 1);
  return !rows.empty() &&
         alibaba_spot_gpu::has_all(csv::Columns(rows.front()), alibaba_spot_gpu::kJobColumns);
}

}  // namespace heddle::trace
