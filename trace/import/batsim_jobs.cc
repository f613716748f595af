#include "trace/import/batsim_jobs.h"

#include <cmath>

#include "common/number.h"
#include "common/text.h"
#include "core/scenario/quantity_text.h"
#include "trace/import/importer.h"

namespace heddle::trace {
namespace batsim_jobs {
namespace {

constexpr double kMostProcessors = 1e6;
constexpr std::size_t kLongestText = 256;

constexpr Repair kRejected{"rejected", "the scheduler rejected the job: left out"};
constexpr Repair kKilled{"killed", "the scheduler killed the job before its walltime: left out"};
constexpr Repair kReservation{"reservation", "its purpose is no job but a reservation: left out"};
constexpr Repair kAllocation{"allocation", "allocated resources that can't be read: ignored"};

/// Reads a number, which can be infinite.
std::optional<double> number_or_infinity(std::string_view text) {
  const std::optional<double> value = read_number<double>(text);
  return value && std::isnan(*value) ? std::nullopt : value;
}

struct Row {
  std::string_view id, workload, profile, state, allocated, purpose;
  std::optional<double> submit, requested, walltime, start, run, finish;
};
constexpr Word kStates[] = {{"COMPLETED_SUCCESSFULLY"},
                            {"COMPLETED_FAILED"},
                            {"COMPLETED_WALLTIME_REACHED"},
                            {"COMPLETED_KILLED"},
                            {"REJECTED", left_out(kRejected)}};
/// A column of forks of Batsim.
constexpr Word kPurposes[] = {{"job"}, {"reservation", left_out(kReservation)}};
constexpr Rule kAny{.needed = false};
constexpr Rule kNumber{.read = &number_or_infinity, .wrong = missing(kNoNumber)};
/// The columns, with their names in older versions and in evalys.
constexpr Column<Row> kColumns[] = {
    column<&Row::state>(
        "final_state",
        {.words = kStates, .unknown = nearest(kUnknownStatus, true), .needed = false}),
    column<&Row::id>("job_id|jobID", kAny),
    column<&Row::workload>("workload_name", kAny),
    column<&Row::profile>("profile", kAny),
    column<&Row::submit>("submission_time", kNumber),
    column<&Row::requested>("requested_number_of_resources|requested_number_of_processors",
                            {.whole = true,
                             .read = &number_or_infinity,
                             .wrong = missing(kNoNumber),
                             .fraction = nearest(kFraction),
                             .needed = false}),
    column<&Row::walltime>("requested_time", kNumber.optional()),
    column<&Row::run>("execution_time", kNumber),
    column<&Row::start>("starting_time", kAny),
    column<&Row::finish>("finish_time", kAny),
    column<&Row::allocated>("allocated_resources|allocated_processors", kAny),
    column<&Row::purpose>("purpose", {.words = kPurposes, .needed = false})};
constexpr Table<Row> kJobs{kColumns, {.comment = '\0', .blanks = " \t,"}};

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

class Reader : public Importer {
 public:
  using Importer::Importer;

