#pragma once

#include <string_view>

#include "trace/import/spark_app.h"

// The field names are those of Spark's JsonProtocol. A value of another type or out of range counts
// as missing.
namespace heddle::trace::spark {

/// A whole number of this range; others are missing.
constexpr Rule integer(std::int64_t least, std::int64_t most) {
  return {.least = static_cast<double>(least),
          .most = static_cast<double>(most),
          .whole = true,
          .fraction = kNearest};
}
/// Milliseconds since 1970.
inline constexpr Rule kTime = integer(0, kLatest);
/// An id, a user or a host.
inline constexpr Rule kWord{.most = 256, .above = kNearest};

/// Returns the name of the event on a line, or "" if the line does not begin with it.
std::string_view event_of(std::string_view line);
bool looks_like_spark(std::string_view head);

/// Adds events of a log to what is known of an application.
class Events {
 public:
  using Apply = void (Events::*)(App&, const Json&);
  /// A kind of events.
  struct Kind {
    Apply apply = nullptr;      ///< nullptr: the event is not needed
    bool before_start = false;  ///< whether such events can come before the start event
  };

  Events(const ImportOptions& options, Judge& judge) : options_(options), judge_(judge) {}

  static Kind kind_of(std::string_view name);
  /// REQUIRES: the kind has an `apply`.
  void add(const Kind& kind, App& app, const Json& event) { (this->*kind.apply)(app, event); }
  /// Returns the number of tasks without a CPU time.
  std::int64_t without_cpu() const { return without_cpu_; }

 private:
  void environment(App& app, const Json& event);
  void profile(App& app, const Json& event);
  void executor_added(App& app, const Json& event);
  void executor_removed(App& app, const Json& event);
  void stage(App& app, const Json& event);
  void task_end(App& app, const Json& event);
  Stage* stage_of(App& app, std::optional<std::int64_t> id);

  const ImportOptions& options_;
  Judge& judge_;
  std::int64_t without_cpu_ = 0;
};

}  // namespace heddle::trace::spark
