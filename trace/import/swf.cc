// Reads the Standard Workload Format, version 2.2
// (https://www.cs.huji.ac.il/labs/parallel/workload/swf.html). Each job is rigid: a gang of as
// many tasks as it has processors, of one core each. Processors are the requested ones, or else
// the allocated ones.
//
// The cluster has MaxNodes nodes with MaxProcs cores in all, as the header says. If it says
// nothing, the cluster has a node of one core for each processor of the largest job.

#include "common/text.h"
#include "core/scenario/quantity_text.h"
#include "trace/import/importer.h"

namespace heddle::trace {
namespace swf {
namespace {

constexpr double kNone = -1;
constexpr std::size_t kMostNames = 100'000;  ///< of users in the header; scenarios limit queues
constexpr double kMostNumber = 1e15;         ///< of jobs, users and queues
constexpr double kMostProcs = 1e9, kMostNodeCores = 10'000, kMostJobProcs = 1e6;
constexpr double kMostKib = 16LL << 30;  ///< of memory for a processor: 16 TiB

constexpr Repair kPartial{"partial", "status 2, 3 or 4, a part of a job: left out"};
constexpr Repair kDependent{
    "dependent", "names the jobs before it in another way than 4 or 4&5: waits for none"};
constexpr Repair kTooWide{"too_wide", "asks for more than 1000000 processors: left out"};
constexpr Repair kMemory{
    "memory",
    "names more than 16 TiB of memory for a processor, perhaps in bytes: taken as missing"};
constexpr Repair kNoNumberOfJob{"no_job_number", "has no job number: that of the row was taken"};

/// A row. Memory is in KB of 1024 bytes, for each processor. -1 is unknown.
struct Row {
  double job = kNone, submit = kNone, wait = kNone, run = kNone, allocated = kNone, cpu = kNone;
  double used_memory = kNone, requested = kNone, walltime = kNone, memory = kNone, status = kNone;
  double executable = kNone, partition = kNone;
  std::string_view user, group, queue;  ///< a number, or a name as some archives have it
  std::string_view preceding;           ///< a number, or several such as 4&5
  double think = kNone;
};
constexpr Rule kNumber{.wrong = missing(kNoNumber)};
constexpr Rule kName{};
constexpr Rule kWhole{
    .least = 0, .whole = true, .wrong = missing(kNoNumber), .fraction = nearest(kFraction, true)};
constexpr Column<Row> kColumns[] = {
    column<&Row::job>(0, kWhole),          column<&Row::submit>(1, kNumber),
    column<&Row::wait>(2, kNumber),        column<&Row::run>(3, kNumber),
    column<&Row::allocated>(4, kWhole),    column<&Row::cpu>(5, kNumber),
    column<&Row::used_memory>(6, kNumber), column<&Row::requested>(7, kWhole),
    column<&Row::walltime>(8, kNumber),    column<&Row::memory>(9, kNumber),
    column<&Row::status>(10, kNumber),     column<&Row::user>(11, kName),
    column<&Row::group>(12, kName),        column<&Row::executable>(13, kNumber),
    column<&Row::queue>(14, kName),        column<&Row::partition>(15, kNumber),
    column<&Row::preceding>(16, kName),    column<&Row::think>(17, kNumber)};
constexpr Table<Row> kLog{
    kColumns,
    {.separator = ' ', .comment = ';', .blanks = " \t", .fields = 18, .whole_lines = true}};

/// Returns whether most of the first rows have the numbers of SWF. The comments can be longer than
/// the beginning of a file.
bool looks_like_swf(std::string_view head) {
  const bool cut = head.size() >= kHead;
  if (cut) head = head.substr(0, head.rfind('\n') + 1);
  const std::vector<Cells> rows = first_rows(head, 5, kLog.layout);
  const auto good = std::ranges::count_if(rows, [](const Cells& row) {
    const auto numbers =
        std::ranges::count_if(row, [](auto word) { return number(word).has_value(); });
    return row.size() >= 15 && row.size() <= 21 && numbers + 3 >= std::ssize(row);
  });
  return rows.empty() ? cut && head.find(';') != std::string_view::npos
                      : 2 * good > std::ssize(rows);
}

/// The values of the header.
struct Header {
  std::optional<double> max_jobs, max_nodes, max_procs;
  std::map<std::int64_t, std::string> queues, users;  ///< names by number
  std::vector<std::string> licence;
};

class Reader : public Importer {
 public:
  using Importer::Importer;

