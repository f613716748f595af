#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/run_status.h"
#include "core/engine.h"
#include "driver/calendar.h"
#include "driver/recorder.h"
#include "external/make_policy.h"
#include "external/round_trips.h"
#include "master/container_times.h"
#include "master/effects.h"
#include "master/live_clock.h"
#include "master/node_links.h"
#include "master/run_display.h"

namespace heddle::master {

struct LiveOptions {
  std::string run;
  bool journal_heartbeats = true;  ///< --journal full
  double realtime_offset_s = 0;    ///< CLOCK_REALTIME minus CLOCK_MONOTONIC, seconds
  /// How long the run waits at the start for each next worker while workers are missing.
  real::Duration registration_limit = std::chrono::seconds(60);
  /// How long a resumed run waits for workers to return. If liveness() is longer, the run waits
  /// that long.
  real::Duration return_limit = std::chrono::seconds(5);
  bool await_all = false;  ///< wait for a worker of every node, also of lost nodes
  std::string clock = {};  ///< name of the clock that times are read from (Hello::clock)
  driver::Recorder::Stopwatch stopwatch = {};  ///< measures what decisions cost
  /// Asks the program of an external policy and waits for its reply. Only a recovery does this.
  std::function<Result<std::string>(const std::string& request)> ask = {};
};

/// States of a real run (master/live_run.h).
enum class Life { kRegistering, kReturning, kRunning, kLeaving, kOver };

/// State that the classes of a real run share.
struct LiveParts {
  /// `scenario` must be resolved and must outlive the parts.
  LiveParts(const Scenario& scenario, LiveOptions options);
  LiveParts(const LiveParts&) = delete;
  LiveParts& operator=(const LiveParts&) = delete;

  /// Returns CLOCK_REALTIME at `at`, in seconds.
  double wall_s(real::Time at) const;
  /// Returns a sentence about the external policy.
  std::string about_policy(const std::string& what) const;
  /// Sends a message to the workers of all live nodes.
  void send_to_all(wire::Message message);

  const Scenario& scenario;
  const LiveOptions options;
  Life life = Life::kRegistering;
  std::optional<RunStatus> status;  ///< how the run ends; set when the run starts to leave
  std::string reason;               ///< why the run ends; set together with `status`
  Effects effects;                  ///< effects of the call that is being handled
  external::MadePolicy policy;      ///< the engine has the policy itself
  Engine engine;
  driver::Calendar calendar;
  driver::Recorder recorder;  ///< writes to the effects
  LiveClock clock;
  NodeLinks links;
  ContainerTimes times;
  RunDisplay display;
  /// The request of an external policy that has no reply yet, and when it was made.
  std::optional<external::ExternalPolicy::Request> asked;
  /// Nodes that were offered in the request whose reply the current step handles.
  std::set<NodeId> offers;
  real::Time asked_at{};
  external::RoundTrips round_trips;
  std::vector<Event> unseen;  ///< recorded while a previous master left; new to the engine
};

inline double seconds(real::Duration d) { return std::chrono::duration<double>(d).count(); }

/// Returns the real time for which a node can be silent before it is lost: max(node_timeout x
/// time_scale, 2 s).
real::Duration liveness(const Scenario& scenario);

}  // namespace heddle::master
