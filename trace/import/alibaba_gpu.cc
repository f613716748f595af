#include "trace/import/alibaba_gpu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

#include "core/scenario/quantity_text.h"
#include "trace/import/collection.h"
#include "trace/import/csv.h"
#include "trace/import/scaling.h"

namespace heddle::trace {
namespace alibaba_gpu {
namespace {

using Row = std::vector<std::string_view>;

/// Columns that a list of pods must have.
constexpr std::array<std::string_view, 6> kPodColumns{
    "name", "cpu_milli", "memory_mib", "creation_time", "deletion_time", "scheduled_time"};
constexpr int kDefaultNodes = 100;
const Resources kDefaultMachine{Millicores(96'000), EmuBytes(384LL << 30)};
constexpr double kMostMillicores = 1e7, kMostMebibytes = 1LL << 30;
constexpr std::size_t kLongestId = 4096;
constexpr std::size_t kMostSeen = 10'000'000;  ///< bounds the memory for names of pods

constexpr Repair kNeverScheduled{
    "never_scheduled", "was never scheduled: its time from creation to deletion was kept"};
constexpr Repair kNoEnd{"no_end", "has no deletion time: left out"};

bool is_list(const Row& header, std::string_view first) {
  return header.size() >= 3 && header[0] == first && header[1] == "cpu_milli" &&
         header[2] == "memory_mib";
}

class Reader {
 public:
  Reader(const ImportOptions& options, JobCollection& jobs, ImportReport& report)
      : options_(options), jobs_(jobs), report_(report), work_(options) {}

  Imported read(std::vector<Input>& files) {
    for (Input& file : files) {
      const Row header = csv::header_of(file);
      if (is_list(header, "name"))
        read_pods(file);
      else if (is_list(header, "sn"))
        read_nodes(file);
      else
        throw BadTrace{file.name() +
                           ": its first line is not the header of openb_pod_list or "
                           "openb_node_list; expected name,cpu_milli,memory_mib,… or "
                           "sn,cpu_milli,memory_mib,…",
                       true};
    }
    Imported imported;
    imported.scenario = task_frame(options_, files.front().name());
    imported.scenario.cluster.nodes = nodes();
    if (gpu_pods_ > 0)
      report_.state(counted(gpu_pods_, "pod") + " with " + counted(gpus_, "GPU") +
                    " in all: Heddle has no GPUs, so only cores and memory are requested");
    work_.state(report_);
    return imported;
  }

 private:
  void read_pods(Input& input) {
    csv::Table table(input, report_);
    for (const std::string_view column : kPodColumns)
      if (!table.columns().has(column))
        throw BadTrace{input.name() + ":1: has no column " + std::string(column) +
                           "; expected a list with creation, deletion and scheduled times, such "
                           "as openb_pod_list_default.csv",
                       true};
    while (table.next()) read_pod(input, table);
  }

  void read_pod(Input& input, csv::Table& table) {
    const std::string_view id = table.of("name"), queue = table.of("qos");
    bool readable = !id.empty() && std::max(id.size(), queue.size()) <= kLongestId;
    auto created = table.time("creation_time", readable);
    const auto deleted = table.time("deletion_time", readable);
    const auto scheduled = table.time("scheduled_time", readable);
    if (!readable) return report_.repaired(kUnreadable, input);
    if (!created) created = report_.submission_above(last_, input);
    if (!created) return;
    if (!deleted) return report_.repaired(kNoEnd, input);
    const double start = scheduled.value_or(*created);
    if (*deleted < start) return report_.repaired(kEndsBefore, input);
    if (seen_.size() >= kMostSeen) seen_.clear();
    if (!seen_.insert(std::hash<std::string_view>()(id)).second)
      return report_.repaired(kDuplicate, input);
    if (!scheduled) report_.repaired(kNeverScheduled, input);
    if (*deleted == start) report_.repaired(kZeroTime, input);
    if (*created < last_) report_.repaired(kOutOfOrder, input);
    last_ = std::max(last_.value_or(*created), *created);
    const Resources request = request_of(table);
    count_gpus(table);
    const EmuTime submit = emu_seconds(*created);
    if (!jobs_.takes(id, submit, "", queue)) return;
    JobSpec job;
    job.submit = submit;
    PhaseSpec& phase = job.phases.emplace_back();
    phase.name = "pod";
    phase.request = request;
    work_.set(phase, *deleted - start, request, std::nullopt, std::nullopt);
    jobs_.add(id, "", queue, std::move(job));
  }

  Resources request_of(csv::Table& table) {
    const auto cpu = table.figure("cpu_milli", kMostMillicores);
    const auto memory = table.figure("memory_mib", kMostMebibytes);
    const double millicores = cpu.value_or(1000);
    const double bytes = memory ? *memory * (1 << 20)
                                : std::min(static_cast<double>(options_.memory_per_core.count()) *
                                               std::max(millicores / 1000, 1e-3),
                                           kMostMebibytes * (1 << 20));
    return {Millicores(std::max(std::llround(millicores), 1LL)),
            EmuBytes(std::max(std::llround(bytes), 1LL))};
  }

  void count_gpus(const csv::Table& table) {
    const std::optional<double> gpus = csv::number(table.of("num_gpu"));
    if (!gpus || *gpus < 1 || *gpus > 1e6) return;
    ++gpu_pods_;
    gpus_ += std::llround(*gpus);
  }

  void read_nodes(Input& input) {
    for (csv::Table table(input, report_); table.next();) {
      const auto cpu = table.figure("cpu_milli", kMostMillicores);
      const auto memory = table.figure("memory_mib", kMostMebibytes);
      machines_.push_back(
          {cpu ? Millicores(std::max(std::llround(*cpu), 1LL)) : kDefaultMachine.cores,
           memory ? EmuBytes(std::max(std::llround(*memory * (1 << 20)), 1LL))
                  : kDefaultMachine.memory});
      if (machines_.size() > kMostImportedNodes)
        throw BadTrace{"more than 20000 machines; expected at most 20000"};
    }
  }

  std::vector<NodeSpec> nodes() {
    if (!machines_.empty()) {
      std::vector<NodeSpec> nodes = csv::nodes_of(machines_, options_);
      report_.state("cluster: " + counted(std::ssize(nodes), "node") + ", from the list of " +
                    counted(std::ssize(machines_), "machine") + " (--nodes, --cores, --memory)");
      return nodes;
    }
    const Resources size{options_.cores.value_or(kDefaultMachine.cores),
                         options_.memory.value_or(kDefaultMachine.memory)};
    const int count = options_.nodes.value_or(kDefaultNodes);
    report_.state("cluster: " + nodes_text(count, size) +
                  " (--nodes, --cores, --memory, or openb_node_list_all_node.csv as another file)");
    return equal_nodes(count, size);
  }

  const ImportOptions& options_;
  JobCollection& jobs_;
  ImportReport& report_;
  csv::Work work_;
  std::unordered_set<std::size_t> seen_;  ///< hashes of the names of pods
  std::vector<Resources> machines_;
  std::optional<double> last_;
  std::int64_t gpu_pods_ = 0, gpus_ = 0;
};

}  // namespace
}  // namespace alibaba_gpu

Imported import_alibaba_gpu_2023(std::vector<Input>& files, const ImportOptions& options,
                                 JobCollection& jobs, ImportReport& report) {
  if (!is_alibaba_gpu_2023(files.front().head()) &&
      !alibaba_gpu::is_list(csv::header_of(files.front()), "sn"))
    throw BadTrace{
        "its first line is not the header of openb_pod_list; expected "
        "name,cpu_milli,memory_mib,num_gpu,…"};
  return alibaba_gpu::Reader(options, jobs, report).read(files);
}

bool is_alibaba_gpu_2023(std::string_view head) {
  const auto rows = csv::first_rows(head, 1);
  return !rows.empty() && alibaba_gpu::is_list(rows.front(), "name");
}

}  // namespace heddle::trace
