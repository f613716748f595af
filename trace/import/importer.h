#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "trace/import/collection.h"
#include "trace/import/rows.h"
#include "trace/import/scaling.h"

namespace heddle::trace {

/// Remembers which keys have occurred, by their hashes. Forgets all of them after ten millions, so
/// that its memory is bounded.
class Seen {
 public:
  /// Returns whether the key is new, and adds it.
  bool add(std::string_view key) { return add(std::hash<std::string_view>()(key)); }
  bool add(std::size_t hash) {
    if (hashes_.size() >= kMost) hashes_.clear();
    return hashes_.insert(hash).second;
  }
  bool has(std::size_t hash) const { return hashes_.contains(hash); }

 private:
  static constexpr std::size_t kMost = 10'000'000;
  std::unordered_set<std::size_t> hashes_;
};

/// The parts that importers share. An importer reads rows with read_rows() or read_objects(), makes
/// jobs of them, and says how the cluster was chosen.
class Importer {
 public:
  Importer(std::vector<Input>& files, const ImportOptions& options, JobCollection& jobs,
           ImportReport& report)
      : files_(files), options_(options), jobs_(jobs), report_(report), judge_(report) {}

 protected:
  // Reading.

  /// Calls `use(row)` or `use(row, cells)` for each row of a file, and `comment` for each comment.
  template <class Row>
  void read_rows(Input& file, const Table<Row>& table, const auto& use,
                 const UseLine& comment = nullptr) {
    input_ = &file;
    trace::read_rows(file, table, judge_, use, comment);
  }
  /// Calls `use(json)` for each JSON object of all files. Throws BadTrace with `expected` if the
  /// first object is not one of the trace; other such objects are left out.
  void read_objects(bool (*is_known)(const wire::Json& json), const char* expected,
                    const auto& use) {
    for (Input& file : files_) {
      input_ = &file;
      while (const auto text = file.object()) {
        judge_.begin(file);
        const wire::Json json = wire::parse_json(*text);
        const bool known = !json.is_discarded() && is_known(json);
        if (report_.rows++ == 0 && !known) throw BadTrace{expected};
        if (known)
          use(json);
        else
          repaired(kUnreadable);
      }
    }
  }
  /// Reads a JSON object as a row.
  template <class Row, std::size_t kColumns>
  Row read_json(const wire::Json& json, const Column<Row> (&columns)[kColumns]) {
    Row row;
    read_json(json, columns, row);
    return row;
  }
  /// Sets the members of a row that a JSON object has.
  template <class Row, std::size_t kColumns>
  void read_json(const wire::Json& json, const Column<Row> (&columns)[kColumns], Row& row) {
    trace::read_json(json, columns, judge_, row);
  }
  /// Counts a repair in the row that is being read.
  void repaired(const Repair& repair) { report_.repaired(repair, *input_); }
  /// Counts the faults of the row that count only if it is kept.
  void kept() { judge_.kept(); }
  /// Returns whether no row before has this id.
  bool is_new(std::string_view id) { return seen_.add(id); }

  // Submissions, in the unit of the file.

  /// Counts that a row has no submission. Returns the time that is taken instead: the latest of the
  /// rows above. Returns nullopt if there is none; the row is then left out.
  std::optional<double> submission_above() {
    repaired(last_ ? kNoSubmission : kNoFirstSubmission);
    return last_;
  }
  /// Takes the submission of a row that is kept. Counts it if it is not in order.
  void submitted(double at) {
    if (at < last_) repaired(kOutOfOrder);
    equal_ += at == last_;
    last_ = std::max(last_.value_or(at), at);
  }
  /// States when time 0 is, in milliseconds since 1970. If `zero` is 0, it is that of the trace.
  void state_zero(double zero) {
    if (zero != 0)
      report_.state("0 is the submission of the first job in the trace, " +
                    std::to_string(std::llround(zero)) + " ms after 1970");
  }
  void state_equal(const std::string& above) {
    report_.state(
        equal_, "job",
        "submitted at the same time as the " + above + " above: the order of the rows is kept");
  }

  // Jobs.