  Imported read() {
    need_one_file("one file of SWF");
    if (!looks_like_swf(files_.front().head()))
      throw BadTrace{
          "most of its first rows are not SWF; expected rows of 18 numbers with blanks "
          "between them"};
    read_rows(
        files_.front(), kLog, [&](const Row& row) { read_row(row); },
        [&](std::string_view line) { read_header(line); });
    Imported imported = made(&rigid_frame, nodes());
    imported.licence = std::move(header_.licence);
    if (!options_.as_it_ran)
      report_.state(longer_, "job",
                    "ran longer than requested: the walltime ends them in the replay");
    if (header_.max_jobs && *header_.max_jobs != static_cast<double>(report_.rows))
      report_.repaired(kHeader, "MaxJobs " + std::to_string(std::llround(*header_.max_jobs)) +
                                    ", " + counted(report_.rows, "row"));
    state_equal("row");
    report_.state(others_, "job", "with a group, an executable or a partition: these are not kept");
    if (options_.work == ImportOptions::Work::kSleep)
      report_.state("tasks sleep for the run time of their job (--work cpu: they compute)");
    report_.state(without_memory_, "job",
                  "without memory: the tasks request " + print_bytes(options_.memory_per_core) +
                      " (--memory-per-core)");
    return imported;
  }

 private:
  void read_header(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of("; \t"), line.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    const std::string_view key = line.substr(0, colon);
    Cells words;
    split(line.substr(colon + 1), words, ' ');
    if (key == "Note" && read_user(words)) return;
    for (const char* told : {"Acknowledge", "Installation", "Computer", "Conversion", "Information",
                             "Note", "License", "Licence", "Copyright"})
      if (key == told && header_.licence.size() < 40) header_.licence.emplace_back(line);
    words.resize(std::max<std::size_t>(words.size(), 2));
    const std::optional<double> value = number(words[0]);
    if (!value || *value < 0 || *value > kMostNumber) return;
    if (key == "Queue") add_name(header_.queues, *value, words[1]);
    if (key == "MaxJobs") header_.max_jobs = value;
    if (*value < 1 || *value > kMostProcs) return;
    if (key == "MaxNodes") header_.max_nodes = value;
    if (key == "MaxProcs") header_.max_procs = value;
  }

  /// Reads the note "user 3 is NAME", as heddle export writes it. Returns whether it is one.
  bool read_user(const Cells& words) {
    if (words.size() != 4 || words[0] != "user" || words[2] != "is") return false;
    const std::optional<double> user = number(words[1]);
    if (!user || *user < 0 || *user > kMostNumber) return false;
    add_name(header_.users, *user, words[3]);
    return true;
  }

  static void add_name(std::map<std::int64_t, std::string>& names, double number,
                       std::string_view name) {
    if (!name.empty() && names.size() < kMostNames)
      names.emplace(static_cast<std::int64_t>(number), name.substr(0, 2 * kLongestName));
  }

  void read_row(const Row& row) {
    if (row.status == 2 || row.status == 3 || row.status == 4) return repaired(kPartial);
    if (row.status != kNone && row.status != 0 && row.status != 1 && row.status != 5)
      repaired(kUnknownStatus);
    const double procs = row.requested > 0 ? row.requested : row.allocated;
    if (row.requested <= 0 && procs > 0) repaired(kMissing);
    if (row.run < 0) return repaired(kNeverRan);
    if (procs <= 0) return repaired(kNoTask);
    if (row.run == 0) repaired(kZeroTime);
    if (!(std::abs(row.submit) < 1e12) || row.run > kMostSeconds || row.job > kMostNumber)
      return repaired(kUnreadable);
    if (procs > kMostJobProcs) return repaired(kTooWide);
    if (row.job >= 0 && !numbers_.add(static_cast<std::size_t>(row.job)))
      return repaired(kDuplicate);
    kept();
    std::optional<double> submit = row.submit;
    if (submit == kNone) {
      submit = submission_above();
      if (!submit) return;
    } else {
      submitted(*submit);
    }
    largest_ = std::max(largest_, procs);
    add_job(row, procs, emu_seconds(*submit));
  }

