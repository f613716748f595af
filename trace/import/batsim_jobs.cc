#include "trace/import/batsim_jobs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <unordered_set>

#include "common/text.h"
#include "core/scenario/quantity_text.h"
#include "trace/import/collection.h"
#include "trace/import/scaling.h"

namespace heddle::trace::batsim_jobs {
namespace {

/// Columns that are read.
enum Column {
  kId,
  kWorkload,
  kProfile,
  kSubmit,
  kRequested,
  kWalltime,
  kState,
  kStart,
  kRun,
  kFinish,
  kAllocated,
  kColumns
};
/// Names of the columns, with those of older versions and of evalys.
constexpr std::array<std::array<std::string_view, 2>, kColumns> kNames{{
    {"job_id", "jobID"},
    {"workload_name", ""},
    {"profile", ""},
    {"submission_time", ""},
    {"requested_number_of_resources", "requested_number_of_processors"},
    {"requested_time", ""},
    {"final_state", ""},
    {"starting_time", ""},
    {"execution_time", ""},
    {"finish_time", ""},
    {"allocated_resources", "allocated_processors"},
}};
constexpr std::size_t kMostFields = 1000;
constexpr double kMostProcessors = 1e6;
constexpr double kShortest = 1e-6;  ///< seconds; 0 would be no work
constexpr std::size_t kLongestText = 256;

constexpr Repair kRejected{"rejected", "the scheduler rejected the job: left out"};
constexpr Repair kKilled{"killed", "the scheduler killed the job before its walltime: left out"};
constexpr Repair kAllocation{"allocation", "allocated resources that can't be read: ignored"};

using Header = std::array<std::size_t, kColumns>;  ///< field of each column, from 0
constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

/// Splits a row of CSV (RFC 4180). Fields do not contain line ends.
void split(std::string_view line, std::vector<std::string>& fields) {
  std::size_t used = 0;
  const auto next = [&]() -> std::string& {
    if (used == fields.size()) fields.emplace_back();
    fields[used].clear();
    return fields[used++];
  };
  std::string* field = &next();
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"')
        *field += line[++i];
      else
        quoted = !quoted;
    } else if (c == ',' && !quoted) {
      if (used > kMostFields) break;
      field = &next();
    } else {
      *field += c;
    }
  }
  fields.resize(used);
}

/// Returns the columns that a first row names. Returns nullopt if it isn't of a jobs.csv.
std::optional<Header> header_of(std::string_view line) {
  std::vector<std::string> fields;
  split(line, fields);
  Header header;
  header.fill(kAbsent);
  for (std::size_t i = 0; i < fields.size(); ++i)
    for (std::size_t column = 0; column < kColumns; ++column)
      if (!fields[i].empty() && header[column] == kAbsent &&
          std::ranges::find(kNames[column], fields[i]) != kNames[column].end())
        header[column] = i;
  if (header[kSubmit] == kAbsent || header[kRun] == kAbsent) return std::nullopt;
  if (header[kRequested] == kAbsent && header[kAllocated] == kAbsent) return std::nullopt;
  return header;
}

bool looks_like_jobs(std::string_view head) {
  std::string_view line = head.substr(0, head.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return header_of(line).has_value();
}

/// Returns a number, which can be infinite.
std::optional<double> number(std::string_view word) {
  while (word.starts_with(' ')) word.remove_prefix(1);
  while (word.ends_with(' ')) word.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || std::isnan(value))
    return std::nullopt;
  return value;
}

/// The resources of an interval set such as "1-3 5".
struct Resource {
  double count = 0, highest = -1;
};

/// Returns nullopt if it can't be read.
std::optional<Resource> resources_of(std::string_view set) {
  const auto id = [&](double& to) {
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(set.data(), set.data() + set.size(), value);
    if (error != std::errc() || value < 0 || value >= kMostProcessors) return false;
    set.remove_prefix(static_cast<std::size_t>(end - set.data()));
    to = value;
    return true;
  };
  Resource all;
  for (;;) {
    set.remove_prefix(std::min(set.find_first_not_of(" ,"), set.size()));
    if (set.empty()) return all;
    double first = 0, last = 0;
    if (!id(first)) return std::nullopt;
    last = first;
    if (set.starts_with('-')) {
      set.remove_prefix(1);
      if (!id(last) || last < first) return std::nullopt;
    }
    if (!set.empty() && set.front() != ' ' && set.front() != ',') return std::nullopt;
    all.count += last - first + 1;
    all.highest = std::max(all.highest, last);
  }
}

