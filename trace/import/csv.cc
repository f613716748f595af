#include "trace/import/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "common/cpu_line.h"
#include "core/scenario/quantity_text.h"
#include "trace/import/scaling.h"

namespace heddle::trace::csv {
namespace {

constexpr std::size_t kMostColumns = 64;
constexpr double kShortestTime = 1e-6;  ///< seconds; 0 would be no work
constexpr double kMostUsedCores = kMaxThreads;
constexpr EmuBytes kLeastMemory{1 << 20};  ///< of a node in a scenario
constexpr std::string_view kBlanks = " \t";

}  // namespace

void split(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  std::size_t begin = 0;
  bool quoted = false;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '"') quoted = !quoted;
    if (i < line.size() && (line[i] != ',' || quoted)) continue;
    std::string_view field = line.substr(begin, i - begin);
    begin = i + 1;
    field.remove_prefix(std::min(field.find_first_not_of(kBlanks), field.size()));
    field = field.substr(0, field.find_last_not_of(kBlanks) + 1);
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
      field = field.substr(1, field.size() - 2);
    if (fields.size() < kMostColumns) fields.push_back(field);
  }
}

std::optional<double> number(std::string_view field) {
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::vector<std::vector<std::string_view>> first_rows(std::string_view head, std::size_t most) {
  const bool cut = head.size() >= kHead;
  std::vector<std::vector<std::string_view>> rows;
  while (!head.empty() && rows.size() < most) {
    const std::size_t end = head.find('\n');
    if (end == std::string_view::npos && cut && !rows.empty()) break;
    std::string_view line = head.substr(0, end);
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    split(line, rows.emplace_back());
  }
  return rows;
}

std::vector<std::string_view> header_of(Input& input) {
  auto rows = first_rows(input.head(), 1);
  return rows.empty() ? std::vector<std::string_view>() : rows.front();
}

Table::Table(Input& input, ImportReport& report)
    : input_(input), report_(report), columns_(header_of(input)) {}

bool Table::next() {
  while (const auto line = input_.line()) {
    if (line->empty() || line->starts_with('#')) continue;
    if (!std::exchange(begun_, true)) continue;  // the header
    split(*line, row_);
    ++report_.rows;
    if (row_.size() < columns_.size()) report_.repaired(kFieldsMissing, input_);
    if (row_.size() > columns_.size()) report_.repaired(kFieldsMore, input_);
    return true;
  }
  return false;
}

std::optional<double> Table::figure(std::string_view column, double most) {
  const std::string_view text = of(column);
  const std::optional<double> value = number(text);
  if (value && *value > 0) return std::min(*value, most);
  report_.repaired(text.empty() || value ? kMissing : kNoNumber, input_);
  return std::nullopt;
}

std::optional<double> Table::time(std::string_view column, bool& readable) const {
  const std::string_view text = of(column);
  if (text.empty() || text == "NaN" || text == "nan") return std::nullopt;
  const std::optional<double> value = number(text);
  if (value == -1) return std::nullopt;
  if (value && std::abs(*value) <= kMostSeconds) return value;
  readable = false;
  return std::nullopt;
}

void Work::set(TaskSpec& task, double seconds, const Resources& request,
               std::optional<double> cores, std::optional<double> memory) {
  const double length = std::round(std::clamp(seconds, kShortestTime, kMostSeconds) * 1e6);
  const double most_cores =
      std::min(static_cast<double>(request.cores.count()) / 1000, kMostUsedCores);
  const auto most_memory = static_cast<double>(request.memory.count());
  if (cores.value_or(0) > most_cores || memory.value_or(0) > most_memory) ++cut_;
  const double bytes = std::round(std::clamp(memory.value_or(0), 0.0, most_memory));
  const bool computes = !cores && options_.work == ImportOptions::Work::kCpu;
  const double work = std::round(length * most_cores);
  timed_ += !cores;
  // Work of more than 10000 core-hours can only be written as a curve.
  if (cores || (computes && work > kMostSeconds * 1e6)) {
    const Millicores used(
        std::llround(std::clamp(cores.value_or(most_cores), 0.0, most_cores) * 1000));
    const EmuBytes held(static_cast<std::int64_t>(bytes));
    task.usage = {{EmuTime(0), used, held},
                  {EmuTime(static_cast<std::int64_t>(length)), Millicores(0), held}};
    return;
  }
  if (computes)
    task.cpu.mean = std::max(work, 1.0);
  else
    task.sleep.mean = length;
  if (memory) task.memory = {{0, {.mean = bytes}}};
}

void Work::set_tasks(PhaseSpec& phase, std::vector<TaskSpec> tasks) {
  phase.tasks = static_cast<int>(tasks.size());
  if (std::ranges::all_of(tasks, [&](const TaskSpec& task) { return task == tasks.front(); }))
    static_cast<TaskSpec&>(phase) = std::move(tasks.front());
  else
    phase.each = std::move(tasks);
}

void Work::state(ImportReport& report) const {
  if (timed_ > 0)
    report.state(options_.work == ImportOptions::Work::kSleep
                     ? "tasks without a CPU figure sleep for their time (--work cpu: they compute)"
                     : "tasks without a CPU figure compute on the cores that they request for "
                       "their time (--work sleep: they sleep)");
  if (cut_ > 0)
    report.state("tasks or instances that used more than they requested: " + std::to_string(cut_) +
                 "; their use is cut to the request");
}

std::vector<NodeSpec> nodes_of(const std::vector<Resources>& machines,
                               const ImportOptions& options) {
  const std::size_t count =
      options.nodes ? static_cast<std::size_t>(*options.nodes) : machines.size();
  if (count > kMostImportedNodes)
    throw BadTrace{"the trace has " + std::to_string(count) +
                   " machines; expected --nodes N, at most 20000"};
  std::vector<NodeSpec> nodes = equal_nodes(static_cast<int>(count), {});
  for (std::size_t i = 0; i < count; ++i) {
    Resources size = machines[i % machines.size()];
    if (options.cores) size.cores = *options.cores;
    if (options.memory) size.memory = *options.memory;
    if (size.memory < kLeastMemory)
      throw BadTrace{"machine " + std::to_string(i % machines.size() + 1) + " of the trace has " +
                         print_bytes(size.memory) + " of memory; expected at least " +
                         print_bytes(kLeastMemory) + " (--memory)",
                     true};
    nodes[i].capacity = nodes[i].allowance = size;
  }
  return nodes;
}

}  // namespace heddle::trace::csv
