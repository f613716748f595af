#include "yaml/jobs_table.h"

#include <algorithm>
#include <cmath>

#include "common/number.h"
#include "common/text.h"
#include "core/scenario/words.h"
#include "yaml/limits.h"
#include "yaml/sections.h"

namespace heddle {

/// A column of the table, and the key of a job, phase or task whose plain values it has.
struct Column {
  enum class Of { kJob, kPhase, kTask };
  std::string name;
  Of of;
  const Key* key = nullptr;  ///< nullptr: code reads and writes the column
  std::string by_default;    ///< the plain value without a cell
  bool required = false;
};

/// The columns in the order in which they are written, and the places of those that code uses.
struct TableColumns {
  std::vector<Column> all;
  std::vector<std::string> names;
  int job, submit, after_jobs, phase, kind, after, tasks, usage;
  std::vector<int> required;
  std::vector<std::unique_ptr<const Key>> counts;  ///< of the resources that the cluster counts

  int find(std::string_view name) const {
    const auto at = std::find(names.begin(), names.end(), name);
    return at == names.end() ? -1 : static_cast<int>(at - names.begin());
  }
};

namespace {

std::shared_ptr<const TableColumns> make_columns(const CountNames& counted) {
  using enum Column::Of;
  auto made = std::make_shared<TableColumns>();
  TableColumns& columns = *made;
  const auto by_hand = [&](const char* name, Column::Of of) {
    columns.all.push_back({.name = name, .of = of, .by_default = ""});
  };
  // The sample's values are the defaults.
  const auto add = [&](const Key& key, Column::Of of, const void* sample,
                       const char* name = nullptr) {
    columns.all.push_back({.name = (name ? name : key.name) + std::string(key.form->suffix()),
                           .of = of,
                           .key = &key,
                           .by_default = key.form->plain(key.at(sample))});
  };
  static const JobSpec job;
  static const PhaseSpec phase;
  static const TaskSpec& task = phase;
  for (const Key& key : job_keys().all()) {
    if (key.name == "after") {
      by_hand("after_jobs", kJob);
      continue;
    }
    if (!key.form) break;  // The rest describes the job's work.
    add(key, kJob, &job, key.name == "name" ? "job" : nullptr);
  }
  by_hand("phase", kPhase);
  by_hand("kind", kPhase);
  by_hand("after", kPhase);
  add(*phase_keys().find("gang"), kPhase, &phase);
  by_hand("tasks", kTask);
  const Keys& request = *phase_keys().find("request")->map;
  for (const Key& key : request.all()) add(key, kPhase, &phase);
  for (std::size_t i = 0; i < counted.size(); ++i) {
    columns.counts.push_back(std::make_unique<const Key>(request.count_key(counted[i], i)));
    add(*columns.counts.back(), kPhase, &phase);
  }
  add(*phase_keys().find("where"), kPhase, &phase);
  for (const char* key : {"cpu", "sleep", "threads"}) add(*task_keys().find(key), kTask, &task);
  add(*task_keys().find("memory"), kTask, &task, "uses");
  for (const char* key : {"input", "shuffle", "output"})
    add(*phase_keys().find(key), kPhase, &phase);
  add(*task_keys().find("usage"), kTask, &task);
  for (const Column& column : columns.all) columns.names.push_back(column.name);
  columns.job = columns.find("job");
  columns.submit = columns.find("submit_s");
  columns.after_jobs = columns.find("after_jobs");
  columns.phase = columns.find("phase");
  columns.kind = columns.find("kind");
  columns.after = columns.find("after");
  columns.tasks = columns.find("tasks");
  columns.usage = columns.find("usage");
  columns.required = {columns.job, columns.submit, columns.phase, columns.tasks};
  for (const Key& key : request.all()) columns.required.push_back(columns.find(key.name));
  for (const int column : columns.required) columns.all[column].required = true;
  return made;
}

// Writing ----------------------------------------------------------------------------------------

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

using Cells = std::vector<std::string>;
using Columns = TableColumns;

/// Fills the cells of the columns of a job, phase or task. Cells with the default are empty.
void put(const Columns& columns, Column::Of of, const void* structure, Cells& cells) {
  for (std::size_t i = 0; i < columns.all.size(); ++i) {
    const Column& column = columns.all[i];
    if (column.of != of || !column.key) continue;
    std::string text = column.key->form->plain(column.key->at(structure));
    if (text != column.by_default || column.required) cells[i] = std::move(text);
  }
}

void put_phase(const Columns& columns, const JobSpec& job, const PhaseSpec& phase, Cells& cells) {
  put(columns, Column::Of::kPhase, &phase, cells);
  cells[columns.phase] = phase.name;
  if (phase.kind != PhaseKind::kMap) cells[columns.kind] = word_of(phase.kind);
  std::string& after = cells[columns.after];
  for (const int index : phase.after)
    after += (after.empty() ? "" : ";") + job.phases[static_cast<std::size_t>(index)].name;
}

/// Calls `write` with the cells of each row.
template <class Write>
void each_row(const Columns& columns, std::span<const JobSpec> jobs, Write write) {
  Cells cells(columns.all.size());
  for (const JobSpec& job : jobs) {
    put(columns, Column::Of::kJob, &job, cells);
    cells[columns.after_jobs] = conditions_cell(job, jobs);
    for (const PhaseSpec& phase : job.phases) {
      put_phase(columns, job, phase, cells);
      const std::size_t tasks = phase.each.empty() ? 1 : phase.each.size();
      for (std::size_t first = 0; first < tasks;) {
        std::size_t end = first + 1;
        while (end < phase.each.size() && phase.each[end] == phase.each[first]) ++end;
        put(columns, Column::Of::kTask, &phase.task(static_cast<int>(first)), cells);
        cells[columns.tasks] =
            std::to_string(phase.each.empty() ? phase.tasks : static_cast<int>(end - first));
        write(cells);
        for (std::string& cell : cells) cell.clear();
        first = end;
      }
    }
  }
}

}  // namespace

std::pair<std::string_view, std::string_view> divided(std::string_view scenario) {
  constexpr std::string_view kEnd = "\n...\n";
  const std::size_t end = scenario.find(kEnd);
  if (end == std::string_view::npos) return {scenario, {}};
  return {scenario.substr(0, end + kEnd.size()), scenario.substr(end + kEnd.size())};
}

bool fits_table(const JobSpec& job) {
  static const JobSpec plain;
  if (job.framework != plain.framework || job.iterative || !job.stages.empty() ||
      job.phases.empty())
    return false;
  for (int i = 0; i < std::ssize(job.phases); ++i) {
    const PhaseSpec& phase = job.phases[static_cast<std::size_t>(i)];
    if (!fits_table(phase) ||
        std::ranges::any_of(phase.after, [i](int before) { return before >= i; }))
      return false;
  }
  return true;
}

std::string write_jobs_table(std::span<const JobSpec> jobs, const CountNames& counted) {
  const auto made = make_columns(counted);
  const Columns& columns = *made;
  // Columns that no row uses are left out.
  std::vector<bool> used(columns.all.size(), false);
  each_row(columns, jobs, [&](const Cells& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) used[i] = used[i] || !cells[i].empty();
  });
  std::string text;
  const auto put_line = [&](const Cells& cells) {
    bool first = true;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!used[i]) continue;
      if (!first) text += ',';
      first = false;
      text += cells[i];
    }
    text += '\n';
  };
  put_line(columns.names);
  each_row(columns, jobs, put_line);
  return text;
}

