#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "trace/import/formats.h"

namespace heddle::trace {

/// Returns the beginning of the text, at most as long as a name, with '_' for each character that
/// names do not have.
std::string as_in_names(std::string_view text);

/// Makes names unique.
class UniqueNames {
 public:
  /// Returns `base`, or the name with the smallest number behind it that no call has returned.
  std::string of(const std::string& base);

 private:
  std::unordered_map<std::string, int> next_;  ///< number to try next, by base
  std::unordered_set<std::string> taken_;
};

/// Makes names that scenarios accept. The same text always becomes the same name, and different
/// texts become different names.
class Names {
 public:
  /// `prefix` stands before texts that are numbers or empty, such as "user".
  Names(std::string prefix, ImportReport& report) : prefix_(std::move(prefix)), report_(report) {}
  const std::string& of(std::string_view text);

 private:
  std::string prefix_;
  ImportReport& report_;
  std::map<std::string, std::string, std::less<>> names_;
  UniqueNames unique_;
};

/// Collects the jobs of a trace that the options choose. If only the first jobs are chosen, holds
/// at most twice as many.
class JobCollection {
 public:
  JobCollection(const ImportOptions& options, ImportReport& report)
      : options_(options),
        report_(report),
        users_("user", report),
        queues_(options.queue_by == QueueBy::kGroup ? "group" : "queue", report) {}

  /// Returns whether the options choose a job of the trace. Counts it as found. `id`: of the job,
  /// which need not be a name. `submit`: in the time of the trace.
  bool takes(std::string_view id, EmuTime submit, std::string_view user, std::string_view queue);
  /// Returns the first submission of the trace; nullopt: it has no job.
  std::optional<EmuTime> first() const { return first_; }
  /// Returns when the jobs of the trace are submitted: "from 10s to 20s".
  std::string span_text() const;
  /// Throws BadTrace if the options name a user or a queue that no job has.
  void check_names() const;
  /// Adds a job that takes() has chosen. Sets its name, user and queue. With `queue_by` kUser, the
  /// queue has the name of the user. `run`: what the trace says about its run. Throws BadTrace if
  /// there are too many jobs.
  void add(std::string_view id, std::string_view user, std::string_view queue, JobSpec job,
           std::optional<LoggedRun> run = {});

  /// Returns a number that stands for a job of the trace in JobSpec::after of jobs that are added.
  JobId number_of(std::string_view id);

  /// Returns the jobs in the order of their submissions, with unique names. Jobs with equal
  /// submissions stay in the order in which they were added. Conditions on jobs that are not there
  /// or come later are left out, and reported.
  std::vector<JobSpec> take();
  /// Returns what the trace says about the runs of the jobs that were taken, by their names. A job
  /// is eligible at the earliest when its conditions held in the trace.
  std::map<std::string, LoggedRun> take_runs() { return std::move(runs_); }
  /// Returns the names of all queues of jobs that were added.
  std::vector<std::string> queue_names() const { return {used_.begin(), used_.end()}; }

 private:
  struct Collected {
    JobSpec job;
    std::optional<LoggedRun> run;
  };
  void keep_first(std::size_t count);
  void settle_conditions();
  void settle_eligibility(Collected& collected) const;

  const ImportOptions& options_;
  ImportReport& report_;
  Names users_, queues_;
  std::set<std::string, std::less<>> found_users_, found_queues_;  ///< the first ones in the trace
  std::set<std::string> used_;
  std::vector<Collected> jobs_;
  std::map<std::string, LoggedRun> runs_;                  ///< of the jobs that were taken
  std::unordered_map<std::string, std::int64_t> numbers_;  ///< by name, see number_of()
  std::optional<EmuTime> first_, latest_;                  ///< submissions in the trace
  std::optional<EmuTime> last_;  ///< a job that is submitted then or later is not one of the first
};

}  // namespace heddle::trace
