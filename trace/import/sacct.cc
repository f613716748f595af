// Reads output of Slurm's sacct -P (https://slurm.schedmd.com/sacct.html): a row for each job, each
// of its steps and, with -D, each of its runs. The first row names the fields, in any order.
// Other files can be a slurm.conf or output of sinfo, whose nodes and partitions become the
// cluster, and output of sacctmgr show qos -P and sacctmgr show assoc -P.
//
// Each job that started and ended becomes a rigid job. It takes the CPUs that it was allocated, for
// its Elapsed time. Of the steps, only MaxRSS is read.

#include <algorithm>
#include <map>
#include <set>

#include "common/text.h"
#include "core/scenario/quantity_text.h"
#include "trace/import/gpus.h"
#include "trace/import/job_groups.h"
#include "trace/import/slurm_dependencies.h"
#include "trace/import/slurm_fields.h"
#include "trace/import/slurm_jobs.h"
#include "trace/import/slurm_site.h"

namespace heddle::trace {
namespace sacct {
namespace {

constexpr double kMostCpus = 1e6;      ///< of a job, the limit of tasks
constexpr double kMostBytes = 0x1p50;  ///< of a job
constexpr double kMostNodeCores = 1e4, kMostNodeGpus = 1024;
constexpr double kClockChange = 3600;         ///< seconds by which clocks are set back in autumn
constexpr std::size_t kMostRuns = 5'000'000;  ///< of all chosen jobs

constexpr Repair kArrayRest{"array_rest", "the tasks of an array that have not started: left out"};
constexpr Repair kPending{"pending", "was pending: left out"};
constexpr Repair kRunning{"running", "was still running: left out"};
constexpr Repair kSuspended{"suspended", "was suspended and had not ended: left out"};
constexpr Repair kCancelled{"cancelled_before_start", "was cancelled before it started: left out"};
constexpr Repair kDeadline{"deadline_before_start",
                           "reached its deadline before it started: left out"};
constexpr Repair kNodeFail{"node_fail_before_start",
                           "ended as NODE_FAIL before it started: left out"};
constexpr Repair kNotStarted{"not_started", "never started, for another reason: left out"};
constexpr Repair kNoCpus{"no_cpus", "has no number of CPUs: left out"};
constexpr Repair kTooWide{"too_wide", "has more than 1000000 CPUs: left out"};
constexpr Repair kCutOff{"cut_off", "a row has too few fields: left out"};
constexpr Repair kNoTime{"no_time",
                         "a time that is neither as 2026-01-05T10:00:00 nor in seconds since 1970, "
                         "or no Submit: left out"};
constexpr Repair kNoLength{"no_length",
                           "an Elapsed or Suspended that is not as 1-02:03:04, or is more than "
                           "10000 hours: left out"};
constexpr Repair kNoLimit{"no_limit", "a Timelimit that is not as 1-02:03:04: taken as none"};
constexpr Repair kNoMemory{"no_memory", "a ReqMem that is not as 4G, 4Gn or 4Gc: taken as missing"};
constexpr Repair kSetBack{"clock_set_back",
                          "ends up to an hour before it starts, as when clocks are set back: the "
                          "run time is Elapsed, or an hour longer than End - Start"};
constexpr Repair kRequeued{"requeued",
                           "ran again after a requeue, a preemption or a failure of a node: the "
                           "first submission and the last run were kept"};
constexpr Repair kResized{"resized", "was resized: its first size was kept for its whole run time"};
constexpr Repair kAgain{"again", "occurs again with the same submission: the last row was kept"};

constexpr Repair kArrayLimit{
    "array_limit", "another array with the same id has another limit: its tasks have no limit"};
constexpr Repair kSingleton{
    "singleton", "depends on the earlier jobs of its name (singleton): does not wait for them"};
constexpr Repair kOtherDependency{"other_dependency",
                                  "a dependency that can't be read, or that is one of several of "
                                  "which one is enough: does not wait for it"};

/// A row of a job or a step.
struct Row {
  std::string_view id, raw_id, name, user, account, partition, qos, state, memory;
  std::string_view requested, allocated;
  std::string_view submit_line;
  std::optional<double> submit, eligible, start, end, elapsed, suspended, limit;
  std::optional<double> requested_cpus, cpus, nodes, max_rss;
};

constexpr Rule kTime{.least = 0,
                     .most = kMostInstant,
                     .none = slurm::kNoValue,
                     .read = &slurm::read_instant,
                     .wrong = left_out(kNoTime),
                     .above = left_out(kNoTime),
                     .needed = false};
constexpr Rule length(double unit, std::optional<double> (*read)(std::string_view text)) {
  return {.least = 0,
          .most = kMostSeconds,
          .unit = unit,
          .none = slurm::kNoValue,
          .read = read,
          .wrong = left_out(kNoLength),
          .above = left_out(kNoLength),
          .needed = false};
}
constexpr Rule limit(double unit, std::optional<double> (*read)(std::string_view text)) {
  return {.least = kPositive,
          .most = kMostInstant / unit,
          .unit = unit,
          .none = slurm::kNoValue,
          .read = read,
          .wrong = missing(kNoLimit),
          .above = kNearest,
          .needed = false};
}
constexpr Rule kNumber{
    .least = kPositive, .read = &slurm::read_count, .wrong = missing(kNoNumber), .needed = false};
constexpr Rule kBytes{.least = kPositive,
                      .most = kMostBytes,
                      .read = &slurm::read_bytes,
                      .wrong = missing(kNoNumber),
                      .above = kNearest,
                      .needed = false};
constexpr Rule kAnyText = kText.optional();
constexpr Rule kLine{.most = 1 << 16, .above = kNearest, .needed = false};

constexpr Column<Row> kColumns[] = {
    column<&Row::id>("JobID", kAnyText),
    column<&Row::raw_id>("JobIDRaw", kAnyText),
    column<&Row::name>("JobName", kWord.optional()),
    column<&Row::user>("User", kAnyText),
    column<&Row::account>("Account", kAnyText),
    column<&Row::partition>("Partition", kAnyText),
    column<&Row::qos>("QOS", kAnyText),
    column<&Row::state>("State", kAnyText),
    column<&Row::submit>("Submit", kTime),
    column<&Row::eligible>("Eligible", kTime),
    column<&Row::start>("Start", kTime),
    column<&Row::end>("End", kTime),
    column<&Row::elapsed>("Elapsed", length(1, &slurm::read_length)),
    column<&Row::elapsed>("ElapsedRaw", length(1, &slurm::read_count)),
    column<&Row::suspended>("Suspended", length(1, &slurm::read_length)),
    column<&Row::limit>("Timelimit", limit(1, &slurm::read_length)),
    column<&Row::limit>("TimelimitRaw", limit(60, &slurm::read_count)),
    column<&Row::requested_cpus>("ReqCPUS", kNumber),
    column<&Row::cpus>("AllocCPUS|NCPUS", kNumber),
    column<&Row::nodes>("NNodes|AllocNodes", kNumber),
    column<&Row::memory>("ReqMem", kAnyText),
    column<&Row::max_rss>("MaxRSS", kBytes),
    column<&Row::requested>("ReqTRES", kAnyText),
    column<&Row::allocated>("AllocTRES", kAnyText),
    column<&Row::submit_line>("SubmitLine", kLine)};
/// Fields that users write freely, and in which Slurm does not escape the separator.
constexpr std::string_view kFreeTexts[] = {"JobName",      "Constraints",   "Comment",
                                           "AdminComment", "SystemComment", "SubmitLine",
                                           "WorkDir",      "Extra",         "Reason"};
constexpr Table<Row> kLog{
    kColumns,
    {.separator = '|', .comment = '\0', .free_texts = kFreeTexts, .few = left_out(kCutOff)}};

/// The fields that a file needs. '|' separates alternatives.
constexpr std::string_view kNeeded[] = {"JobID|JobIDRaw", "Submit", "Start",
                                        "End|Elapsed|ElapsedRaw",
                                        "AllocCPUS|NCPUS|ReqCPUS|AllocTRES|ReqTRES"};

Cells header_of(std::string_view head, char separator = '|') {
  Layout layout = kLog.layout;
  layout.separator = separator;
  std::vector<Cells> rows = first_rows(head, 1, layout);
  return rows.empty() ? Cells() : std::move(rows.front());
}

/// Returns whether the first line of a file names fields of sacct, perhaps not all that are needed,
/// and perhaps separated by blanks.
bool is_sacct(std::string_view head) {
  for (const char separator : {'|', ' '}) {
    const Cells header = header_of(head, separator);
    if (place_of(kNeeded[0], header) != kNamed &&
        place_of("JobName|State|Submit|Start|Elapsed", header) != kNamed)
      return true;
  }
  return false;
}

/// Returns the reason for which a job did not start and end; nullptr if it did both.
const Repair* left_out_as(std::string_view state, bool started, bool ended) {
  state = state.substr(0, state.find(' '));  // "CANCELLED by 1000"
  if (started && ended) return nullptr;
  if (started) return state == "SUSPENDED" ? &kSuspended : &kRunning;
  if (state == "PENDING") return &kPending;
  if (state == "CANCELLED") return &kCancelled;
  if (state == "DEADLINE") return &kDeadline;
  return state == "NODE_FAIL" ? &kNodeFail : &kNotStarted;
}

struct Job : GroupedJob {
  std::string id, name, account, partition, qos, dependency;
  std::optional<int> array_limit;
  double submit = 0;              ///< of its first run
  std::optional<double> peak;     ///< memory that a task used
  std::vector<slurm::Run> tasks;  ///< its last run; none if it has not ended