  Imported read() {
    for (Input& file : files_) {
      if (!is_batsim_jobs(file.head()))
        refuse(file,
               "its first row doesn't name the columns of a jobs.csv; expected "
               "submission_time, execution_time and requested_number_of_resources");
      read_rows(file, kJobs, [&](const Row& row) { read_row(row); });
    }
    Imported imported = made(&rigid_frame, nodes());
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
  void read_row(const Row& row) {
    const auto submit = row.submit == -1 ? submission_above() : row.submit;
    if (row.submit == -1 && !submit) return;
    if (!submit || !(std::abs(*submit) < 1e12)) return repaired(kUnreadable);
    std::optional<double> run = row.run;
    if (!run) {
      if (!row.start || !row.finish) return repaired(kNeverRan);
      repaired(kMissing);
      run = *row.finish - *row.start;
    }
    if (!(*run >= 0)) return repaired(kNeverRan);
    if (*run > kMostSeconds) return repaired(kUnreadable);
    // Old versions have this state for jobs that reached their walltime too.
    const bool stopped = row.walltime.value_or(0) > 0 && *run >= *row.walltime;
    if (row.state == "COMPLETED_KILLED" && !stopped) return repaired(kKilled);
    const double count = resources(row);
    if (count <= 0) return repaired(kNoTask);
    if (count > kMostProcessors) return repaired(kUnreadable);
    if (!row.id.empty() && !is_new(std::string(row.workload) + "!" + std::string(row.id)))
      return repaired(kDuplicate);
    if (*run == 0) repaired(kZeroTime);
    submitted(*submit);
    kept();
    largest_ = std::max(largest_, count);
    at_walltime_ += row.state == "COMPLETED_WALLTIME_REACHED" || row.state == "COMPLETED_KILLED";
    add_job(row, *submit, *run, count);
  }

  /// Returns how many resources a job requested. Reads its allocated resources too.
  double resources(const Row& row) {
    const auto allocated = resources_of(row.allocated);
    if (!allocated) repaired(kAllocation);
    if (allocated) highest_ = std::max(highest_, allocated->highest);
    if (row.requested > 0) return *row.requested;
    if (!allocated || allocated->count == 0) return 0;
    repaired(kMissing);
    return allocated->count;
  }

  void add_job(const Row& row, double submit, double seconds, double count) {
    std::string_view id = row.id;
    if (const std::size_t mark = id.find('!'); mark != std::string_view::npos)
      id.remove_prefix(mark + 1);  // "w0!14"
    const std::string number = std::to_string(report_.rows);
    if (id.empty()) id = number;
    // Bytes that are no text can't be printed.
    const std::string workload = printable_line(row.workload.substr(0, kLongestText));
    add(
        id.substr(0, kLongestText), "", workload, emu_seconds(submit),
        [&](JobSpec& job) {
          // A walltime of -1 or inf stands for none.
          if (row.walltime > 0 && std::isfinite(*row.walltime))
            job.walltime = std::max(emu_seconds(std::min(*row.walltime, kMostInstant)), EmuTime(1));
          PhaseSpec& phase = add_phase(job, valid_name(row.profile) ? row.profile : "p",
                                       {Millicores(1000), options_.memory_per_core}, count);
          set_time(phase, seconds * 1e6);
          make_rigid(job);
        },
        {}, run_of(row, submit, seconds));
  }

  /// Returns nullopt if the start is unknown, or is before the submission.
  static std::optional<LoggedRun> run_of(const Row& row, double submit, double seconds) {
    if (!row.start || !(*row.start >= submit && *row.start - submit <= kMostInstant))
      return std::nullopt;
    return LoggedRun{0, *row.start - submit, *row.start - submit + seconds};
  }

  std::vector<NodeSpec> nodes() {
    return processor_cluster(
        std::max(highest_ + 1, largest_), options_.cores ? to_cores(*options_.cores) : 1,
        options_.memory_per_core, "resources",
        options_.nodes             ? ""
        : highest_ + 1 >= largest_ ? ", from the highest id of an allocated resource"
                                   : ", from the largest job");
  }

  double largest_ = 1, highest_ = -1;
  std::int64_t at_walltime_ = 0;
};

}  // namespace
}  // namespace batsim_jobs

Imported import_batsim_jobs(std::vector<Input>& files, const ImportOptions& options,
                            JobCollection& jobs, ImportReport& report) {
  return batsim_jobs::Reader(files, options, jobs, report).read();
}

bool is_batsim_jobs(std::string_view head) {
  const std::vector<Cells> rows = first_rows(head, 1, batsim_jobs::kJobs.layout);
  if (rows.empty() || !missing_column(batsim_jobs::kJobs, rows.front()).empty()) return false;
  const auto names = [&](const auto& column) { return place_of(column.name, rows.front()); };
  return names(batsim_jobs::kColumns[5]) != kNamed || names(batsim_jobs::kColumns[10]) != kNamed;
}

}  // namespace heddle::trace