  /// Adds the job that `make(job)` completes, if the options choose it. `group`: becomes the queue
  /// if the options say so. `run`: what the trace says about its run.
  void add(std::string_view id, std::string_view user, std::string_view queue, EmuTime submit,
           const auto& make, std::string_view group = {}, std::optional<LoggedRun> run = {}) {
    if (!jobs_.takes(id, submit, user, queue)) return;
    JobSpec job;
    job.submit = submit;
    make(job);
    jobs_.add(id, user, options_.queue_by == QueueBy::kGroup ? group : queue, std::move(job), run);
  }
  /// Returns what stands for a job of the trace in the conditions of another one.
  JobId job_before(std::string_view id) { return jobs_.number_of(id); }
  /// Adds a phase of so many tasks to the job.
  static PhaseSpec& add_phase(JobSpec& job, std::string_view name, const Resources& request,
                              double tasks = 1) {
    PhaseSpec& phase = job.phases.emplace_back();
    phase.name = name;
    phase.request = request;
    phase.tasks = static_cast<int>(tasks);
    return phase;
  }
  /// Sets the work of a task of which only the time is known.
  void set_time(TaskSpec& task, double microseconds) const {
    Drawn& work = options_.work == ImportOptions::Work::kCpu ? task.cpu : task.sleep;
    work.mean = std::max(1.0, std::round(microseconds));
  }
  /// Sets the work of a task that takes `seconds`. `cores` and `memory` are what it uses on
  /// average, if the trace says so; use above the request is cut to the request.
  void set_work(TaskSpec& task, double seconds, const Resources& request,
                std::optional<double> cores = {}, std::optional<double> memory = {});
  /// Gives the phase these tasks. If they are equal, the phase has no `each`.
  static void set_tasks(PhaseSpec& phase, std::vector<TaskSpec> tasks);
  /// Returns the request of `cores` (default: 1) and `bytes` (default: memory_per_core of each
  /// core), each at least the smallest and at most what scenarios allow.
  Resources request_of(std::optional<double> cores, std::optional<double> bytes) const;
  /// Adds the sentences about set_work().
  void state_work();

  // The scenario.

  /// Returns a scenario without jobs, which is a frame with these nodes. Its name is that of a
  /// file.
  using Frame = Scenario (*)(const ImportOptions& options, const std::string& filename);
  Imported made(Frame frame, std::vector<NodeSpec> nodes, const Input& file) const {
    Imported imported{frame(options_, file.name()), {}, {}};
    imported.scenario.cluster.nodes = std::move(nodes);
    return imported;
  }
  Imported made(Frame frame, std::vector<NodeSpec> nodes) const {
    return made(frame, std::move(nodes), files_.front());
  }

  /// Returns equal nodes, with the number and the size that the options say. Adds a sentence;
  /// `source` says where the number and the size come from, `hint` how to change them.
  std::vector<NodeSpec> equal_cluster(int count, Resources size, const std::string& source = "",
                                      const std::string& hint = "--nodes, --cores, --memory");
  /// Returns equal nodes that have so many processors in all, `per_node` each and with `memory` for
  /// each. `noun`: what the trace calls them. Throws BadTrace if there are too many.
  std::vector<NodeSpec> processor_cluster(double processors, double per_node, EmuBytes memory,
                                          const char* noun, const std::string& source);
  /// Returns nodes "n0", "n1", … like the machines of a trace. If the options give a number of
  /// nodes, uses the first machines, or repeats them. Adds a sentence with `source` and `hint`.
  /// Throws BadTrace if there are too many.
  std::vector<NodeSpec> cluster_of(const std::vector<Resources>& machines,
                                   const std::string& source,
                                   const std::string& hint = " (--nodes, --cores, --memory)",
                                   bool sizes_change = true);
  /// Throws BadTrace if there are several files. `expected`: "one file of SWF".
  void need_one_file(const char* expected) const {
    if (files_.size() > 1) throw BadTrace{std::string("more than one file; expected ") + expected};
  }
  /// Throws BadTrace if there are too many machines.
  static void check_machines(std::size_t count, const char* noun = "machines");

  std::vector<Input>& files_;
  const ImportOptions& options_;
  JobCollection& jobs_;
  ImportReport& report_;
  Judge judge_;
  Input* input_ = nullptr;      ///< the file that is being read
  std::optional<double> last_;  ///< latest submission of the rows so far

 private:
  Seen seen_;
  std::int64_t equal_ = 0;
  std::int64_t cut_ = 0, timed_ = 0;  ///< tasks whose use was cut, and without CPU figures
};

/// Runs an importer.
template <class Format>
Imported import_with(std::vector<Input>& files, const ImportOptions& options, JobCollection& jobs,
                     ImportReport& report) {
  return Format(files, options, jobs, report).read();
}

}  // namespace heddle::trace
