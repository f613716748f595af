#include "trace/import/swf.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <unordered_set>

#include "common/text.h"
#include "core/scenario/quantity_text.h"
#include "trace/import/collection.h"
#include "trace/import/scaling.h"

namespace heddle::trace {
namespace {

constexpr std::size_t kFields = 18;
/// Fields of a row, from 0.
enum Field {
  kNumber,
  kSubmit,
  kWait,
  kRun,
  kAllocated,
  kCpuTime,
  kUsedMemory,
  kRequested,
  kWalltime,
  kMemory,
  kStatus,
  kUser,
  kGroup,
  kExecutable,
  kQueue,
  kPartition,
  kPreceding,
  kThinkTime
};
constexpr double kNone = -1;
constexpr double kShortest = 1e-6;             ///< seconds; 0 would be no work
constexpr std::size_t kMostSeen = 10'000'000;  ///< bounds the memory for large job numbers
constexpr std::size_t kMostNames = 100'000;    ///< of users in the header; scenarios limit queues
constexpr double kMostNumber = 1e15;           ///< of jobs, users and queues
constexpr double kMostProcs = 1e9, kMostNodeCores = 10'000;
constexpr double kMostMemory = 0x1p50;

constexpr Repair kPartial{"partial", "status 2, 3 or 4, a part of a job: left out"};
constexpr Repair kDependent{"dependent", "depends on another job: keeps its submission"};
constexpr Repair kNoNumberOfJob{"no_job_number", "has no job number: that of the row was taken"};

using Row = std::array<double, kFields>;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Returns the next word of the line, and removes it. Returns "" at the end.
std::string_view take_word(std::string_view& line) {
  std::size_t begin = 0;
  while (begin < line.size() && is_blank(line[begin])) ++begin;
  std::size_t end = begin;
  while (end < line.size() && !is_blank(line[end])) ++end;
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

std::optional<double> number(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

/// Returns whether most of the first lines that are no comments have the numbers of SWF. The
/// comments can be longer than the beginning of a file.
bool looks_like_swf(std::string_view head) {
  const bool cut = head.size() >= kHead;
  int rows = 0, good = 0;
  std::int64_t comments = 0;
  while (!head.empty() && rows < 5) {
    const std::size_t end = head.find('\n');
    if (end == std::string_view::npos && (cut || rows > 0)) break;  // it can end within the line
    std::string_view line = head.substr(0, end);
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    std::string_view rest = line;
    std::string_view word = take_word(rest);
    comments += word.starts_with(';');
    if (word.empty() || word.starts_with(';')) continue;
    std::size_t words = 0, numbers = 0;
    for (; !word.empty(); word = take_word(rest), ++words) numbers += number(word) ? 1 : 0;
    good += words >= kFields - 3 && words <= kFields + 3 && numbers + 3 >= words;
    ++rows;
  }
  return rows > 0 ? 2 * good > rows : cut && comments > 0;
}

/// The values of the header.
struct Header {
  std::optional<double> max_jobs, max_nodes, max_procs;
  std::map<std::int64_t, std::string> queues, users;  ///< names by number
  std::vector<std::string> licence;
};

class SwfReader {
 public:
  SwfReader(Input& input, const ImportOptions& options, JobCollection& jobs, ImportReport& report)
      : input_(input), options_(options), jobs_(jobs), report_(report) {}

  Imported read() {
    while (const auto line = input_.line()) {
      std::string_view rest = *line;
      const std::string_view first = take_word(rest);
      if (first.empty()) continue;
      if (first.starts_with(';'))
        read_header(*line);
      else
        read_row(*line);
    }
    Imported imported;
    imported.licence = std::move(header_.licence);
    imported.scenario = rigid_frame(options_, input_.name());
    imported.scenario.cluster.nodes = nodes();
    if (longer_ > 0)
      report_.state(counted(longer_, "job") +
                    " ran longer than requested: the walltime ends them in the replay");
    if (header_.max_jobs && *header_.max_jobs != static_cast<double>(report_.rows))
      report_.repaired(kHeader, "MaxJobs " + std::to_string(std::llround(*header_.max_jobs)) +
                                    ", " + counted(report_.rows, "row"));
    if (equal_ > 0)
      report_.state(counted(equal_, "job") +
                    " submitted at the same time as the row above: the order of the rows is kept");
    if (others_ > 0)
      report_.state(counted(others_, "job") +
                    " with a group, an executable or a partition: these are not kept");
    if (options_.work == ImportOptions::Work::kSleep)
      report_.state("tasks sleep for the run time of their job (--work cpu: they compute)");
    if (without_memory_ > 0)
      report_.state(counted(without_memory_, "job") + " without memory: the tasks request " +
                    print_bytes(options_.memory_per_core) + " (--memory-per-core)");
    return imported;
  }

 private:
  void read_header(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of("; \t"), line.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    const std::string_view key = line.substr(0, colon);
    std::string_view rest = line.substr(colon + 1);
    if (key == "Note" && read_user(rest)) return;
    for (const char* told : {"Acknowledge", "Installation", "Computer", "Conversion", "Information",
                             "Note", "License", "Licence", "Copyright"})
      if (key == told && header_.licence.size() < 40) header_.licence.emplace_back(line);
    const std::optional<double> value = number(take_word(rest));
    if (!value || *value < 0 || *value > kMostNumber) return;
    if (key == "Queue") add_name(header_.queues, *value, take_word(rest));
    if (key == "MaxJobs") header_.max_jobs = value;
    if (*value < 1 || *value > kMostProcs) return;
    if (key == "MaxNodes") header_.max_nodes = value;
    if (key == "MaxProcs") header_.max_procs = value;
  }

  /// Reads the note "user 3 is NAME", as heddle export writes it. Returns whether it is one.
  bool read_user(std::string_view note) {
    if (take_word(note) != "user") return false;
    const std::optional<double> user = number(take_word(note));
    if (!user || *user < 0 || *user > kMostNumber || take_word(note) != "is") return false;
    const std::string_view name = take_word(note);
    if (name.empty() || !take_word(note).empty()) return false;
    add_name(header_.users, *user, name);
    return true;
  }

  static void add_name(std::map<std::int64_t, std::string>& names, double number,
                       std::string_view name) {
    if (!name.empty() && names.size() < kMostNames)
      names.emplace(static_cast<std::int64_t>(number), name.substr(0, 2 * kLongestName));
  }

  void read_row(std::string_view line) {
    ++report_.rows;
    Row row;
    row.fill(kNone);
    std::size_t fields = 0;
    for (std::string_view word = take_word(line); !word.empty(); word = take_word(line), ++fields) {
      if (fields >= kFields) continue;
      if (const auto value = number(word))
        row[fields] = *value;
      else
        report_.repaired(kNoNumber, input_);
    }
    if (fields < kFields) report_.repaired(kFieldsMissing, input_);
    if (fields > kFields) report_.repaired(kFieldsMore, input_);
    make_job(row);
  }

  /// Returns a whole number; kNone if it is missing.
  double whole(const Row& row, Field field) {
    if (row[field] < 0 || row[field] == std::floor(row[field])) return row[field];
    report_.repaired(kFraction, input_);
    return std::round(row[field]);
  }

  void make_job(const Row& row) {
    const double status = row[kStatus];
    if (status == 2 || status == 3 || status == 4) return report_.repaired(kPartial, input_);
    if (status != kNone && status != 0 && status != 1 && status != 5)
      report_.repaired(kUnknownStatus, input_);
    double procs = whole(row, kRequested);
    if (procs <= 0) {
      procs = whole(row, kAllocated);
      if (procs > 0) report_.repaired(kMissing, input_);
    }
    if (row[kRun] < 0) return report_.repaired(kNeverRan, input_);
    if (procs <= 0) return report_.repaired(kNoTask, input_);
    if (row[kRun] == 0) report_.repaired(kZeroTime, input_);
    const double number = whole(row, kNumber);
    std::optional<double> submit = row[kSubmit];
    if (!(std::abs(*submit) < 1e12) || row[kRun] > kMostSeconds || procs > 1e6 ||
        number > kMostNumber)
      return report_.repaired(kUnreadable, input_);
    if (!is_new(number)) return report_.repaired(kDuplicate, input_);
    if (row[kPreceding] > 0) report_.repaired(kDependent, input_);
    if (submit == kNone) {
      submit = report_.submission_above(last_, input_);
      if (!submit) return;
    } else {
      if (*submit < last_) report_.repaired(kOutOfOrder, input_);
      equal_ += submit == last_;
    }
    last_ = std::max(last_.value_or(*submit), *submit);
    largest_ = std::max(largest_, procs);
    add(row, number, procs, emu_seconds(*submit));
  }

  bool is_new(double number) {
    if (number < 0) return true;
    const auto id = static_cast<std::uint64_t>(number);
    if (seen_.contains(id)) return false;
    if (id >= dense_.size()) {
      // The numbers of a log are near the numbers of its rows.
      if (id > 100 * (static_cast<std::uint64_t>(report_.rows) + 100'000)) {
        if (seen_.size() >= kMostSeen) seen_.clear();
        return seen_.insert(id).second;
      }
      dense_.resize(2 * id + 1);
    }
    if (dense_[id]) return false;
    return dense_[id] = true;
  }

  void add(const Row& row, double number, double procs, EmuTime submit) {
    if (number < 0) report_.repaired(kNoNumberOfJob, input_);
    const std::string id = number < 0 ? "row-" + std::to_string(report_.rows)
                                      : std::to_string(static_cast<std::int64_t>(number));
    const std::string user = name_of(row[kUser], header_.users);
    const std::string queue = name_of(row[kQueue], header_.queues);
    others_ += row[kGroup] >= 0 || row[kExecutable] >= 0 || row[kPartition] >= 0;
    longer_ += row[kWalltime] > 0 && row[kRun] > std::min(row[kWalltime], kMostSeconds);
    const EmuBytes memory = memory_of(row);
    if (!jobs_.takes(id, submit, user, queue)) return;
    JobSpec job;
    job.submit = submit;
    if (row[kWalltime] > 0) job.walltime = emu_seconds(std::min(row[kWalltime], kMostSeconds));
    PhaseSpec& phase = job.phases.emplace_back();
    phase.name = "p";
    phase.tasks = static_cast<int>(procs);
    phase.gang = true;
    phase.request.cores = Millicores(1000);
    phase.request.memory = memory;
    const double seconds = std::max(row[kRun], kShortest);
    const double busy = options_.work == ImportOptions::Work::kSleep ? 0 : seconds;
    phase.cpu.mean = std::round(busy * 1e6);
    phase.sleep.mean = std::round((seconds - busy) * 1e6);
    if (row[kUsedMemory] > 0 && row[kMemory] > 0)
      phase.memory = {{0,
                       {.mean = std::min(std::round(row[kUsedMemory] * 1024),
                                         static_cast<double>(phase.request.memory.count()))}}};
    jobs_.add(id, user, queue, std::move(job));
  }

  EmuBytes memory_of(const Row& row) {
    // Memory is in KB of 1024 bytes, for each processor.
    const double kib = row[kMemory] > 0 ? row[kMemory] : row[kUsedMemory];
    if (kib > 0 && kib < 1e12) {
      const EmuBytes memory(std::max(std::llround(kib * 1024), 1LL));
      most_memory_ = std::max(most_memory_, memory);
      return memory;
    }
    ++without_memory_;
    return options_.memory_per_core;
  }

  static std::string name_of(double number, const std::map<std::int64_t, std::string>& names) {
    if (number < 0) return "";
    const auto whole = static_cast<std::int64_t>(std::min(number, kMostNumber));
    const auto named = names.find(whole);
    return named == names.end() ? std::to_string(whole) : named->second;
  }

  std::vector<NodeSpec> nodes() {
    const double procs = header_.max_procs.value_or(largest_);
    const double per_node = options_.cores ? static_cast<double>(options_.cores->count()) / 1000
                            : header_.max_nodes ? std::ceil(procs / *header_.max_nodes)
                                                : 1;
    if (per_node > kMostNodeCores)
      throw BadTrace{"MaxProcs / MaxNodes is " + std::to_string(std::llround(per_node)) +
                     " processors of a node; expected --cores N, at most 10000"};
    const double count = options_.nodes ? *options_.nodes : std::ceil(procs / per_node);
    if (count > kMostImportedNodes)
      throw BadTrace{"the cluster has " + std::to_string(std::llround(procs)) +
                     " processors; expected --cores N, so that it has at most 20000 nodes"};
    Resources size{
        Millicores(std::llround(per_node * 1000)),
        EmuBytes(std::llround(
            std::min(static_cast<double>(std::max(options_.memory_per_core, most_memory_).count()) *
                         per_node,
                     kMostMemory)))};
    if (options_.memory) size.memory = *options_.memory;
    report_.state("cluster: " + nodes_text(std::llround(count), size) + " for " +
                  std::to_string(std::llround(procs)) + " processors" +
                  (header_.max_procs ? ", from the header" : ", from the largest job") +
                  " (--nodes, --cores, --memory)");
    return equal_nodes(static_cast<int>(count), size);
  }

  Input& input_;
  const ImportOptions& options_;
  JobCollection& jobs_;
  ImportReport& report_;
  Header header_;
  std::vector<bool> dense_;                 ///< whether a job of this number was read
  std::unordered_set<std::uint64_t> seen_;  ///< the same for numbers that are much larger
  std::optional<double> last_;              ///< latest submission of the rows so far
  double largest_ = 1;
  EmuBytes most_memory_;  ///< of a processor of any job
  std::int64_t equal_ = 0, without_memory_ = 0, others_ = 0, longer_ = 0;
};

}  // namespace

Imported import_swf(std::vector<Input>& files, const ImportOptions& options, JobCollection& jobs,
                    ImportReport& report) {
  if (files.size() > 1) throw BadTrace{"more than one file; expected one file of SWF"};
  if (!looks_like_swf(files.front().head()))
    throw BadTrace{
        "most of its first rows are not SWF; expected rows of 18 numbers with blanks "
        "between them"};
  return SwfReader(files.front(), options, jobs, report).read();
}

bool is_swf(std::string_view head) { return looks_like_swf(head); }

}  // namespace heddle::trace
