#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/import/importer.h"

namespace heddle::trace {

/// Members of every job of a JobGroups. A job also has `tasks` and `submission()`.
struct GroupedJob {
  std::int64_t order = 0;  ///< of its first row
  std::string user, queue;
  bool chosen = false;
};

struct KeyHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
  std::size_t operator()(std::int64_t id) const { return std::hash<std::int64_t>()(id); }
};

/// Collects jobs whose rows are spread over a trace. Holds only jobs that the options may choose.
/// If only the first jobs are chosen, holds a few times as many.
template <class Key, class Job>
class JobGroups {
 public:
  using Jobs = std::unordered_map<Key, Job, KeyHash, std::equal_to<>>;
  using Entry = typename Jobs::value_type;

  /// `most_tasks`: limit on the tasks of all jobs. A job that is submitted less than `slack` before
  /// --from or after --until is held, because a later row can change its submission.
  JobGroups(const ImportOptions& options, JobCollection& jobs, std::size_t most_tasks,
            EmuTime slack = EmuTime(0))
      : options_(options),
        probe_options_(options),
        jobs_of_trace_(jobs),
        probe_(probe_options_, probe_report_),
        most_tasks_(most_tasks) {
    if (probe_options_.from) *probe_options_.from -= slack;
    if (probe_options_.until) *probe_options_.until += slack;
  }

  Job* find(const auto& key) {
    const auto found = jobs_.find(key);
    return found == jobs_.end() ? nullptr : &found->second;
  }
  /// Returns the job of a row. If it is new, `make()` returns it. Returns nullptr if it is not
  /// held.
  Job* get(const auto& key, const auto& make) {
    if (Job* known = find(key)) return known;
    if (passed_.has(KeyHash()(key))) return nullptr;
    Job job = make();
    job.order = next_++;
    if (!probe_.takes(text_of(key), job.submission(), job.user, job.queue)) {
      pass(key, job);
      return nullptr;
    }
    jobs_.emplace(key, std::move(job));
    if (options_.jobs)
      drop_late(static_cast<std::size_t>(*options_.jobs));
    else if (jobs_.size() > 2 * kMostImportedJobs)
      throw BadTrace{"more than " + std::to_string(kMostImportedJobs) +
                     " jobs are chosen; expected --jobs, --sample, --from or --until"};
    return find(key);
  }
  /// Counts a task of a job that is held.
  void count_task() {
    if (++tasks_ > most_tasks_)
      throw BadTrace{"the chosen jobs have more than " + std::to_string(most_tasks_) +
                     " tasks; expected --jobs, --sample, --from or --until"};
  }
  /// Returns the jobs that the options choose and that have tasks, in the order of their
  /// submissions. Marks them as chosen.
  std::vector<const Entry*> choose() {
    std::vector<const Entry*> chosen;
    for (Entry* entry : in_order()) {
      Job& job = entry->second;
      const bool takes =
          !job.tasks.empty() &&
          jobs_of_trace_.takes(text_of(entry->first), job.submission(), job.user, job.queue);
      job.chosen = takes && (!options_.jobs || std::ssize(chosen) < *options_.jobs);
      if (job.chosen) chosen.push_back(entry);
    }
    return chosen;
  }
  /// Returns the jobs in the order of their submissions.
  std::vector<Entry*> in_order() {
    std::vector<Entry*> entries;
    entries.reserve(jobs_.size());
    for (Entry& entry : jobs_) entries.push_back(&entry);
    std::ranges::sort(entries, {}, [](const Entry* entry) {
      return std::pair(entry->second.submission().count(), entry->second.order);
    });
    return entries;
  }

 private:
  static std::string_view text_of(std::string_view key) { return key; }
  static std::string text_of(std::int64_t key) { return std::to_string(key); }

  /// Counts a job that is not held, and ignores its other rows.
  void pass(const auto& key, const Job& job) {
    (void)jobs_of_trace_.takes(text_of(key), job.submission(), job.user, job.queue);
    passed_.add(KeyHash()(key));
  }
  /// If there are many more jobs than `count`, drops those that are submitted last. More than
  /// `count` are held, because later rows can change submissions, and jobs can be of no use.
  void drop_late(std::size_t count) {
    if (jobs_.size() < 4 * count + 20'000) return;
    const std::vector<Entry*> entries = in_order();
    for (std::size_t i = 2 * count + 10'000; i < entries.size(); ++i) {
      pass(entries[i]->first, entries[i]->second);
      tasks_ -= entries[i]->second.tasks.size();
      jobs_.erase(jobs_.find(entries[i]->first));
    }
  }

  const ImportOptions& options_;
  ImportOptions probe_options_;
  JobCollection& jobs_of_trace_;
  ImportReport probe_report_;
  JobCollection probe_;  ///< says early whether a job can be chosen
  Jobs jobs_;
  Seen passed_;  ///< jobs that are not held; after too many, their later rows count as other jobs
  std::int64_t next_ = 0;
  std::size_t tasks_ = 0, most_tasks_;
};

}  // namespace heddle::trace
