#include "core/scenario/yaml/jobs_table.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "common/number.h"
#include "common/text.h"
#include "core/scenario/yaml/sections.h"
#include "core/scenario/yaml/words.h"

namespace heddle {
namespace {

enum TableColumn {
  kColJob,
  kColSubmit,
  kColQueue,
  kColUser,
  kColPriority,
  kColWeight,
  kColWalltime,
  kColAttempts,
  kColPhase,
  kColKind,
  kColAfter,
  kColGang,
  kColTasks,
  kColCores,
  kColMemory,
  kColCpu,
  kColSleep,
  kColThreads,
  kColUses,
  kColInput,
  kColShuffle,
  kColOutput,
  kColUsage
};
constexpr std::string_view kColumnNames[] = {
    "job",     "submit_s", "queue", "user",  "priority", "weight", "walltime_s", "max_attempts",
    "phase",   "kind",     "after", "gang",  "tasks",    "cores",  "memory",     "cpu_s",
    "sleep_s", "threads",  "uses",  "input", "shuffle",  "output", "usage"};
constexpr std::size_t kColumnCount = std::size(kColumnNames);

constexpr double kMostTableSeconds = 3.6e7;

// Writing ----------------------------------------------------------------------------------------

/// Returns a number of millionths as a decimal number, exactly.
std::string decimal(std::int64_t millionths) {
  std::string text = millionths < 0 ? "-" : "";
  const std::uint64_t size = millionths < 0 ? -static_cast<std::uint64_t>(millionths)
                                            : static_cast<std::uint64_t>(millionths);
  text += std::to_string(size / 1'000'000);
  if (const std::uint64_t rest = size % 1'000'000; rest > 0) {
    std::string digits = std::to_string(1'000'000 + rest).substr(1);
    digits.erase(digits.find_last_not_of('0') + 1);
    text += "." + digits;
  }
  return text;
}
std::string decimal(EmuTime time) { return decimal(time.count()); }
std::string decimal(Millicores cores) { return decimal(cores.count() * 1000); }
std::string whole(double value) { return std::to_string(static_cast<std::int64_t>(value)); }

bool is_plain(const Drawn& drawn) {
  return drawn.dist == Drawn::Dist::kConstant && drawn.mean == std::floor(drawn.mean);
}

bool fits_table(const TaskSpec& task) {
  const bool one_corner =
      task.memory.empty() ||
      (task.memory.size() == 1 && task.memory[0].first == 0 && is_plain(task.memory[0].second));
  return is_plain(task.cpu) && is_plain(task.sleep) && one_corner && task.pauses == 0;
}

bool fits_table(const PhaseSpec& phase) {
  static const PhaseSpec plain;
  return (phase.kind == PhaseKind::kMap || phase.kind == PhaseKind::kReduce ||
          phase.kind == PhaseKind::kAm) &&
         fits_table(static_cast<const TaskSpec&>(phase)) && phase.command.empty() &&
         phase.prefer.empty() && phase.skew == plain.skew && phase.start_spread == EmuTime(0) &&
         phase.spill_penalty == plain.spill_penalty && is_plain(phase.input) &&
         is_plain(phase.shuffle) && is_plain(phase.output) &&
         (phase.each.empty() || static_cast<const TaskSpec&>(phase) == TaskSpec()) &&
         std::ranges::all_of(phase.each, [](const TaskSpec& task) { return fits_table(task); });
}

void put_task(const TaskSpec& task, std::vector<std::string>& cells) {
  if (task.cpu.mean > 0) cells[kColCpu] = decimal(static_cast<std::int64_t>(task.cpu.mean));
  if (task.sleep.mean > 0) cells[kColSleep] = decimal(static_cast<std::int64_t>(task.sleep.mean));
  if (task.threads) cells[kColThreads] = std::to_string(*task.threads);
  if (!task.memory.empty()) cells[kColUses] = whole(task.memory[0].second.mean);
  for (const UsageCorner& corner : task.usage) {
    if (!cells[kColUsage].empty()) cells[kColUsage] += ";";
    cells[kColUsage] += decimal(corner.at) + ":" + decimal(corner.cores) + ":" +
                        std::to_string(corner.memory.count());
  }
}

void put_phase(const JobSpec& job, const PhaseSpec& phase, std::vector<std::string>& cells) {
  cells[kColPhase] = phase.name;
  if (phase.kind != PhaseKind::kMap) cells[kColKind] = word_of(phase.kind);
  for (const int index : phase.after) {
    if (!cells[kColAfter].empty()) cells[kColAfter] += ";";
    cells[kColAfter] += job.phases[static_cast<std::size_t>(index)].name;
  }
  if (phase.gang) cells[kColGang] = "1";
  cells[kColCores] = decimal(phase.request.cores);
  cells[kColMemory] = std::to_string(phase.request.memory.count());
  if (phase.input.mean > 0) cells[kColInput] = whole(phase.input.mean);
  if (phase.shuffle.mean > 0) cells[kColShuffle] = whole(phase.shuffle.mean);
  if (phase.output.mean > 0) cells[kColOutput] = whole(phase.output.mean);
}

void put_job(const JobSpec& job, std::vector<std::string>& cells) {
  static const JobSpec plain;
  cells[kColJob] = job.name;
  cells[kColSubmit] = decimal(job.submit);
  if (job.queue != plain.queue) cells[kColQueue] = job.queue;
  if (job.user != plain.user) cells[kColUser] = job.user;
  if (job.priority != plain.priority) cells[kColPriority] = std::to_string(job.priority);
  if (job.weight != plain.weight) cells[kColWeight] = print_fraction(job.weight);
  if (job.walltime) cells[kColWalltime] = decimal(*job.walltime);
  if (job.max_attempts != plain.max_attempts)
    cells[kColAttempts] = std::to_string(job.max_attempts);
}

/// Calls `put` with the cells of each row.
template <class Put>
void each_row(std::span<const JobSpec> jobs, Put put) {
  std::vector<std::string> cells(kColumnCount);
  for (const JobSpec& job : jobs) {
    put_job(job, cells);
    for (const PhaseSpec& phase : job.phases) {
      put_phase(job, phase, cells);
      const std::size_t tasks = phase.each.empty() ? 1 : phase.each.size();
      for (std::size_t first = 0; first < tasks;) {
        std::size_t end = first + 1;
        while (end < phase.each.size() && phase.each[end] == phase.each[first]) ++end;
        put_task(phase.task(static_cast<int>(first)), cells);
        cells[kColTasks] =
            std::to_string(phase.each.empty() ? phase.tasks : static_cast<int>(end - first));
        put(cells);
        for (std::string& cell : cells) cell.clear();
        first = end;
      }
    }
  }
}

// Reading ----------------------------------------------------------------------------------------

template <class T>
std::optional<T> number_in(std::string_view text, T least, T most) {
  const auto value = read_number<T>(text);
  return value && *value >= least && *value <= most ? value : std::nullopt;
}
std::optional<double> seconds_in(std::string_view text) {
  return number_in<double>(text, 0, kMostTableSeconds);
}
std::optional<std::int64_t> bytes_in(std::string_view text) {
  return number_in<std::int64_t>(text, 0, kMaxBytes.count());
}
std::optional<std::string_view> name_in(std::string_view text) {
  return valid_name(text) ? std::optional(text) : std::nullopt;
}

/// Removes and returns the text before the separator.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

std::optional<std::vector<UsageCorner>> usage_in(std::string_view text) {
  std::vector<UsageCorner> usage;
  while (!text.empty()) {
    std::string_view corner = take_until(text, ';');
    const auto at = seconds_in(take_until(corner, ':'));
    const auto cores = number_in<double>(take_until(corner, ':'), 0, 10'000);
    const auto memory = bytes_in(corner);
    if (!at || !cores || !memory) return std::nullopt;
    usage.push_back({emu_seconds(*at),
                     Millicores(static_cast<std::int64_t>(std::lround(*cores * 1000))),
                     EmuBytes(*memory)});
    if (usage.size() > 1 && usage.back().at <= usage[usage.size() - 2].at) return std::nullopt;
  }
  const bool whole =
      usage.size() >= 2 && usage.front().at == EmuTime(0) && usage.back().cores == Millicores(0);
  return whole ? std::optional(std::move(usage)) : std::nullopt;
}

}  // namespace

bool fits_table(const JobSpec& job) {
  static const JobSpec plain;
  if (job.framework != plain.framework || job.iterative || !job.stages.empty() ||
      job.max_am_attempts != plain.max_am_attempts || job.phases.empty())
    return false;
  for (int i = 0; i < std::ssize(job.phases); ++i) {
    const PhaseSpec& phase = job.phases[static_cast<std::size_t>(i)];
    if (!fits_table(phase) ||
        std::ranges::any_of(phase.after, [i](int before) { return before >= i; }))
      return false;
  }
  return true;
}

std::string write_jobs_table(std::span<const JobSpec> jobs) {
  // Columns that no row uses are left out.
  std::vector<bool> used(kColumnCount, false);
  each_row(jobs, [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < kColumnCount; ++i) used[i] = used[i] || !cells[i].empty();
  });
  std::string text;
  const auto put_line = [&](const auto& cells) {
    bool first = true;
    for (std::size_t i = 0; i < kColumnCount; ++i) {
      if (!used[i]) continue;
      if (!first) text += ',';
      first = false;
      text += cells[i];
    }
    text += '\n';
  };
  put_line(kColumnNames);
  each_row(jobs, put_line);
  return text;
}

JobsTable::JobsTable(std::string_view text, Fault fault)
    : text_(text), fault_(std::move(fault)), cells_(kColumnCount) {
  row_ready_ = read_columns() && read_row();
}

bool JobsTable::read_columns() {
  ++line_;
  std::string_view line = take_until(text_, '\n');
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::vector<std::string> known(std::begin(kColumnNames), std::end(kColumnNames));
  while (!line.empty()) {
    const std::string name(take_until(line, ','));
    const auto at = std::ranges::find(known, name);
    const auto column = static_cast<int>(at - known.begin());
    if (at == known.end() || std::ranges::find(columns_, column) != columns_.end()) {
      fault_(line_, with_nearest(at == known.end() ? "unknown column \"" + name + "\""
                                                   : "column \"" + name + "\" occurs twice",
                                 name, known) +
                        "; expected columns of " + join(known));
      return false;
    }
    columns_.push_back(column);
  }
  for (const int column : {kColJob, kColSubmit, kColPhase, kColTasks, kColCores, kColMemory})
    if (std::ranges::find(columns_, column) == columns_.end()) {
      fault_(line_, "column " + std::string(kColumnNames[column]) +
                        " is missing; expected at least job, submit_s, phase, tasks, cores and "
                        "memory");
      return false;
    }
  return true;
}

bool JobsTable::read_row() {
  while (!text_.empty()) {
    ++line_;
    std::string_view line = take_until(text_, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    for (const int column : columns_)
      cells_[static_cast<std::size_t>(column)] = take_until(line, ',');
    if (!line.empty()) {
      fault_(line_, "more cells than the " + std::to_string(columns_.size()) +
                        " columns; expected as many");
      faulty_ = true;
    }
    return true;
  }
  return false;
}

void JobsTable::fault(int column, const std::string& expected) {
  faulty_ = true;
  std::string text(cell(column).substr(0, 100));
  fault_(line_, std::string(kColumnNames[column]) + ": \"" + printable_line(text) +
                    "\" is wrong; expected " + expected);
}

/// Reads a cell if it has a text.
template <class T, class Parse>
void JobsTable::read(int column, T& out, Parse parse, const char* expected) {
  if (cell(column).empty()) return;
  if (auto value = parse(cell(column)))
    out = T(*std::move(value));
  else
    fault(column, expected);
}

bool JobsTable::read_job(JobSpec& job) {
  job_line_ = line_;
  if (cell(kColJob).empty() || cell(kColSubmit).empty()) {
    fault(cell(kColJob).empty() ? kColJob : kColSubmit, "a value in the first row of a job");
    return false;
  }
  read(kColJob, job.name, name_in, "a name of letters, digits, '.', '_' and '-'");
  const auto duration = [](std::string_view text) {
    const auto seconds = seconds_in(text);
    return seconds ? std::optional(emu_seconds(*seconds)) : std::nullopt;
  };
  read(kColSubmit, job.submit, duration, "seconds, 0 to 36000000");
  read(kColQueue, job.queue, name_in, "the name of a queue");
  read(kColUser, job.user, name_in, "a name");
  read(
      kColPriority, job.priority,
      [](std::string_view text) { return number_in(text, -1'000'000, 1'000'000); },
      "a whole number from -1000000 to 1000000");
  read(
      kColWeight, job.weight, [](std::string_view text) { return number_in(text, 0.001, 1000.0); },
      "a number from 0.001 to 1000");
  read(kColWalltime, job.walltime, duration, "seconds, 0 to 36000000");
  if (job.walltime && *job.walltime <= EmuTime(0)) fault(kColWalltime, "more than 0");
  read(
      kColAttempts, job.max_attempts,
      [](std::string_view text) { return number_in(text, 1, 1000); }, "1 to 1000");
  return true;
}

void JobsTable::read_tasks(JobSpec& job) {
  const bool begins = !cell(kColPhase).empty();
  if (!begins && job.phases.empty()) return fault(kColPhase, "a phase in the first row of a job");
  if (begins) {
    if (static_cast<int>(job.phases.size()) >= kMaxPhases)
      return fault(kColPhase, "at most " + std::to_string(kMaxPhases) + " phases");
    PhaseSpec& phase = job.phases.emplace_back();
    phase.tasks = 0;
    read(kColPhase, phase.name, name_in, "a name");
    for (std::size_t i = 0; i + 1 < job.phases.size(); ++i)
      if (job.phases[i].name == phase.name) fault(kColPhase, "a name that no phase above has");
    if (const std::string_view kind = cell(kColKind); kind == "reduce")
      phase.kind = PhaseKind::kReduce;
    else if (kind == "am" && job.phases.size() == 1)
      phase.kind = PhaseKind::kAm;
    else if (!kind.empty() && kind != "map")
      fault(kColKind, "map, reduce, or am in the first row of a job");
    for (std::string_view all = cell(kColAfter); !all.empty();) {
      const std::string_view name = take_until(all, ';');
      const auto before = std::find_if(job.phases.begin(), job.phases.end() - 1,
                                       [&](const PhaseSpec& other) { return other.name == name; });
      if (before == job.phases.end() - 1)
        fault(kColAfter, "names of phases above, separated by ;");
      else
        phase.after.push_back(static_cast<int>(before - job.phases.begin()));
    }
    if (const std::string_view gang = cell(kColGang); gang == "1")
      phase.gang = true;
    else if (!gang.empty() && gang != "0")
      fault(kColGang, "0 or 1");
    const auto cores = number_in<double>(cell(kColCores), 0.001, 10'000);
    if (cores)
      phase.request.cores = Millicores(std::lround(*cores * 1000));
    else
      fault(kColCores, "cores, 0.001 to 10000");
    const auto memory = number_in<std::int64_t>(cell(kColMemory), 1, kMaxBytes.count());
    if (memory)
      phase.request.memory = EmuBytes(*memory);
    else
      fault(kColMemory, "bytes of the request");
    const auto bytes = [](std::string_view text) {
      const auto size = bytes_in(text);
      return size ? std::optional(Drawn{.mean = static_cast<double>(*size)}) : std::nullopt;
    };
    read(kColInput, phase.input, bytes, "bytes");
    read(kColShuffle, phase.shuffle, bytes, "bytes");
    read(kColOutput, phase.output, bytes, "bytes");
  }
  PhaseSpec& phase = job.phases.back();
  const auto tasks = number_in<int>(cell(kColTasks), 1, kMaxTasks);
  if (!tasks || phase.tasks + *tasks > kMaxTasks)
    return fault(kColTasks, "a number of tasks, 1 to " + std::to_string(kMaxTasks));
  TaskSpec task;
  const auto work = [](std::string_view text) {
    const auto seconds = number_in<double>(text, 0, kMostTableSeconds * 10'000);
    return seconds ? std::optional(Drawn{.mean = std::round(*seconds * 1e6)}) : std::nullopt;
  };
  read(kColCpu, task.cpu, work, "core-seconds");
  read(kColSleep, task.sleep, work, "seconds");
  read(
      kColThreads, task.threads, [](std::string_view text) { return number_in(text, 1, 10'000); },
      "1 to 10000");
  read(
      kColUses, task.memory,
      [](std::string_view text) {
        const auto size = bytes_in(text);
        return size ? std::optional(
                          std::vector{std::pair{0.0, Drawn{.mean = static_cast<double>(*size)}}})
                    : std::nullopt;
      },
      "bytes");
  read(kColUsage, task.usage, usage_in,
       "corners S:CORES:BYTES separated by ;, the first at 0, the last of 0 cores");
  if (!task.usage.empty() && (task.cpu != Drawn() || task.sleep != Drawn() || !task.memory.empty()))
    return fault(kColUsage, "no cpu_s, sleep_s or uses beside it");
  if (phase.kind == PhaseKind::kAm && (*tasks != 1 || phase.tasks > 0))
    return fault(kColTasks, "1 for an application master");
  if (phase.tasks == 0) {
    static_cast<TaskSpec&>(phase) = std::move(task);
    phase.tasks = *tasks;
    return;
  }
  if (phase.each.empty()) phase.each.assign(static_cast<std::size_t>(phase.tasks), phase);
  phase.each.insert(phase.each.end(), static_cast<std::size_t>(*tasks), task);
  phase.tasks += *tasks;
}

bool JobsTable::next(JobSpec& job) {
  while (row_ready_) {
    job = JobSpec();
    faulty_ = false;
    if (read_job(job)) read_tasks(job);
    while ((row_ready_ = read_row()) && cell(kColJob).empty())
      if (!faulty_) read_tasks(job);
    if (!faulty_) {
      // The phase stands for all its tasks only if they are equal.
      for (PhaseSpec& phase : job.phases)
        if (!phase.each.empty()) static_cast<TaskSpec&>(phase) = TaskSpec();
      return true;
    }
  }
  return false;
}

}  // namespace heddle