  EmuTime submission() const { return emu_seconds(submit); }
};

class Reader : public Importer {
 public:
  using Importer::Importer;

  Imported read() {
    std::vector<Input*> logs;
    for (Input& file : files_)
      if (is_sacct(file.head()))
        logs.push_back(&file);
      else
        site_.read(file);
    site_.check();
    if (logs.empty())
      throw BadTrace{"no file is output of sacct -P; expected JobID|Submit|Start|End|AllocCPUS|…"};
    for (Input* file : logs) read_log(*file);
    const auto chosen = groups_.choose();
    Imported imported = made(&rigid_frame, nodes(), *logs.front());
    for (const auto* entry : chosen) add_part(entry->second.id);
    for (const auto* entry : chosen) add_job(entry->second);
    if (gpu_jobs_ > 0)
      gpus_.give(imported.scenario.cluster, static_cast<int>(gpus_per_node_),
                 counted(gpu_jobs_, "job"), report_);
    site_.give(imported);
    state(std::ssize(chosen));
    return imported;
  }

 private:
  void read_log(Input& file) {
    const Cells header = header_of(file.head());
    if (header.size() < 2)
      refuse(file, "its fields are not separated by |; expected output of sacct -P");
    for (const std::string_view field : kNeeded)
      if (place_of(field, header) == kNamed)
        refuse(file, "its header has no " + std::string(field) +
                         "; expected JobID, Submit, Start, End or Elapsed, and AllocCPUS, ReqCPUS, "
                         "AllocTRES or ReqTRES");
    has_end_ = place_of("End", header) != kNamed;
    read_rows(file, kLog, [&](const Row& row) { read_row(row); });
  }