// Reading ----------------------------------------------------------------------------------------

JobsTable::JobsTable(std::string_view text, const CountNames& counted, Fault fault)
    : text_(text),
      fault_(std::move(fault)),
      all_columns_(make_columns(counted)),
      cells_(columns().all.size()) {
  row_ready_ = read_columns() && read_row();
}

bool JobsTable::read_columns() {
  ++line_;
  std::string_view line = take_until(text_, '\n');
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::vector<std::string>& known = columns().names;
  while (!line.empty()) {
    const std::string name(take_until(line, ','));
    const int column = columns().find(name);
    if (column < 0 || std::ranges::find(columns_, column) != columns_.end()) {
      fault_(line_, with_nearest(column < 0 ? "unknown column \"" + name + "\""
                                            : "column \"" + name + "\" occurs twice",
                                 name, known) +
                        "; expected columns of " + join(known));
      return false;
    }
    columns_.push_back(column);
  }
  for (const int column : columns().required)
    if (std::ranges::find(columns_, column) == columns_.end()) {
      std::vector<std::string> required;
      for (const int each : columns().required) required.push_back(known[each]);
      fault_(line_, "column " + known[column] + " is missing; expected at least " + join(required));
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
  fault_(line_, columns().names[column] + ": \"" + printable_line(text) + "\" is wrong; expected " +
                    expected);
}

namespace {

/// Calls `wrong` with each column of a job, phase or task whose cell is wrong, or is empty although
/// the column is required. Sets the members of the others that have a cell.
void read_cells(const Columns& columns, Column::Of of, const std::vector<std::string_view>& cells,
                void* structure, const auto& wrong) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Column& column = columns.all[i];
    if (column.of != of || !column.key) continue;
    if (cells[i].empty() ? column.required
                         : !column.key->form->read_plain(cells[i], column.key->at(structure)))
      wrong(static_cast<int>(i), column.key->form->plain_form());
  }
}

}  // namespace