class Reader {
 public:
  Reader(const ImportOptions& options, JobCollection& jobs, ImportReport& report)
      : options_(options), jobs_(jobs), report_(report) {}

  Imported read(std::vector<Input>& files) {
    for (Input& file : files) read_file(file);
    Imported imported;
    imported.scenario = rigid_frame(options_, files.front().name());
    imported.scenario.cluster.nodes = nodes();
    if (options_.work == ImportOptions::Work::kSleep)
      report_.state("tasks sleep for the execution time of their job (--work cpu: they compute)");
    report_.state("tasks request " + print_bytes(options_.memory_per_core) +
                  " (--memory-per-core), because the file has no memory");
    if (at_walltime_ > 0)
      report_.state("jobs that were stopped at their walltime: " + std::to_string(at_walltime_) +
                    "; they run until then");
    return imported;
  }

 private:
  void read_file(Input& file) {
    const auto first = file.line();
    const auto header = first ? header_of(*first) : std::nullopt;
    if (!header)
      throw BadTrace{file.name() +
                         ": its first row doesn't name the columns of a jobs.csv; expected "
                         "submission_time, execution_time and requested_number_of_resources",
                     true};
    header_ = *header;
    input_ = &file;
    // The last columns can be those that are not needed, so the width comes from the first row.
    split(*first, fields_);
    const std::size_t width = fields_.size();
    while (const auto line = file.line()) {
      if (line->find_first_not_of(" \t,") == std::string_view::npos) continue;
      ++report_.rows;
      split(*line, fields_);
      if (fields_.size() < width) report_.repaired(kFieldsMissing, file);
      if (fields_.size() > width) report_.repaired(kFieldsMore, file);
      read_row();
    }
  }

  std::string_view field(Column column) const {
    return header_[column] < fields_.size() ? std::string_view(fields_[header_[column]]) : "";
  }

  /// Returns the number in a column. Returns nullopt if it is blank, or no number.
  std::optional<double> number_in(Column column) {
    const std::string_view text = field(column);
    if (text.find_first_not_of(' ') == std::string_view::npos) return std::nullopt;
    const auto value = number(text);
    if (!value) report_.repaired(kNoNumber, *input_);
    return value;
  }

  void read_row() {
    const std::string_view state = field(kState);
    if (state == "REJECTED") return report_.repaired(kRejected, *input_);
    auto submit = number_in(kSubmit);
    if (submit == -1) {
      submit = report_.submission_above(last_, *input_);
      if (!submit) return;
    }
    if (!submit || !(std::abs(*submit) < 1e12)) return report_.repaired(kUnreadable, *input_);
    std::optional<double> run = number_in(kRun);
    const auto walltime = number_in(kWalltime);
    if (!run) {
      const auto start = number_in(kStart), finish = number_in(kFinish);
      if (!start || !finish) return report_.repaired(kNeverRan, *input_);
      report_.repaired(kMissing, *input_);
      run = *finish - *start;
    }
    if (!(*run >= 0)) return report_.repaired(kNeverRan, *input_);
    if (*run > kMostSeconds) return report_.repaired(kUnreadable, *input_);
    // Old versions have this state for jobs that reached their walltime too.
    const bool stopped = walltime && *walltime > 0 && *run >= *walltime;
    if (state == "COMPLETED_KILLED" && !stopped) return report_.repaired(kKilled, *input_);
    check_state(state);
    const double count = resources();
    if (count <= 0) return report_.repaired(kNoTask, *input_);
    if (count > kMostProcessors) return report_.repaired(kUnreadable, *input_);
    if (!is_new()) return report_.repaired(kDuplicate, *input_);
    if (*run == 0) report_.repaired(kZeroTime, *input_);
    if (*submit < last_) report_.repaired(kOutOfOrder, *input_);
    last_ = std::max(last_.value_or(*submit), *submit);
    largest_ = std::max(largest_, count);
    at_walltime_ += state == "COMPLETED_WALLTIME_REACHED" || state == "COMPLETED_KILLED";
    add(*submit, std::max(*run, kShortest), walltime.value_or(-1), count);
  }

  void check_state(std::string_view state) {
    for (const char* known : {"", "COMPLETED_SUCCESSFULLY", "COMPLETED_FAILED",
                              "COMPLETED_WALLTIME_REACHED", "COMPLETED_KILLED"})
      if (state == known) return;
    report_.repaired(kUnknownStatus, *input_);
  }