  void read_row(const Row& row) {
    const std::string_view id = row.id.empty() ? row.raw_id : row.id;
    if (id.empty()) return repaired(kUnreadable);
    if (const std::size_t dot = id.find('.'); dot != std::string_view::npos)
      return read_step(id.substr(0, dot), row);
    if (id.find('[') != std::string_view::npos) return repaired(kArrayRest);
    if (!row.submit) return repaired(kNoTime);
    const bool live = row.state.starts_with("RUNNING") || row.state.starts_with("SUSPENDED");
    const bool ended = has_end_ ? row.end.has_value() : row.elapsed.has_value() && !live;
    if (const Repair* reason = left_out_as(row.state, row.start.has_value(), ended)) {
      Job* job = groups_.find(key_of(id));
      if (job && !job->tasks.empty() && slurm::goes_on(job->tasks.back().state)) job->tasks.clear();
      return repaired(*reason);
    }
    const std::optional<double> seconds = length_of(row);
    if (!seconds) return repaired(kEndsBefore);
    if (std::optional<slurm::Run> run = run_of(row, *seconds)) add_run(id, row, *std::move(run));
  }

  void read_step(std::string_view id, const Row& row) {
    ++steps_;
    Job* job = row.max_rss ? groups_.find(key_of(id)) : nullptr;
    if (job) job->peak = std::max(job->peak.value_or(0), *row.max_rss);
  }