bool JobsTable::read_job(JobSpec& job) {
  job_line_ = line_;
  for (const int column : {columns().job, columns().submit})
    if (cell(column).empty()) {
      fault(column, "a value in the first row of a job");
      return false;
    }
  read_cells(columns(), Column::Of::kJob, cells_, &job,
             [this](int column, const std::string& expected) { fault(column, expected); });
  const auto conditions = parse_conditions(cell(columns().after_jobs));
  if (!conditions) fault(columns().after_jobs, kConditionsForm);
  after_ = conditions.value_or(std::vector<WrittenCondition>());
  return true;
}

/// Reads the cells with which a phase begins.
void JobsTable::begin_phase(JobSpec& job) {
  const int phase_column = columns().phase;
  if (static_cast<int>(job.phases.size()) >= kMaxPhases)
    return fault(phase_column, "at most " + std::to_string(kMaxPhases) + " phases");
  PhaseSpec& phase = job.phases.emplace_back();
  phase.tasks = 0;
  if (valid_name(cell(phase_column)))
    phase.name = cell(phase_column);
  else
    fault(phase_column, "a name");
  for (std::size_t i = 0; i + 1 < job.phases.size(); ++i)
    if (job.phases[i].name == phase.name) fault(phase_column, "a name that no phase above has");
  if (const std::string_view kind = cell(columns().kind); kind == "reduce")
    phase.kind = PhaseKind::kReduce;
  else if (kind == "am" && job.phases.size() == 1)
    phase.kind = PhaseKind::kAm;
  else if (!kind.empty() && kind != "map")
    fault(columns().kind, "map, reduce, or am in the first row of a job");
  for (std::string_view all = cell(columns().after); !all.empty();) {
    const std::string_view name = take_until(all, ';');
    const auto before = std::find_if(job.phases.begin(), job.phases.end() - 1,
                                     [&](const PhaseSpec& other) { return other.name == name; });
    if (before == job.phases.end() - 1)
      fault(columns().after, "names of phases above, separated by ;");
    else
      phase.after.push_back(static_cast<int>(before - job.phases.begin()));
  }
  read_cells(columns(), Column::Of::kPhase, cells_, &phase,
             [this](int column, const std::string& expected) { fault(column, expected); });
}

void JobsTable::read_tasks(JobSpec& job) {
  const bool begins = !cell(columns().phase).empty();
  if (begins)
    begin_phase(job);
  else if (job.phases.empty())
    fault(columns().phase, "a phase in the first row of a job");
  if (faulty_) return;
  PhaseSpec& phase = job.phases.back();
  const auto tasks = read_number<int>(cell(columns().tasks));
  if (!tasks || *tasks < 1 || *tasks > kMaxTasks - phase.tasks)
    return fault(columns().tasks, "a number of tasks, 1 to " + std::to_string(kMaxTasks));
  TaskSpec task;
  read_cells(columns(), Column::Of::kTask, cells_, &task,
             [this](int column, const std::string& expected) { fault(column, expected); });
  if (!task.usage.empty() && (task.cpu != Drawn() || task.sleep != Drawn() || !task.memory.empty()))
    return fault(columns().usage, "no cpu_s, sleep_s or uses beside it");
  if (phase.kind == PhaseKind::kAm && (*tasks != 1 || phase.tasks > 0))
    return fault(columns().tasks, "1 for an application master");
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
    while ((row_ready_ = read_row()) && cell(columns().job).empty())
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
