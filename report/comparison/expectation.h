#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/result.h"
#include "report/statistics.h"

namespace heddle::report {

/// A figure that a paper reports, in a form that measurements can be compared with.
///
/// A difference is relative (-0.276 is 27.6 % less than the baseline). A value is in the unit of
/// its metric. Shares are numbers between 0 and 1.
struct Expectation {
  enum class Kind {
    kLess,     ///< a difference below 0, of any size
    kMore,     ///< a difference above 0, of any size
    kSame,     ///< no difference, or only a small one (kSameWithin), or a better value
    kRange,    ///< low to high; a single number has low = high
    kAtMost,   ///< at most `high`
    kAtLeast,  ///< at least `low`
  };
  Kind kind = Kind::kRange;
  double low = 0, high = 0;
  friend bool operator==(const Expectation&, const Expectation&) = default;
};

/// Reads "less", "more", "same", "-27.6 %", "12 % .. 15 %", "at most 7.8 %", "at least 2" or "40
/// s". A percentage becomes a fraction. Any other unit after a number is ignored. Error (kUsage):
/// the text has none of these forms.
Result<Expectation> parse_expectation(std::string_view text);

/// The measurement of a claim: a value or a relative difference. If there is more than one run, it
/// also has the interval that contains the true value or difference.
struct ClaimMeasurement {
  double value = 0;
  std::optional<Interval> interval;
  bool difference = false;
  bool share = false;                       ///< a value between 0 and 1
  std::optional<bool> less_is_better = {};  ///< nullopt: neither is better
};

enum class ClaimVerdict { kReproduced, kDirectionOnly, kNotReproduced };
/// Returns "reproduced", "direction only" or "not reproduced".
const char* name_of(ClaimVerdict verdict);

/// Bounds of the verdicts. docs/reference/results.md states the same bounds.
inline constexpr double kSizeFactor = 2, kValueFactor = 1.5, kShareWithin = 0.1, kSameWithin = 0.05;

/// Returns the verdict on a claim.
///
/// *Direction.* A difference has the paper's direction if its whole interval lies on the paper's
/// side of 0. If there is only one run, its value must lie on that side. *Size.* A difference has
/// the paper's size if it is at least 1 / kSizeFactor of the paper's smallest figure and at most
/// kSizeFactor times the paper's largest figure. A difference with the paper's direction and size
/// is `reproduced`. With the paper's direction but not its size, the verdict is `direction only`.
///
/// If the paper reports `less` or `more`, only the direction is required. For `same`, and if
/// the paper's difference is 0, the whole interval must be within kSameWithin of 0. It can reach
/// beyond that to the side on which the metric is better. For `at most` and `at least`, the whole
/// interval of a difference must lie on that side of the bound.
///
/// A value is reproduced if it differs from the paper's range by at most the factor kValueFactor,
/// or if it is on the right side of the bound. A share is also reproduced if it is within
/// kShareWithin of the range. If the paper's value is 0, only 0 is reproduced. A value has no
/// direction.
ClaimVerdict judge(const Expectation& expected, const ClaimMeasurement& measured);

}  // namespace heddle::report