  /// Returns the run time; nullopt if the job ends before it starts.
  std::optional<double> length_of(const Row& row) {
    double seconds = row.end ? *row.end - *row.start : *row.elapsed;
    if (seconds < -kClockChange) return std::nullopt;
    if (seconds < 0) {
      repaired(kSetBack);
      seconds += kClockChange;
    }
    seconds = row.elapsed.value_or(std::max(seconds - row.suspended.value_or(0), 0.0));
    if (seconds == 0) repaired(kZeroTime);
    return std::min(seconds, kMostSeconds);
  }

  /// Returns nullopt if the row is left out.
  std::optional<slurm::Run> run_of(const Row& row, double seconds) {
    const slurm::Tres requested = slurm::read_tres(row.requested);
    const slurm::Tres allocated = slurm::read_tres(row.allocated);
    const auto asked = first_of({row.requested_cpus, requested.cpus});
    const auto cpus = first_of({row.cpus, allocated.cpus, asked});
    if (!cpus || *cpus > kMostCpus) {
      repaired(cpus ? kTooWide : kNoCpus);
      return std::nullopt;
    }
    slurm::Run run;
    run.submit = *row.submit;
    run.eligible = row.eligible;
    run.start = *row.start;
    run.seconds = seconds;
    run.limit = row.limit;
    run.cpus = std::max(std::floor(*cpus), 1.0);
    run.nodes = first_of({row.nodes, allocated.nodes, requested.nodes});
    run.whole_nodes = asked && run.cpus > *asked;
    run.bytes = first_of({memory_of(row, run), requested.bytes, allocated.bytes});
    if (run.bytes) run.bytes = std::min(*run.bytes, kMostBytes);
    run.gpus = gpus_of(row.requested.empty() ? allocated : requested);
    run.models = requested.models;
    run.state = row.state.substr(0, row.state.find(' '));
    return run;
  }

  static std::optional<double> first_of(std::initializer_list<std::optional<double>> amounts) {
    for (const std::optional<double>& amount : amounts)
      if (amount && *amount > 0) return amount;
    return std::nullopt;
  }

  double gpus_of(const slurm::Tres& tres) {
    const double gpus = tres.gpus.value_or(0);
    if (gpus == std::floor(gpus) && gpus <= kMostCpus) return gpus;
    repaired(kUnclearGpus);
    return 0;
  }

  /// Returns the memory of ReqMem for the whole job.
  std::optional<double> memory_of(const Row& row, const slurm::Run& run) {
    if (row.memory.empty()) return std::nullopt;
    const std::optional<slurm::Memory> memory = slurm::read_memory(row.memory);
    if (!memory) {
      repaired(kNoMemory);
      return std::nullopt;
    }
    using Per = slurm::Memory::Per;
    const double of_nodes = memory->per == Per::kNode ? run.nodes.value_or(1) : 1;
    return memory->bytes * (memory->per == Per::kCpu ? run.cpus : of_nodes);
  }

  void add_run(std::string_view id, const Row& row, slurm::Run run) {
    const slurm::Run* last = last_run(id);
    if (last && !slurm::goes_on(last->state) && last->submit != run.submit) {
      repaired(kSameId);
      keys_.insert_or_assign(std::string(id), std::string(id) + "#" + std::to_string(++same_));
      last = nullptr;
    }
    if (!last || last->submit != run.submit) note(row, run);
    Job* job = groups_.get(key_of(id), [&] { return job_of(id, row); });
    if (!job) return;
    if (last) follow(*last, run);
    if (job->tasks.empty()) groups_.count_task();
    job->tasks.clear();
    job->tasks.push_back(std::move(run));
  }

  /// Returns the run of a job whose rows so far have this id; nullptr if there is none.
  const slurm::Run* last_run(std::string_view id) {
    const Job* job = groups_.find(key_of(id));
    return job && !job->tasks.empty() ? &job->tasks.back() : nullptr;
  }

  /// Returns the key of the last job with this id. Slurm uses ids again after the largest one.
  std::string key_of(std::string_view id) const {
    const auto found = keys_.find(id);
    return found == keys_.end() ? std::string(id) : found->second;
  }