  /// Returns how many resources a job requested. Reads its allocated resources too.
  double resources() {
    const auto allocated = resources_of(field(kAllocated));
    if (!allocated) report_.repaired(kAllocation, *input_);
    if (allocated) highest_ = std::max(highest_, allocated->highest);
    auto requested = number_in(kRequested);
    if (requested && std::isfinite(*requested) && *requested != std::floor(*requested)) {
      report_.repaired(kFraction, *input_);
      requested = std::round(*requested);
    }
    if (requested && *requested > 0) return *requested;
    if (!allocated || allocated->count == 0) return 0;
    report_.repaired(kMissing, *input_);
    return allocated->count;
  }

  bool is_new() {
    if (header_[kId] == kAbsent || field(kId).empty()) return true;
    std::string key(field(kWorkload));
    key += '!';
    key += field(kId);
    return seen_.insert(std::hash<std::string>()(key)).second;
  }

  void add(double submitted, double seconds, double walltime, double count) {
    std::string_view id = field(kId);
    if (const std::size_t mark = id.find('!'); mark != std::string_view::npos)
      id.remove_prefix(mark + 1);  // "w0!14"
    const std::string number = std::to_string(report_.rows);
    if (id.empty()) id = number;
    id = id.substr(0, kLongestText);
    // Bytes that are no text can't be printed.
    const std::string workload = printable_line(field(kWorkload).substr(0, kLongestText));
    const EmuTime submit = emu_seconds(submitted);
    if (!jobs_.takes(id, submit, "", workload)) return;
    JobSpec job;
    job.submit = submit;
    // A walltime of -1 or inf stands for none.
    if (walltime > 0 && std::isfinite(walltime))
      job.walltime = std::max(emu_seconds(std::min(walltime, kMostSeconds)), EmuTime(1));
    PhaseSpec& phase = job.phases.emplace_back();
    const std::string profile(field(kProfile));
    phase.name = valid_name(profile) ? profile : "p";
    phase.tasks = static_cast<int>(count);
    phase.gang = true;
    phase.request = {Millicores(1000), options_.memory_per_core};
    const double busy = options_.work == ImportOptions::Work::kSleep ? 0 : seconds;
    phase.cpu.mean = std::round(busy * 1e6);
    phase.sleep.mean = std::round((seconds - busy) * 1e6);
    jobs_.add(id, "", workload, std::move(job));
  }

  std::vector<NodeSpec> nodes() {
    const bool known = highest_ + 1 >= largest_;
    const double processors = std::max(highest_ + 1, largest_);
    const double cores = options_.cores ? static_cast<double>(options_.cores->count()) / 1000 : 1;
    const double count = options_.nodes ? *options_.nodes : std::ceil(processors / cores);
    if (!(count <= kMostImportedNodes))
      throw BadTrace{"the cluster has " + std::to_string(std::llround(processors)) +
                     " resources; expected --cores N, so that it has at most 20000 nodes"};
    const double bytes = static_cast<double>(options_.memory_per_core.count()) * cores;
    const Resources size{options_.cores.value_or(Millicores(1000)),
                         options_.memory.value_or(EmuBytes(std::llround(std::min(bytes, 0x1p50))))};
    report_.state("cluster: " + nodes_text(std::llround(count), size) +
                  (options_.nodes ? ""
                   : known        ? ", from the highest id of an allocated resource"
                                  : ", from the largest job") +
                  " (--nodes, --cores, --memory)");
    return equal_nodes(static_cast<int>(count), size);
  }

  const ImportOptions& options_;
  JobCollection& jobs_;
  ImportReport& report_;
  Input* input_ = nullptr;
  Header header_{};
  std::vector<std::string> fields_;       ///< of the row that is read
  std::unordered_set<std::size_t> seen_;  ///< hashes of ids
  std::optional<double> last_;
  double largest_ = 1, highest_ = -1;
  std::int64_t at_walltime_ = 0;
};

}  // namespace
}  // namespace heddle::trace::batsim_jobs

namespace heddle::trace {

Imported import_batsim_jobs(std::vector<Input>& files, const ImportOptions& options,
                            JobCollection& jobs, ImportReport& report) {
  return batsim_jobs::Reader(options, jobs, report).read(files);
}

bool is_batsim_jobs(std::string_view head) { return batsim_jobs::looks_like_jobs(head); }

}  // namespace heddle::trace
