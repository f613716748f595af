#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/comparison/metrics.h"
#include "report/comparison/samples.h"
#include "report/price.h"
#include "wire/fields.h"

namespace heddle::report {

// These functions compare the log of a cluster with a simulation of its jobs (the calibration), and
// say how changes to the cluster change the simulated waits. Times are seconds from the first
// submission.

/// A job of a log.
struct LoggedJob {
  std::string name, user, queue, account;  ///< account: "" if it has none
  double cores = 1;
  double submit_s = 0;
  double eligible_s = 0;  ///< from then on it waited for the cluster alone
  double start_s = 0, end_s = 0;
  std::string partition = {}, qos = {};  ///< "" if it has none

  double waiting_s() const { return start_s - eligible_s; }
};

/// The same job in a simulation. Values are nullopt if the job did not start or complete.
struct ReplayedJob {
  std::optional<double> start_s, finish_s;
  std::optional<double> waiting_s, completion_s;  ///< from its eligibility on
  std::string end = {};                           ///< state of a job that does not complete
  double completes = 0;  ///< share of the simulations in which it completes
};

/// A simulation of the jobs of a log; of several repeats, the means. A job completes if it does so
/// in more than half of them.
struct Replay {
  std::string name;                         ///< of the variant
  std::map<std::string, ReplayedJob> jobs;  ///< by name
  std::optional<double> makespan_s;
  std::optional<double> utilisation;  ///< share of the cores that were allocated, 0 to 1
  std::optional<double> node_h;       ///< node-hours of the cluster during the makespan
  std::optional<double> cost;         ///< of the cluster, if there is a price
  /// The waits of the log's jobs, in its order, in simulations of the perturbed scenario
  /// (perturbation.h), by key from 1 on. NaN: the job did not start.
  std::vector<std::vector<double>> perturbed = {};
};
/// Returns the simulation whose repeats have these summaries (summary.json). Starts and ends of
/// jobs are those of the first repeat.
Replay replay_of(std::string name, const std::vector<wire::Json>& summaries,
                 const std::optional<Price>& price = {});

/// A simulation of a perturbed scenario. NaN: the job did not start or complete.
struct PerturbedRun {
  std::vector<double> waits, completions;        ///< of the log's jobs, in its order
  std::map<std::size_t, std::string> ends = {};  ///< ReplayedJob::end, by the job's index
  std::optional<double> makespan_s, utilisation, node_h, cost;
};
PerturbedRun perturbed_run(const Replay& replay, const std::vector<LoggedJob>& log);
/// Replaces the figures of a simulation by the means of perturbed ones, because a single one can
/// differ from all of them: in times of whole seconds, more happens at the same time. The starts
/// and ends of jobs stay.
void take_perturbed(Replay& replay, const std::vector<LoggedJob>& log,
                    std::vector<PerturbedRun> runs);

/// The least and the largest of some values.
struct Range {
  double least = 0, most = 0;
  bool has(double value) const { return least <= value && value <= most; }
  void add(double value) { least = std::min(least, value), most = std::max(most, value); }
};

/// How far the simulated waits of a group of jobs are from those of the log. Only jobs that started
/// in the simulation count.
struct WaitError {
  JobGroup group;  ///< of kind all, user, queue or account
  std::int64_t jobs = 0;
  double log_mean_s = 0, log_median_s = 0;
  double mean_s = 0, median_s = 0;  ///< simulated
  double distance = 0;              ///< ks_distance() of the waits
  /// Errors of the mean in the perturbed simulations; nullopt: there are none.
  std::optional<Range> range = {};