  static Job job_of(std::string_view id, const Row& row) {
    Job job;
    job.id = id;
    job.name = row.name;
    job.user = row.user;
    job.account = row.account;
    job.queue = row.partition;
    job.partition = row.partition.substr(0, row.partition.find(','));
    job.qos = row.qos;
    job.dependency = slurm::dependency_option(row.submit_line);
    if (id.find('_') != std::string_view::npos)
      job.array_limit = slurm::array_limit(row.submit_line);
    job.submit = *row.submit;
    return job;
  }

  /// Makes a later run of a job the one that counts.
  void follow(const slurm::Run& last, slurm::Run& run) {
    if (last.submit == run.submit) return repaired(kAgain);
    if (last.state != "RESIZING") return repaired(kRequeued);
    repaired(kResized);
    const double seconds = run.seconds;  // from the first start on
    const std::string state = run.state;
    run = last;
    run.seconds = seconds;
    run.state = state;
  }

  /// Notes what a run held, and counts its peculiarities.
  void note(const Row& row, const slurm::Run& run) {
    later_ += row.eligible && *row.eligible > run.submit + 1;
    const double end = row.end.value_or(*row.start + run.seconds);
    const slurm::Held held{run.cpus, bytes_of(run), run.gpus};
    suspended_ += end - *row.start > run.seconds + 1;
    if (!site_.nodes().empty()) return;
    // After a resize, the submission is the time of the resize.
    peak_.add(std::max(*row.start, run.submit), end, held);
    const double nodes = run.nodes.value_or(run.cpus);
    on_node_.cpus = std::max(on_node_.cpus, std::ceil(run.cpus / nodes));
    on_node_.bytes = std::max(on_node_.bytes, held.bytes / nodes);
    on_node_.gpus = std::max(on_node_.gpus, std::ceil(run.gpus / nodes));
  }

  double bytes_of(const slurm::Run& run) const {
    return run.bytes.value_or(run.cpus * static_cast<double>(options_.memory_per_core.count()));
  }

  void add_job(const Job& job) {
    const slurm::Run& run = job.tasks.back();
    const slurm::Shape shape = shape_of(job);
    const auto gpus = Gpus::amount(shape.gpus);
    if (!gpus) report_.repaired(kUnclearGpus, "job " + job.id);
    const bool asks = gpus > Thousandths(0);
    gpu_jobs_ += asks;
    const auto where = asks && !site_.nodes().empty() ? Gpus::one_of(run.models) : Where();
    if (!where) report_.repaired(kUnclearModel, "job " + job.id);
    count(job);
    JobSpec spec;
    spec.submit = job.submission();
    if (!job.account.empty()) spec.account = site_.account_of(job.account);
    spec.after = conditions_of(job);
    if (options_.as_it_ran && spec.after.empty())
      spec.submit = emu_seconds(eligible_of(job.tasks.back()));
    if (run.limit) spec.walltime = emu_seconds(*run.limit);
    PhaseSpec& phase = add_phase(spec, phase_name(job.name),
                                 request_of(shape.cores, memory_of_task(job, shape)), shape.tasks);
    phase.request.counts.set(0, gpus.value_or(Thousandths(0)));
    phase.where = where.value_or(Where());
    if (!job.qos.empty()) spec.qos = site_.qos_of(job.qos);
    if (job.array_limit) limit_array(job, spec);
    site_.put_in_partition(job.partition, spec);
    make_rigid(spec);
    set_work(phase, run.seconds, phase.request, {}, job.peak);
    const bool by_group = options_.queue_by == QueueBy::kGroup;
    const LoggedRun logged = logged_run(job, spec);
    jobs_.add(job.id, job.user, by_group ? job.account : job.queue, std::move(spec), logged);
  }

  /// Returns the shape of a job. If the cluster has too few nodes that hold its part of each node,
  /// the job had unequal parts, and is not kept to its number of nodes.
  slurm::Shape shape_of(const Job& job) {
    const slurm::Run& run = job.tasks.back();
    const slurm::Shape shape = slurm::shape_of(run, options_.as_it_ran);
    if (!options_.as_it_ran || site_.nodes().empty() ||
        static_cast<double>(site_.nodes_with(job.partition, shape)) >= shape.tasks)
      return shape;
    ++unequal_;
    return slurm::shape_of(run);
  }

