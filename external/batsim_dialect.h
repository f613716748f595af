#pragma once

#include <map>
#include <optional>

#include "external/dialect.h"

namespace heddle::external {

/// Batsim's protocol, version 4 (https://batsim.readthedocs.io/en/v4.2.0/protocol.html). Heddle
/// takes the place of Batsim. A resource is a node, or a core of a node (batsim_resource). Each job
/// is rigid and gets each of its resources alone.
///
/// A program that starts a job on a resource that is in use, as far as the program knows, gets an
/// error.
class BatsimDialect : public Dialect {
 public:
  /// `scenario` must outlive the dialect.
  explicit BatsimDialect(const Scenario& scenario);

  std::string hello(const View& view) override;
  bool wants(const Event& event) const override {
    return std::holds_alternative<JobSubmitted>(event.what);
  }
  bool due(const View& view, std::span<const Event> events) const override;
  bool due_at(const View&, NodeId) const override { return false; }
  std::string request(std::int64_t number, const View& view, const News& news) override;
  std::string farewell(EmuTime now, std::string_view status) override;
  Result<Reply> read(std::int64_t number, std::string_view text, EmuTime now,
                     bool replayed) const override;
  /// Ends jobs of which a task has failed or was lost. Batsim starts no task again.
  void add_actions(const View& view, Decision& decision) const override;
  void take(std::int64_t number, std::string_view text) override;
  bool must_carry_out() const override { return true; }

 private:
  /// A job that the program has been told of, and not of its end.
  struct Known {
    bool killing = false;             ///< the program has killed it
    std::vector<int> resources = {};  ///< of a job that the program has started
    EmuTime started{};                ///< when the program started it
  };
  struct Changes;
  /// Reads a reply. Adds what it changes to `changes`.
  Reply read(std::string_view text, EmuTime now, Changes& changes) const;
  /// Returns the job with this id, with or without "w0!". Throws BadField if there is none.
  JobId job_of(const std::string& text) const;
  /// Returns what is known of a job that the program was told of, and not of its end. Throws
  /// BadField if the program was not told of it, or of its end.
  const Known& known(const std::string& text, const Changes& changes) const;
  /// Returns the same; nullptr if the program was not told of the job, or of its end.
  const Known* find(JobId job, const Changes& changes) const;
  /// Returns the entry of `changes` for the job. REQUIRES: the program knows the job.
  Known& changed(JobId job, Changes& changes) const;
  /// Returns which part of the job's work is done, 0 to 1. Batsim's protocol calls it progress.
  double progress(JobId job, EmuTime now) const;
  std::string name_of(JobId job) const;
  /// Returns whether no job is left to be submitted.
  bool none_left() const { return submitted_.size() + cancelled_.size() == scenario_.jobs.size(); }
  /// Returns the jobs whose end the program does not know, ascending. Containers of such a job are
  /// gone.
  template <class Jobs>
  std::vector<JobId> ended(const View& view, const Jobs& jobs) const;

  const Scenario& scenario_;
  std::vector<NodeId> node_of_;        ///< by resource
  std::vector<std::string> ids_;       ///< by job, without "w0!"
  std::map<std::string, JobId> jobs_;  ///< by id
  std::map<JobId, Known> known_;
  std::map<int, JobId> in_use_;  ///< resources of known jobs
  /// The jobs of each KILL_JOB whose JOB_KILLED was not told yet, with their progress. A job is
  /// without progress as long as it has not ended.
  std::vector<std::map<JobId, std::optional<double>>> kills_;
  std::set<EmuTime> calls_;    ///< times of CALL_ME_LATER
  std::set<JobId> submitted_;  ///< jobs of which the program was told
  std::set<JobId> cancelled_;  ///< jobs that ended before that
};

/// Checks that the tasks of all jobs fit in the resources: a task is alone on its resource. Error
/// (kUsage): names the job and the node.
Result<void> check_batsim(const Scenario& scenario);

/// Returns the resources of a text such as "0-3 7" or "0-3,7", ascending. Returns nullopt if the
/// text is no such list, or names a resource twice or from `count` on.
std::optional<std::vector<int>> read_alloc(std::string_view text, int count);

}  // namespace heddle::external