  void add_job(const Row& row, double procs, EmuTime submit) {
    if (row.job < 0) repaired(kNoNumberOfJob);
    const std::string id = row.job < 0 ? "row-" + std::to_string(report_.rows)
                                       : std::to_string(static_cast<std::int64_t>(row.job));
    const bool by_group = options_.queue_by == QueueBy::kGroup;
    others_ +=
        (!name_of(row.group, {}).empty() && !by_group) || row.executable >= 0 || row.partition >= 0;
    longer_ += row.walltime > 0 && row.run > std::min(row.walltime, kMostInstant);
    const EmuBytes memory = memory_of(row);
    add(
        id, name_of(row.user, header_.users), name_of(row.queue, header_.queues), submit,
        [&](JobSpec& job) {
          job.after = conditions_of(row);
          if (row.walltime > 0) job.walltime = emu_seconds(std::min(row.walltime, kMostInstant));
          PhaseSpec& phase = add_phase(job, "p", {Millicores(1000), memory}, procs);
          make_rigid(job);
          set_time(phase, row.run * 1e6);
          if (row.used_memory > 0 && row.memory > 0)
            phase.memory = {{0,
                             {.mean = std::min(std::round(row.used_memory * 1024),
                                               static_cast<double>(memory.count()))}}};
        },
        name_of(row.group, {}), run_of(row));
  }

  /// Returns nullopt if the wait is unknown.
  static std::optional<LoggedRun> run_of(const Row& row) {
    if (!(row.wait >= 0 && row.wait <= kMostInstant)) return std::nullopt;
    return LoggedRun{0, row.wait, row.wait + row.run};
  }

  /// Returns the conditions of the job: it is submitted when the jobs before it have ended, and its
  /// user has thought.
  std::vector<JobCondition> conditions_of(const Row& row) {
    std::vector<JobCondition> conditions;
    const EmuTime think = emu_seconds(std::clamp(row.think, 0.0, kMostSeconds));
    for (std::string_view rest = row.preceding; !rest.empty();) {
      const std::optional<double> job = number(take_until(rest, '&'));
      if (job && (*job == kNone || *job == 0)) continue;
      if (!job || *job < 0 || *job > kMostNumber || *job != std::floor(*job)) {
        repaired(kDependent);
        return {};
      }
      conditions.push_back(
          {job_before(std::to_string(static_cast<std::int64_t>(*job))), AfterWhen::kAny, think});
    }
    return conditions;
  }

  EmuBytes memory_of(const Row& row) {
    const double kib = row.memory > 0 ? row.memory : row.used_memory;
    if (kib > kMostKib) repaired(kMemory);
    if (kib > 0 && kib <= kMostKib) {
      const EmuBytes memory(std::max(std::llround(kib * 1024), 1LL));
      most_memory_ = std::max(most_memory_, memory);
      return memory;
    }
    ++without_memory_;
    return options_.memory_per_core;
  }

  /// Returns the name of a user, group or queue; "" if it is unknown. `names`: of the header.
  static std::string name_of(std::string_view field,
                             const std::map<std::int64_t, std::string>& names) {
    const std::optional<double> value = number(field);
    if (!value) return std::string(field.substr(0, 2 * kLongestName));
    if (*value < 0) return "";
    const auto whole = static_cast<std::int64_t>(std::min(*value, kMostNumber));
    const auto named = names.find(whole);
    return named == names.end() ? std::to_string(whole) : named->second;
  }

  std::vector<NodeSpec> nodes() {
    const double procs = header_.max_procs.value_or(largest_);
    const double per_node = options_.cores      ? to_cores(*options_.cores)
                            : header_.max_nodes ? std::ceil(procs / *header_.max_nodes)
                                                : 1;
    if (per_node > kMostNodeCores)
      throw BadTrace{"MaxProcs / MaxNodes is " + std::to_string(std::llround(per_node)) +
                     " processors of a node; expected --cores N, at most 10000"};
    return processor_cluster(
        procs, per_node, std::max(options_.memory_per_core, most_memory_), "processors",
        " for " + std::to_string(std::llround(procs)) + " processors" +
            (header_.max_procs ? ", from the header" : ", from the largest job"));
  }

  Header header_;
  Seen numbers_;  ///< of jobs
  double largest_ = 1;
  EmuBytes most_memory_;  ///< of a processor of any job
  std::int64_t without_memory_ = 0, others_ = 0, longer_ = 0;
};

}  // namespace
}  // namespace swf

const FormatCode formats::swf{&swf::looks_like_swf, &import_with<swf::Reader>,
                              QueueColumns{true, true, true}};

}  // namespace heddle::trace