  double error_s() const { return mean_s - log_mean_s; }
  /// Returns the largest error of the simulations, without its sign.
  double most_error_s() const;
  /// Returns the error divided by the mean of the log; nullopt if that is 0.
  std::optional<double> error() const;
};

/// The share of the cores that jobs held, over the time from 0 to the end of the last job.
struct Usage {
  double mean = 0, median = 0, peak = 0;
};

struct Calibration {
  std::string rules;  ///< name of the simulation
  std::vector<WaitError>
      groups;  ///< all jobs, then users, queues and accounts if there are several
  Usage log, simulated;
  double usage_distance = 0;     ///< ks_distance() of the shares, by their times
  std::int64_t not_started = 0;  ///< jobs of the log that did not start in the simulation
  /// Mean over jobs of the absolute error of the mean wait of the job's user.
  double user_error_s = 0;

  /// Returns the entry of a group; nullptr if there is none.
  const WaitError* find(const JobGroup& group) const;
};
/// Compares a simulation of a log's jobs with the log. `cores`: those of the cluster. Returns a
/// calibration without groups if no job started.
Calibration calibrate(const std::vector<LoggedJob>& log, const Replay& replay, double cores);

/// Returns the index of the calibration with the smallest error of the users' mean waits. Of equal
/// ones, the first counts. REQUIRES: there is one.
std::size_t nearest(const std::vector<Calibration>& calibrations);

/// The effect of a change on a group of jobs. kWithinError: the difference is at most as large as
/// the error of the calibration for the same group in one of its simulations, so it says nothing.
/// kByChance: the difference has the other sign in a perturbed simulation.
enum class Verdict { kSame, kWithinError, kByChance, kWins, kLoses };
inline constexpr std::string_view kVerdicts[] = {"same", "within the error", "by chance", "wins",
                                                 "loses"};
/// `difference_s`: change of the mean wait. `error_s`: of the calibration, of either sign.
/// `range`: of the differences of perturbed simulations.
Verdict verdict_of_wait(double difference_s, double error_s,
                        const std::optional<Range>& range = {});

/// The effect of a variant on a group of jobs, against the calibrated simulation.
struct Impact {
  JobGroup group;
  std::int64_t jobs = 0;    ///< that started in both
  double mean_s = 0;        ///< mean wait in the variant
  double difference_s = 0;  ///< against the mean wait of these jobs in the calibrated simulation
  /// The least and the largest difference of perturbed simulations with the same key.
  std::optional<Range> range = {};
  std::optional<double> change;        ///< difference / that mean; nullopt if that is 0
  double error_s = 0;                  ///< of the calibration for this group
  std::int64_t gain = 0, lose = 0;     ///< jobs that complete more than kJobChange sooner or later
  std::string worst;                   ///< the job that loses most; "" if none loses
  std::optional<double> worst_s = {};  ///< by how much
  /// Jobs that complete in at least three quarters of the calibrated simulations, and in at most
  /// one quarter of those of the variant.
  std::vector<std::string> not_completed = {};
  Verdict verdict = Verdict::kSame;
};
/// Returns the impacts on the groups of the calibration, in its order. Groups of which no job
/// started in both are left out.
std::vector<Impact> impacts(const std::vector<LoggedJob>& log, const Calibration& calibration,
                            const Replay& calibrated, const Replay& variant);

/// A question about a log, and the answer.
struct WhatIf {
  std::string scenario;
  std::vector<std::string> files;  ///< of the log
  std::string renamed = {};        ///< "n4 is m1": nodes with other names than in the log
  std::string begin;               ///< date and time of the first submission; "": not known
  std::vector<LoggedJob> log;
  std::int64_t without_start = 0;  ///< simulated jobs whose start the log does not have
  std::vector<Calibration> tried;  ///< one for each rule
  Calibration calibration;         ///< of the rule that was chosen
  Replay calibrated;               ///< the simulation of this rule
  std::vector<Replay> variants;
  std::string price;        ///< price_text(); "": none
  std::string policy = {};  ///< of the calibration
};
/// Returns whatif.json (docs/reference/results.md).
wire::Json whatif_json(const WhatIf& answer);

/// Returns log.csv: a line for each job of the log.
std::string log_csv(const std::vector<LoggedJob>& log);

}  // namespace heddle::report
