#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/scenario/scenario.h"
#include "wire/fields.h"

namespace heddle::report {

/// Maximum number of nodes that have charts of their own. These are the first nodes of the
/// scenario. The charts of the cluster cover all nodes.
inline constexpr std::size_t kNodesShown = 100;

/// Thins a series for a chart while the series grows. The time so far is divided into equal parts:
/// at least `spans` and fewer than twice as many, if the series is long enough. The first, the
/// smallest, the largest and the last point of each part are kept. Therefore no peak is lost, and
/// the level at the beginning of each part is right. Points must be added in the order of time.
class SeriesThinner {
 public:
  explicit SeriesThinner(int spans) : parts_(2 * static_cast<std::size_t>(spans)) {}
  void add(EmuTime at, double value);
  /// Returns {t: [seconds, to the millisecond…], v: [values…]}.
  wire::Json json() const;

 private:
  struct Point {
    std::int64_t order = -1;
    EmuTime at;
    double value = 0;
  };
  struct Part {
    Point first, least, greatest, last;
    void add(const Part& next);
  };
  /// Makes parts twice as long.
  void widen();

  std::int64_t count_ = 0;
  std::int64_t width_us_ = 1;  ///< of a part
  std::vector<std::optional<Part>> parts_;
};

/// The policy's own numbers over time, thinned for charts. They come from the state lines of the
/// journal that are not about a job, phase or container. Each element of a list becomes a field:
/// "free.0", "free.1" … Numbers of nodes that are not shown are left out.
class StateSeries {
 public:
  /// Takes the numbers of a line. Lines must be added in the order of time.
  void add(const Scenario& scenario, EmuTime at, const std::string& about, const wire::Json& line);
  /// Returns {<about>: {<node, or "">: {<field>: series}}}, or null if there are no numbers.
  wire::Json json() const;

 private:
  /// By subject ("about"), node (or "") and field.
  std::map<std::tuple<std::string, std::string, std::string>, SeriesThinner> all_;
};

/// Returns seconds for a page, rounded to the millisecond.
double page_seconds(EmuTime time);

}  // namespace heddle::report
