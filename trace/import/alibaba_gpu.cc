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

/// Returns the header of a file; empty if there is none.
Row header_of(Input& input) {
  std::vector<Row> rows = csv::first_rows(input.head(), 1);
  return rows.empty() ? Row() : rows.front();
}

/// Finds the columns of a row by their names.
class Columns {
 public:
  explicit Columns(const Row& header) {
    for (std::size_t i = 0; i < header.size(); ++i) places_.emplace(header[i], i);
  }
  bool has(std::string_view name) const { return places_.contains(name); }
  std::string_view of(const Row& row, std::string_view name) const {
    const auto place = places_.find(name);
    return place == places_.end() || place->second >= row.size() ? std::string_view()
                                                                 : row[place->second];
  }
  std::size_t size() const { return places_.size(); }

 private:
  std::map<std::string, std::size_t, std::less<>> places_;
};

class Reader {
 public:
  Reader(const ImportOptions& options, JobCollection& jobs, ImportReport& report)
      : options_(options), jobs_(jobs), report_(report), work_(options) {}

  Imported read(std::vector<Input>& files) {
    for (Input& file : files) {
      const Row header = header_of(file);
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
  /// Calls `read_row` with each row behind the header.
  template <typename Function>
  void read_rows(Input& input, const Function& read_row) {
    Row row;
    std::optional<Columns> columns;
    while (const auto line = input.line()) {
      if (line->empty() || line->starts_with('#')) continue;
      csv::split(*line, row);
      if (!columns) {
        columns.emplace(row);
        continue;
      }
      ++report_.rows;
      if (row.size() < columns->size()) report_.repaired(kFieldsMissing, input);
      if (row.size() > columns->size()) report_.repaired(kFieldsMore, input);
      read_row(*columns, row);
    }
  }

  void read_pods(Input& input) {
    const Columns header(header_of(input));
    for (const std::string_view column : kPodColumns)
      if (!header.has(column))
        throw BadTrace{input.name() + ":1: has no column " + std::string(column) +
                           "; expected a list with creation, deletion and scheduled times, such "
                           "as openb_pod_list_default.csv",
                       true};
    read_rows(input,
              [&](const Columns& columns, const Row& row) { read_pod(input, columns, row); });
  }

  void read_pod(Input& input, const Columns& columns, const Row& row) {
    const std::string_view id = columns.of(row, "name"), queue = columns.of(row, "qos");
    const auto time = [&](std::string_view column) {
      const std::optional<double> value = csv::number(columns.of(row, column));
      return value && std::abs(*value) <= kMostSeconds ? value : std::nullopt;
    };
    const auto created = time("creation_time"), deleted = time("deletion_time");
    const auto scheduled = time("scheduled_time");
    const auto unreadable = [&](std::string_view column, bool read) {
      return !read && !columns.of(row, column).empty();
    };
    if (id.empty() || id.size() > kLongestId || queue.size() > kLongestId || !created ||
        unreadable("deletion_time", deleted.has_value()) ||
        unreadable("scheduled_time", scheduled.has_value()))
      return report_.repaired(kUnreadable, input);
    if (!deleted) return report_.repaired(kNoEnd, input);
    const double start = scheduled.value_or(*created);
    if (*deleted < start) return report_.repaired(kEndsBefore, input);
    if (seen_.size() >= kMostSeen) seen_.clear();
    if (!seen_.insert(std::hash<std::string_view>()(id)).second)
      return report_.repaired(kDuplicate, input);
    if (!scheduled) report_.repaired(kNeverScheduled, input);
    if (*deleted == start) report_.repaired(kZeroTime, input);
    if (*created < last_) report_.repaired(kOutOfOrder, input);
    last_ = std::max(last_, *created);
    const Resources request = request_of(input, columns, row);
    count_gpus(columns, row);
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

  /// Returns the number of a column; nullopt if there is none, which is counted.
  std::optional<double> figure(Input& input, const Columns& columns, const Row& row,
                               std::string_view column, double most) {
    const std::string_view text = columns.of(row, column);
    const std::optional<double> value = csv::number(text);
    if (value && *value > 0) return std::min(*value, most);
    report_.repaired(text.empty() || value ? kMissing : kNoNumber, input);
    return std::nullopt;
  }

  Resources request_of(Input& input, const Columns& columns, const Row& row) {
    const auto cpu = figure(input, columns, row, "cpu_milli", kMostMillicores);
    const auto memory = figure(input, columns, row, "memory_mib", kMostMebibytes);
    const double millicores = cpu.value_or(1000);
    const double bytes = memory ? *memory * (1 << 20)
                                : std::min(static_cast<double>(options_.memory_per_core.count()) *
                                               std::max(millicores / 1000, 1e-3),
                                           kMostMebibytes * (1 << 20));
    return {Millicores(std::max(std::llround(millicores), 1LL)),
            EmuBytes(std::max(std::llround(bytes), 1LL))};
  }

  void count_gpus(const Columns& columns, const Row& row) {
    const std::optional<double> gpus = csv::number(columns.of(row, "num_gpu"));
    if (!gpus || *gpus < 1 || *gpus > 1e6) return;
    ++gpu_pods_;
    gpus_ += std::llround(*gpus);
  }

  void read_nodes(Input& input) {
    read_rows(input, [&](const Columns& columns, const Row& row) {
      const auto cpu = figure(input, columns, row, "cpu_milli", kMostMillicores);
      const auto memory = figure(input, columns, row, "memory_mib", kMostMebibytes);
      machines_.push_back(
          {cpu ? Millicores(std::max(std::llround(*cpu), 1LL)) : kDefaultMachine.cores,
           memory ? EmuBytes(std::max(std::llround(*memory * (1 << 20)), 1LL))
                  : kDefaultMachine.memory});
      if (machines_.size() > kMostImportedNodes)
        throw BadTrace{"more than 20000 machines; expected at most 20000"};
    });
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
  double last_ = -1e300;
  std::int64_t gpu_pods_ = 0, gpus_ = 0;
};

}  // namespace
}  // namespace alibaba_gpu

Imported import_alibaba_gpu_2023(std::vector<Input>& files, const ImportOptions& options,
                                 JobCollection& jobs, ImportReport& report) {
  if (!is_alibaba_gpu_2023(files.front().head()) &&
      !alibaba_gpu::is_list(alibaba_gpu::header_of(files.front()), "sn"))
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
