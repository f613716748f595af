#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/policy/draft.h"
#include "core/policy/reduces/framework_shares.h"

namespace heddle {

/// How long starved reduces are suspended at a control point: max(0, lambda^v - theta) * T.
/// lambda: Spark's part of what is allocated, 0..1.
EmuTime suspend_span(double lambda, double power, double threshold, EmuTime interval);

/// iKayak's reduce adjustment (`reduce_adjustment: suspend`; policies.md, section 5). At each
/// control point (a multiple of control_interval) the starved reduces are suspended for
/// suspend_span(): those that run, wait for map output, and of whose maps some have no container
/// yet. They are resumed when that is over, and earlier as soon as their maps are complete. One
/// that is still suspended at a control point, and starved, stays so.
///
/// lambda = R_spark / (R_spark + R_mapreduce), the shares of the cluster that were allocated to the
/// jobs of either framework on average since the last control point (FrameworkShares), without the
/// cores of suspended containers; 0 if nothing was. It is computed at each control point, and, with
/// `lambda_at: submission`, whenever a job is submitted or ends, which moves the end of the
/// suspensions under way.
///
/// A stop that was refused is asked for again at the next control point, not before. One that is
/// confirmed only when its time is over is resumed then, so nothing stays stopped for ever.
///
/// Source: iKayak, reduce adjustment. Parameters: control_interval (T), suspend_power (v),
/// suspend_threshold (theta), lambda_at; suspend_cost is the workers' affair. Good at: early
/// reduces that hold cores while their maps queue. Bad at: anything where memory is what maps wait
/// for, since a suspended reduce keeps its own; and what maps have handed over meanwhile is fetched
/// only afterwards.
class Suspension {
 public:
  /// The scenario must outlive it.
  explicit Suspension(const Scenario& scenario);

  /// Takes in what changed, suspends and resumes. Call once a step, before anything is placed.
  void adjust(Draft& draft);

  struct Favoured {
    JobId job;
    Millicores cores;  ///< let go there and taken by none of its maps since
  };
  /// Jobs whose suspended reduces have let go of cores on the node that no map of theirs has taken;
  /// their maps go there before all others, as far as these cores go. By job, ascending.
  std::vector<Favoured> favoured(NodeId node, const Draft& draft) const;
  /// Reduces of the job are being stopped: their cores come free in a moment. False once the time
  /// they were to be suspended is over, as for a stop that was refused.
  bool stopping(JobId job, EmuTime now) const;
  /// Nodes with suspended reduces, ascending.
  std::set<NodeId> nodes() const;
  /// The draft has launched a container of that size, which is no gang's.
  void launched(const Request& request, NodeId node, const Resources& size, const Draft& draft);
  /// What the draft has launched for the job holds that much together.
  void allocated(JobId job, const Resources& size, const Draft& draft);

 private:
  struct Stop {
    NodeId node;
    EmuTime since, until;            ///< as decided
    std::optional<EmuTime> stopped;  ///< when that was seen
    bool resuming = false;
  };
  using Stops = std::map<ContainerId, Stop>;

  /// Takes in what jobs hold now. True if a job was submitted or has ended.
  bool take_in_jobs(const View& view);
  /// True if it is another than before.
  bool compute_lambda(Draft& draft);
  void suspend_starved(Draft& draft);
  void suspend_starved(const Job& job, Draft& draft);
  /// Moves the ends of what is suspended to the present span.
  void move_ends();
  /// Resumes what is due of the job, and forgets what has ended or runs again.
  /// Gives the next one; a job with no stops left is taken out.
  std::map<JobId, Stops>::iterator follow(std::map<JobId, Stops>::iterator at, Draft& draft);
  /// `new_ends`: some may be earlier than those that a wake was last asked for.
  void ask_for_wakes(bool new_ends, Draft& draft);

  const Scenario& scenario_;
  EmuTime interval_;
  double power_, threshold_;
  bool at_submissions_;
  std::map<JobId, bool> jobs_;  ///< that hold something or may yet; whether they have ended
  FrameworkShares shares_;
  std::set<JobId> launched_;  ///< jobs, in the last step
  std::map<JobId, Stops> stops_;
  std::map<std::pair<NodeId, JobId>, Millicores> given_;  ///< to maps, in this step
  double lambda_ = 0;
  EmuTime span_{0};                 ///< by lambda_
  std::optional<EmuTime> control_;  ///< the control point that was asked for
  std::optional<EmuTime> wake_;     ///< the end of a suspension that was
};

/// Emulated time for which a resumed container has its cores, but gets no CPU (option
/// suspend_cost); 0 unless reduces are suspended.
EmuTime suspend_cost(const PolicySpec& policy);

/// nullptr: reduces are left alone.
std::unique_ptr<Suspension> make_suspension(const Scenario& scenario);

}  // namespace heddle
