#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "core/scenario/scenario.h"
#include "wire/fields.h"

namespace heddle::report {

/// The share of a run's work that is done, over emulated time. Between two points, the work grows
/// or falls evenly. It falls when attempts are lost.
class WorkCurve {
 public:
  struct Point {
    double at_s = 0;
    double work = 0;  ///< from 0 to 1
    friend bool operator==(const Point&, const Point&) = default;
  };
  WorkCurve() = default;
  /// `points`: in ascending order of time.
  explicit WorkCurve(std::vector<Point> points) : points_(std::move(points)) {}

  const std::vector<Point>& points() const { return points_; }
  /// Returns the time of the last point, or 0 if there are no points.
  double end_s() const { return points_.empty() ? 0 : points_.back().at_s; }
  /// Returns the time at which the curve has this work. If there are several such times, returns
  /// the one that is nearest to `now_s`. A difference of 0.5 % of all work does not count. If the
  /// curve never has this work, returns `now_s`, but at most end_s().
  double time_of(double work, double now_s) const;

 private:
  std::vector<Point> points_;
};

/// Collects the points of a curve while a simulation goes on. The points have equal distances. The
/// distance doubles whenever there are too many points.
class CurveSampler {
 public:
  /// `step_s`: the first distance. `most`: the maximum number of points, even.
  CurveSampler(double step_s, std::size_t most) : step_s_(step_s), most_(most) {}

  /// Returns the time of the next point.
  double next_s() const { return next_s_; }
  /// REQUIRES: at_s is at least next_s().
  void add(double at_s, double work);
  /// Returns the curve, with a last point that is not before the others.
  WorkCurve finish(double end_s, double work) &&;

 private:
  double step_s_;
  std::size_t most_;
  double next_s_ = 0;
  std::vector<WorkCurve::Point> points_;
};

/// The result of a simulation that predicts a real run of the same scenario. Times are emulated
/// seconds.
struct Forecast {
  struct Job {
    std::string name;
    int tasks = 0;
    std::string state = {};                ///< as in the summary
    std::vector<double> completed_s = {};  ///< when attempts of its tasks completed, ascending
    /// Containers that were killed for lack of memory, by the owner of the limit.
    int container_kills = 0, node_kills = 0, other_kills = 0;
    /// Steps of the share of its work that is done, of at least 2 %. Empty for most jobs if there
    /// are more than wire::kMostJobs.
    std::vector<WorkCurve::Point> work = {};

    int kills() const { return container_kills + node_kills + other_kills; }
    /// Returns how many of its tasks are complete at the time.
    int completed(double at_s) const;
    /// Returns the share of its work that is done at the time.
    double done(double at_s) const;
    friend bool operator==(const Job&, const Job&) = default;
  };
  /// A time in which a node has no worker.
  struct Outage {
    std::string node;
    double from_s = 0;
    std::optional<double> until_s;  ///< nullopt: until the end of the run
    friend bool operator==(const Outage&, const Outage&) = default;
  };

  struct Range {
    double least_s = 0, most_s = 0;
    friend bool operator==(const Range&, const Range&) = default;
  };

  std::string status;  ///< as in the summary: "done", "failed" or "aborted"
  std::string reason;  ///< why the run ended
  std::optional<double> makespan_s;
  std::optional<Range> range;  ///< of the makespan if delays differ (add_range); nullopt: not known
  WorkCurve work;              ///< ends when the run ends
  // The highest use by containers, summed over all nodes, in real units of the machine.
  real::Cpus cpus;
  real::Bytes memory;
  std::vector<Job> jobs;        ///< in the order of the scenario
  std::vector<Outage> outages;  ///< in the order of their beginning

  /// Returns whether the node has no worker at the time.
  bool out(std::string_view node, double at_s) const;
};

wire::Json to_json(const Forecast& forecast);
/// Error (kAborted): the text is not what to_json() makes.
Result<Forecast> forecast_from_json(std::string_view text);

/// Simulates the scenario to its end. Pure. REQUIRES: the emulation is resolved for a real run, and
/// Heddle decides.
Result<Forecast> make_forecast(const Scenario& scenario);

/// Adds the range of the makespan: of the forecast and of kVariations simulations with other delays
/// (sim/variation.h). If `may_go_on` returns false before the last one, there is no range.
void add_range(const Scenario& scenario, const std::function<bool()>& may_go_on,
               Forecast& forecast);

}  // namespace heddle::report
