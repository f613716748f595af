#include "trace/import/swim.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "core/scenario/quantity_text.h"
#include "trace/import/collection.h"
#include "trace/import/scaling.h"

namespace heddle::trace::swim {
namespace {

/// Fields of a row, from 0. Paths may follow.
enum Field { kId, kSubmit, kGap, kInput, kShuffle, kOutput, kFields };
constexpr std::size_t kMostFields = 9;
constexpr std::size_t kLongestId = 256;
constexpr double kMostBytes = 1e18;  ///< of a job
constexpr double kMostTasks = 1e6;   ///< of a phase
constexpr double kMostSubmit = 1e12;
constexpr int kNodes = 100;
constexpr Millicores kCores(8000);  ///< of a node
constexpr std::string_view kExpected =
    "; expected a job id, a time of submission, a gap and three numbers of bytes, with tabs "
    "between them";

constexpr Repair kTooManyTasks{"too_many_tasks",
                               "a phase has more than 1000000 tasks (--block): left out"};
constexpr Repair kSameId{"same_id", "has the id of an earlier job: kept"};

/// A line, divided at its tabs.
struct Row {
  std::array<std::string_view, kMostFields> fields;
  std::size_t count = 0;  ///< can be more than kMostFields
};

Row row_of(std::string_view line) {
  Row row;
  for (;;) {
    const std::size_t tab = line.find('\t');
    if (row.count < kMostFields) row.fields[row.count] = line.substr(0, tab);
    ++row.count;
    if (tab == std::string_view::npos) return row;
    line.remove_prefix(tab + 1);
  }
}

bool is_blank(std::string_view word) {
  return word.find_first_not_of(' ') == std::string_view::npos;
}

std::optional<double> number(std::string_view word) {
  while (word.starts_with(' ')) word.remove_prefix(1);
  while (word.ends_with(' ')) word.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

/// Returns whether the first lines, at most `most` of them, are rows of SWIM.
bool looks_like(std::string_view head, int most) {
  int rows = 0;
  while (!head.empty() && rows < most) {
    const std::size_t end = head.find('\n');
    if (end == std::string_view::npos && rows > 0) break;  // the head can end within the line
    std::string_view line = head.substr(0, end);
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const Row row = row_of(line);
    if (row.count < kFields || row.count > kMostFields) return false;
    // Ids are words such as job0. Other formats begin with a number.
    if (row.fields[kId].empty() || number(row.fields[kId])) return false;
    for (std::size_t field = kSubmit; field < kFields; ++field)
      if (!number(row.fields[field])) return false;
    ++rows;
  }
  return rows > 0;
}

class Reader {
 public:
  Reader(Input& input, const ImportOptions& options, JobCollection& jobs, ImportReport& report)
      : input_(input), options_(options), jobs_(jobs), report_(report) {}

  Imported read() {
    while (const auto line = input_.line())
      if (line->find_first_not_of(" \t") != std::string_view::npos) read_row(*line);
    Imported imported;
    imported.scenario = task_frame(options_, input_.name());
    imported.scenario.cluster.nodes = nodes();
    if (equal_ > 0)
      report_.state(counted(equal_, "job") +
                    " submitted at the same time as the job above: the order of the rows is kept");
    report_.state("the trace has no tasks: a task processes at most " +
                  print_bytes(options_.block) + " (--block) at " + print_byte_rate(options_.rate) +
                  " (--rate)");
    report_.state(options_.work == ImportOptions::Work::kCpu
                      ? "tasks compute for this time"
                      : "tasks sleep for this time (--work cpu: they compute)");
    report_.state("tasks request 1 core and " + print_bytes(options_.memory_per_core) +
                  " (--memory-per-core)");
    return imported;
  }

 private:
  void read_row(std::string_view line) {
    ++report_.rows;
    const Row row = row_of(line);
    // Without all three sizes, the job is unknown.
    if (row.count < kFields) return report_.repaired(kUnreadable, input_);
    if (row.count > kMostFields) report_.repaired(kFieldsMore, input_);
    std::optional<double> submit = number(row.fields[kSubmit]);
    if (!submit || std::abs(*submit) > kMostSubmit) return report_.repaired(kUnreadable, input_);
    std::array<double, kFields> bytes{};
    for (const Field field : {kInput, kShuffle, kOutput}) {
      const std::optional<double> value = number(row.fields[field]);
      if (!value)
        report_.repaired(is_blank(row.fields[field]) ? kMissing : kNoNumber, input_);
      else if (*value < 0)
        report_.repaired(kMissing, input_);
      else if (*value > kMostBytes)
        return report_.repaired(kUnreadable, input_);
      else
        bytes[field] = *value;
    }
    const std::string id(row.fields[kId].substr(0, kLongestId));
    const double reduced = std::max(bytes[kShuffle], bytes[kOutput]);
    if (bytes[kInput] == 0 && reduced == 0) return report_.repaired(kNoTask, input_);
    const double block = static_cast<double>(options_.block.count());
    const double maps = std::max(1.0, std::ceil(bytes[kInput] / block));
    const double reduces = std::ceil(reduced / block);
    if (maps > kMostTasks || reduces > kMostTasks) return report_.repaired(kTooManyTasks, input_);
    if (!ids_.insert(std::hash<std::string>()(id)).second) report_.repaired(kSameId, input_);
    if (bytes[kInput] == 0) report_.repaired(kZeroTime, input_);
    if (*submit == -1) {
      submit = report_.submission_above(last_, input_);
      if (!submit) return;
    } else if (*submit < last_) {
      report_.repaired(kOutOfOrder, input_);
    }
    equal_ += *submit == last_;
    last_ = std::max(last_.value_or(*submit), *submit);
    if (!jobs_.takes(id, emu_seconds(*submit), "", "")) return;
    JobSpec job;
    job.submit = emu_seconds(*submit);
    add_phase(job, "map", PhaseKind::kMap, maps, bytes[kInput]);
    if (reduces > 0) {
      add_phase(job, "reduce", PhaseKind::kReduce, reduces, reduced);
      job.phases.back().after = {0};
    }
    jobs_.add(id, "", "", std::move(job));
  }

  void add_phase(JobSpec& job, const char* name, PhaseKind kind, double tasks, double bytes) {
    const double micros = bytes / tasks / options_.rate * 1e6;
    // Longer than the limit only if --rate is very low.
    if (micros > kMostSeconds * 1e6)
      throw BadTrace{"a task of " + print_bytes(options_.block) + " takes more than 10000h at " +
                     print_byte_rate(options_.rate) + "; expected a higher --rate"};
    PhaseSpec& phase = job.phases.emplace_back();
    phase.name = name;
    phase.kind = kind;
    phase.tasks = static_cast<int>(tasks);
    phase.request = {Millicores(1000), options_.memory_per_core};
    Drawn& work = options_.work == ImportOptions::Work::kCpu ? phase.cpu : phase.sleep;
    work.mean = std::max(1.0, std::round(micros));
  }

  std::vector<NodeSpec> nodes() {
    Resources size;
    size.cores = options_.cores.value_or(kCores);
    const double memory = static_cast<double>(options_.memory_per_core.count()) *
                          static_cast<double>(size.cores.count()) / 1000;
    size.memory = options_.memory.value_or(EmuBytes(std::llround(std::min(memory, kMostBytes))));
    const int count = options_.nodes.value_or(kNodes);
    report_.state("cluster: " + nodes_text(count, size) +
                  "; the trace does not say it (--nodes, --cores, --memory)");
    return equal_nodes(count, size);
  }

  Input& input_;
  const ImportOptions& options_;
  JobCollection& jobs_;
  ImportReport& report_;
  std::set<std::size_t> ids_;  ///< hashes of the ids
  std::optional<double> last_;
  std::int64_t equal_ = 0;
};

}  // namespace
}  // namespace heddle::trace::swim

namespace heddle::trace {

Imported import_swim(std::vector<Input>& files, const ImportOptions& options, JobCollection& jobs,
                     ImportReport& report) {
  Input& input = files.front();
  if (!swim::looks_like(input.head(), 1))
    throw BadTrace{"its first row is not of SWIM" + std::string(swim::kExpected)};
  if (files.size() > 1) throw BadTrace{"more than one file; expected one file of SWIM"};
  return swim::Reader(input, options, jobs, report).read();
}

bool is_swim(std::string_view head) { return swim::looks_like(head, 5); }

}  // namespace heddle::trace