  /// Returns when the job became eligible for its last run, which is not before the submission for
  /// this run.
  static double eligible_of(const slurm::Run& run) {
    return std::clamp(run.eligible.value_or(run.submit), run.submit,
                      std::max(run.start, run.submit));
  }

  static LoggedRun logged_run(const Job& job, const JobSpec& spec) {
    const slurm::Run& run = job.tasks.back();
    const double submit = to_seconds(spec.submit), start = std::max(run.start, submit);
    return {std::max(eligible_of(run) - submit, 0.0), start - submit, start - submit + run.seconds};
  }

  /// Lets only so many tasks of the job's array run at the same time.
  void limit_array(const Job& job, JobSpec& spec) {
    const std::string array = "array-" + job.id.substr(0, job.id.find('_'));
    const auto [known, fresh] = array_limits_.try_emplace(array, *job.array_limit);
    if (known->second != *job.array_limit) return report_.repaired(kArrayLimit, "job " + job.id);
    spec.array = array;
    spec.array_limit = job.array_limit;
  }

  /// Returns the bytes that a task requests. If the request is unknown, these are what it used.
  static std::optional<double> memory_of_task(const Job& job, const slurm::Shape& shape) {
    const slurm::Run& run = job.tasks.back();
    if (run.bytes) return std::floor(*run.bytes / shape.tasks);
    return job.peak;
  }

  static std::string phase_name(const std::string& job_name) {
    const std::string name = as_in_names(job_name);
    return valid_name(name) && name != "am" ? name : "job";
  }

  /// Returns the conditions of a job. They held in the log. In the replay, jobs can end in another
  /// way: those that failed complete, and those that ran longer than requested are killed. So a
  /// condition on the end of a job holds however it ends.
  std::vector<JobCondition> conditions_of(const Job& job) {
    const slurm::Dependencies all = slurm::read_dependencies(job.dependency);
    for (int i = 0; i < all.singletons; ++i) report_.repaired(kSingleton, "job " + job.id);
    for (int i = 0; i < all.others; ++i) report_.repaired(kOtherDependency, "job " + job.id);
    std::vector<JobCondition> conditions;
    for (const slurm::Dependency& one : all.on) {
      failed_ += one.when == slurm::Dependency::When::kNotOk;
      for (const std::string& id : ids_of(one, job.id)) {
        if (++conditions_ > kMaxAllConditions)
          throw BadTrace{"the chosen jobs have more than " + std::to_string(kMaxAllConditions) +
                         " conditions on other jobs; expected --jobs, --sample, --from or --until"};
        conditions.push_back({job_before(id), when_of(one.when), emu_seconds(one.delay)});
      }
    }
    return conditions;
  }

  static AfterWhen when_of(slurm::Dependency::When when) {
    return when == slurm::Dependency::When::kStart ? AfterWhen::kStart : AfterWhen::kAny;
  }

  /// Returns the ids of the jobs that a dependency of job `own` means.
  std::vector<std::string> ids_of(const slurm::Dependency& on, const std::string& own) const {
    if (on.when == slurm::Dependency::When::kTask)
      return {on.job + own.substr(std::min(own.find('_'), own.size()))};
    const auto parts = parts_.find(on.job);
    return parts == parts_.end() ? std::vector{on.job} : parts->second;
  }

  /// Notes a job that is a task of an array or a component of a heterogeneous job.
  void add_part(const std::string& id) {
    const std::size_t end = id.find_first_of("_+");
    if (end != std::string::npos) parts_[id.substr(0, end)].push_back(id);
  }

  void count(const Job& job) {
    const slurm::Run& run = job.tasks.back();
    cut_short_ += run.state != "RESIZING" && !run.state.empty() && slurm::goes_on(run.state);
    without_memory_ += !run.bytes && !job.peak;
    longer_ += run.limit && run.seconds > *run.limit;
    waited_ += std::max(run.start - job.submit, 0.0);
    components_ += job.id.find('+') != std::string::npos;
  }

  std::vector<NodeSpec> nodes() {
    if (site_.nodes().empty()) return guessed_nodes();
    std::vector<Resources> machines;
    for (const slurm::Node& node : slurm::by_kind(site_.nodes())) {
      machines.push_back(request_of(
          node.cores, node.bytes > 0 ? std::optional<double>(node.bytes) : std::nullopt));
      gpus_.add_machine(node.gpus, node.model);
    }
    return cluster_of(machines, "the list of " + counted(std::ssize(site_.nodes()), "node"));
  }

