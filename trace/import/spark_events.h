#pragma once

#include <string_view>

#include "trace/import/spark_app.h"
#include "trace/import/spark_json.h"

namespace heddle::trace::spark {

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

  Events(const ImportOptions& options, ImportReport& report) : options_(options), report_(report) {}

  static Kind kind_of(std::string_view name);
  /// REQUIRES: the kind has an `apply`. `input` is for the places of repairs.
  void add(const Kind& kind, App& app, const Json& event, const Input& input) {
    input_ = &input;
    (this->*kind.apply)(app, event);
  }
  /// Returns the number of tasks without a CPU time.
  std::int64_t without_cpu() const { return without_cpu_; }

 private:
  void environment(App& app, const Json& event);
  void profile(App& app, const Json& event);
  void executor_added(App& app, const Json& event);
  void executor_removed(App& app, const Json& event);
  void stage(App& app, const Json& event);
  void task_end(App& app, const Json& event);
  Stage* stage_of(App& app, const Json* id);
  std::int64_t cpu_of(const Json& event);

  const ImportOptions& options_;
  ImportReport& report_;
  const Input* input_ = nullptr;
  std::int64_t without_cpu_ = 0;
};

}  // namespace heddle::trace::spark
