#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/run_status.h"
#include "common/wire/journal_lines.h"
#include "common/wire/progress.h"
#include "core/engine.h"
#include "core/scenario/external_load.h"
#include "master/node_links.h"

namespace heddle {

/// What the caller has to do, in this order: append to the journal and samples files, then send.
struct Effects {
  std::string journal;                                      ///< whole lines
  std::string samples;                                      ///< whole lines
  std::vector<std::pair<std::string, wire::Message>> send;  ///< (routing id, message)
};

/// A real run without its sockets, files and clock: messages and the passing of time in, journal
/// lines and messages out. Owns the engine and turns worker-clock reports into emulated-time
/// events. Life: registering (until every node has a worker) -> running -> leaving (workers told to
/// go) -> over.
class LiveRun {
 public:
  struct Options {
    std::string run;
    bool journal_heartbeats = true;  ///< --journal full
    double realtime_offset_s = 0;    ///< CLOCK_REALTIME minus CLOCK_MONOTONIC, seconds
    real::Duration registration_limit = std::chrono::seconds(60);
  };
  /// `scenario` (resolved) must outlive the run.
  LiveRun(const Scenario& scenario, Options options, real::Time now);

  /// First lines of the journal.
  Effects open();
  Effects on_message(const std::string& identity, const wire::Message& message, real::Time now);
  /// Does what has become due (arrivals, wake-ups, lost nodes, giving up).
  Effects on_time(real::Time now);
  /// When on_time wants to be called next.
  real::Time next_time() const;
  /// Ends the run early, workers being told to leave.
  Effects stop(RunStatus status, const std::string& reason, real::Time now);

  bool over() const { return life_ == Life::kOver; }
  /// REQUIRES: over or leaving.
  RunStatus status() const { return *status_; }
  const std::string& reason() const { return reason_; }
  /// Last line of the journal, once everything has been written.
  std::string end_line(double master_cpu_s, real::Time now) const;
  wire::Progress progress(real::Time now) const;

 private:
  enum class Life { kRegistering, kRunning, kLeaving, kOver };

  EmuTime emulated(real::Time at) const;
  EmuTime event_time(std::int64_t worker_monotonic_ns, EmuTime now) const;
  void take(const NodeLinks::Heard& heard, const std::string& identity, real::Time now,
            std::vector<Event>& events, Effects& effects);
  void take(const wire::Report& report, EmuTime now, std::vector<Event>& events);
  void lose(NodeId node, const std::string& reason, real::Time now, std::vector<Event>& events);
  void begin(real::Time now, Effects& effects);
  /// One engine step: folds, records, queues commands, notes what the display shows.
  void step(std::vector<Event> events, real::Time now, Effects& effects);
  void record(const std::vector<Event>& events, const Step& step, real::Time now, Effects& effects);
  using Decided = std::map<ContainerId, real::Time>;
  /// How long it took from the decision, if that is known, to what has happened now.
  void take_time(ContainerId container, EmuTime at, Decided& decided,
                 std::map<ContainerId, double>& ms) const;
  void carry_out(const Action& action, real::Time now, std::set<NodeId>& urgent);
  /// Adds what becomes of external load up to `at`, and tells the nodes at once.
  void change_loads(EmuTime at, std::vector<Event>& events, Effects& effects);
  void tell_load(const ExternalLoad& load, Effects& effects);
  /// Has the workers remove what the tasks of a job that is over have handed over.
  void forget(const JobSpec& job);
  void note(const JobFinished& job);
  // For the display.
  void note_start(ContainerId id, EmuTime at);
  void note_kill(const wire::Report& report, EmuTime at);
  void say(EmuTime at, const std::string& sentence);
  void sample(NodeId node, const wire::Heartbeat& heartbeat, real::Time now, Effects& effects);
  void settle(real::Time now, Effects& effects);
  void leave(RunStatus status, const std::string& reason, real::Time now, Effects& effects);
  wire::Beat next_beat(NodeId node, real::Time now) const;
  wire::Welcome welcome(NodeId node) const;
  /// Tells every worker where the data services are.
  void tell_peers(Effects& effects) const;
  wire::JournalLines::RealTimes times(real::Time now) const;

  const Scenario& scenario_;
  Options options_;
  Scale scale_;
  Engine engine_;
  wire::JournalLines lines_;
  NodeLinks links_;
  Life life_ = Life::kRegistering;
  std::optional<RunStatus> status_;
  std::string reason_;
  real::Time started_;
  real::Time epoch_;                                 ///< emulated 0; REQUIRES: running or later
  EmuTime now_;                                      ///< of the last step; never goes back
  std::vector<std::pair<EmuTime, JobId>> arrivals_;  ///< ascending
  std::size_t next_arrival_ = 0;
  std::vector<LoadChange> loads_;
  std::size_t next_load_ = 0;
  std::set<EmuTime> wakes_;
  std::optional<real::Time> give_up_;  ///< leaving: when to stop waiting for goodbyes
  Decided decided_;                    ///< launches not started yet
  Decided suspended_;                  ///< suspensions not confirmed yet
  std::vector<double> decision_us_;
  std::vector<std::optional<EmuTime>> starts_;  ///< by job
  std::vector<double> used_cores_;              ///< per node, over its last interval
  std::vector<EmuBytes> used_memory_;
  std::vector<std::pair<CoreTime, real::Time>> last_use_;
  std::vector<std::string> last_events_;  ///< for the display, newest last
  std::int64_t said_ = 0;                 ///< of such, so far
};

}  // namespace heddle