  /// Returns equal nodes on which all jobs of the log could run when they did.
  std::vector<NodeSpec> guessed_nodes() {
    const slurm::Held most = peak_.most();
    const double cores =
        options_.cores ? to_cores(*options_.cores) : std::clamp(on_node_.cpus, 1.0, kMostNodeCores);
    const double count =
        options_.nodes ? *options_.nodes : std::max(std::ceil(most.cpus / cores), 1.0);
    if (count > kMostImportedNodes)
      throw BadTrace{"the log has " + std::to_string(std::llround(most.cpus)) +
                     " CPUs in use at the same time; expected --cores N, so that the cluster has "
                     "at most " +
                     std::to_string(kMostImportedNodes) + " nodes"};
    gpus_per_node_ = std::min(std::max(on_node_.gpus, std::ceil(most.gpus / count)), kMostNodeGpus);
    const double mebibytes =
        std::ceil(std::max({on_node_.bytes, most.bytes / count, 1.0}) / slurm::kMebibyte);
    return equal_cluster(static_cast<int>(count), request_of(cores, mebibytes * slurm::kMebibyte),
                         ", for the " + counted(std::llround(most.cpus), "CPU") +
                             " that jobs of the log held at the same time",
                         "--nodes, --cores, --memory, or slurm.conf as another file");
  }

  void state(std::ptrdiff_t jobs) {
    if (jobs > 0)
      report_.state("in the log, the jobs waited " +
                    print_fraction(std::round(waited_ / static_cast<double>(jobs) * 10) / 10) +
                    " s on average from Submit to Start");
    report_.state(steps_, "row", "of steps: only MaxRSS is read");
    report_.state(later_, "job",
                  "became eligible after the submission, because of a dependency, a "
                  "begin time, a hold or the limit of an array: " +
                      std::string(options_.as_it_ran ? "submitted then, unless it waits for "
                                                       "other jobs"
                                                     : "submitted at Submit"));
    report_.state(
        failed_, "condition",
        "that a job fails: it waits for the job's end, because failures are not replayed");
    report_.state(suspended_, "run", "with suspended time: the run time is without it");
    report_.state(cut_short_, "job",
                  "whose last run was cut short (PREEMPTED, NODE_FAIL, BOOT_FAIL or REQUEUED), and "
                  "of which the log has no later run: the run time is that of this run");
    report_.state(unequal_, "job",
                  "with unequal parts of its nodes: a task for each CPU or GPU, on any nodes");
    site_.state();
    report_.state(components_, "component",
                  "of heterogeneous jobs: each is a job of its own, and they need not start "
                  "together");
    if (!options_.as_it_ran)
      report_.state(longer_, "job",
                    "ran longer than requested: the walltime ends them in the replay");
    report_.state(without_memory_, "job",
                  "without memory: the tasks request " + print_bytes(options_.memory_per_core) +
                      " for each core (--memory-per-core)");
    state_work();
  }

  slurm::Site site_{report_};
  JobGroups<std::string, Job> groups_{options_, jobs_, kMostRuns};
  std::map<std::string, std::string, std::less<>> keys_;  ///< of ids that occur again
  Gpus gpus_;
  slurm::Peak peak_;
  slurm::Held on_node_;  ///< the most that a job held on a node, on average of its nodes
  double gpus_per_node_ = 0;
  bool has_end_ = false;
  std::int64_t cut_short_ = 0, unequal_ = 0;
  std::int64_t same_ = 0, steps_ = 0, later_ = 0, suspended_ = 0, components_ = 0, longer_ = 0;
  std::map<std::string, int> array_limits_;                ///< by array
  std::map<std::string, std::vector<std::string>> parts_;  ///< of arrays and heterogeneous jobs
  std::size_t conditions_ = 0;
  std::int64_t failed_ = 0;
  double waited_ = 0;  ///< seconds of all jobs
  std::int64_t without_memory_ = 0, gpu_jobs_ = 0;
};

}  // namespace
}  // namespace sacct

const FormatCode formats::sacct{&sacct::is_sacct, &import_with<sacct::Reader>,
                                QueueColumns{true, true, true}};

}  // namespace heddle::trace
