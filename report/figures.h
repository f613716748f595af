#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/run_totals.h"
#include "wire/fields.h"

namespace heddle::report {

/// Says which values of a figure are better. kNeither is for figures of how a policy works, such as
/// the time for which it reserved nodes.
enum class Better { kLess, kMore, kNeither };

/// The facts of a run from which figures are computed.
struct RunFacts {
  const Scenario& scenario;
  const RunTotals& totals;
  /// The time from the first submission to the end of the last job, or to the last record if a job
  /// is not over.
  EmuTime from, until;
  bool complete = false;  ///< all jobs are over
};
RunFacts facts_of(const Scenario& scenario, const RunTotals& totals);

/// A figure of a run. It is described here once: summary.json, comparisons, the report page and the
/// reference (docs/reference/results.md) are made from the description.
struct Figure {
  std::string_view path;  ///< in summary.json, such as "reservations.wait_s"
  /// Computes the value. nullptr: the value is part of an object that another figure is. A value
  /// that is discarded is left out of the summary.
  wire::Json (*of)(const RunFacts& facts) = nullptr;
  std::string_view help = {};  ///< for the reference

  /// How comparisons and pages show the figure.
  struct Shown {
    std::string_view title = {};  ///< "": only the summary has the figure
    std::string_view unit =
        {};  ///< "s", "core-s", "ms", "us"; "share" for a part of a whole; "": a number
    std::string_view compared = {};  ///< key in comparisons; "": not compared
    Better better = Better::kLess;
    double most = std::numeric_limits<double>::infinity();  ///< upper bound of the values
    /// Computes the number from a summary. nullptr: it is what the summary has at `path`.
    std::optional<double> (*number)(const wire::Json& summary) = nullptr;
    bool headline = false;  ///< comparisons are judged by it
  } shown = {};
};

/// Returns the figures of a run, in the order of summary.json and of comparisons.
const std::vector<Figure>& figures();
/// Returns summary.json.
wire::Json summary_of(const RunFacts& facts);
/// Returns the number to show of a figure that has a title; nullopt if it is not known.
std::optional<double> number_of(const Figure& figure, const wire::Json& summary);
/// Returns whether the figure is about the real time that Heddle itself needs. Such a figure
/// differs between simulations that are equal in all else.
bool is_overhead(const Figure& figure);

}  // namespace heddle::report
