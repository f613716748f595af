#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "report/archive/archive_manifest.h"
#include "wire/fields.h"

namespace heddle::report {

// Compares archived results with those of other runs of the same scenarios. All functions are pure.
// The archived JSON can come from anyone.

/// A figure of a result, with a value for each repeat; nullopt: not known.
struct ResultFigure {
  std::string series;  ///< policy or point; "" for a run
  std::string key;     ///< with the group of jobs, such as "mean_waiting_s of class small"
  std::string title, unit;
  bool headline = false;  ///< real results are judged by it
  std::vector<std::optional<double>> values;
  friend bool operator==(const ResultFigure&, const ResultFigure&) = default;
};
/// Returns the figures of compare.json or sweep.json, without those that a computer's speed changes
/// (is_overhead). Error (kUsage): it is neither.
Result<std::vector<ResultFigure>> figures_of_batch(const wire::Json& batch);
/// Returns the figures of a summary.json in the same way.
Result<std::vector<ResultFigure>> figures_of_run(const wire::Json& summary);

/// kEqual: all values are the same. kInRange: real runs are where they are expected. kDiffers:
/// neither. kAffected: other programs changed the times of all new runs. kNotMade: there is no run.
enum class Reproduced { kEqual, kInRange, kDiffers, kAffected, kNotMade };
std::string_view name_of(Reproduced verdict);

struct FigureVerdict {
  ResultFigure archived;
  std::vector<std::optional<double>> here;
  std::optional<ExpectedRange> range;  ///< of a real result
  Reproduced verdict = Reproduced::kEqual;
};
struct PartVerdict {
  Reproduced verdict = Reproduced::kEqual;  ///< the worst of the figures
  std::string reason;                       ///< of a difference, or why there is no run; "": none
  std::vector<FigureVerdict> figures;
};

/// Compares simulations: each value must be the same.
PartVerdict judge_simulated(const std::vector<ResultFigure>& archived,
                            const std::vector<ResultFigure>& here);
/// Returns the first path, in the order of paths, at which two summaries of simulations differ, as
/// "PATH is VALUE here and VALUE in the archive", or "". Leaves out what depends on the machine and
/// the version, and paths that the archived one does not have.
std::string difference_of_simulations(const wire::Json& archived, const wire::Json& here);

/// A real figure is expected between the smallest and largest archived value, extended by
/// `ranges`, and by this share of the median on both sides. A run departs from its forecast at the
/// same bound (docs/how-to/forecasts.md). For waiting times, the share is that of the median of the
/// mean completion, because a wait can be short.
inline constexpr double kRangeShare = 0.1;
/// Compares real results by their headlines: the median of the values here must be where it is
/// expected. `affected`: other programs affected a run here.
PartVerdict judge_real(const std::vector<ResultFigure>& archived,
                       const std::vector<ResultFigure>& here,
                       const std::map<std::string, ExpectedRange>& ranges, bool affected);

}  // namespace heddle::report
