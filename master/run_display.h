#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/scenario/fault_watch.h"
#include "core/state/cluster_state.h"
#include "master/node_links.h"
#include "wire/messages.h"
#include "wire/progress.h"

namespace heddle::master {

/// A sentence about an event, and its kind.
struct Sentence {
  wire::EventKind kind = wire::EventKind::kNotice;
  std::string text;
  friend bool operator==(const Sentence&, const Sentence&) = default;
};

/// Returns the sentence about an event of a node or container, or nullopt if the event is not
/// shown. `container`: the event's container before the event, or nullptr if it is not alive.
/// `lost_at`: when the event's node was lost, or nullopt if it is not lost. Pure.
std::optional<Sentence> sentence_of(const Scenario& scenario, const Event& event,
                                    const Container* container, std::optional<EmuTime> lost_at);
/// Returns the sentence about the end of a job. Pure.
Sentence sentence_of(const Scenario& scenario, const JobFinished& job);
/// Returns the sentence about the begin or end of a fault. Pure.
Sentence sentence_of(const Scenario& scenario, const FaultMoment& moment);

/// Collects what `heddle run` and `heddle top` show of a run: the latest events, the start times of
/// the jobs, and the resource use of the nodes.
class RunDisplay {
 public:
  /// `scenario` must outlive the display.
  explicit RunDisplay(const Scenario& scenario);

  void say(EmuTime at, const std::string& sentence,
           wire::EventKind kind = wire::EventKind::kNotice);
  /// Shows an event. `state`: before the event.
  void happened(const Event& event, const ClusterState& state);
  /// Notes an event of a previous master and does not show it. `state`: before the event.
  void recover(const Event& event, const ClusterState& state);
  void finished(const JobFinished& job, EmuTime at);
  void fault(const FaultMoment& moment);
  /// Returns the emulated cores that the node has used on average since its previous heartbeat.
  /// Measures the time since then with the worker's clock.
  double used_cores(NodeId node, const wire::Heartbeat& heartbeat);

  /// Returns the progress of the run. The result does not say how the run ends.
  wire::Progress progress(const ClusterState& state, const NodeLinks& links, EmuTime now) const;

 private:
  struct Use {
    double cores = 0;  ///< average of the last interval
    EmuBytes memory;
    CoreTime cpu;   ///< CPU time in the last heartbeat
    real::Time at;  ///< time of the last heartbeat by the worker's clock
  };

  /// Notes the start of a job's first task. Returns whether this is the first one.
  bool note_start(const Container& container, EmuTime at);

  const Scenario& scenario_;
  std::map<NodeId, EmuTime> lost_at_;                   ///< nodes that are lost
  std::vector<std::optional<EmuTime>> starts_;          ///< start times, by job
  std::vector<Use> use_;                                ///< usage, by node
  std::vector<std::string> last_events_;                ///< the newest is the last
  std::vector<wire::EventKind> last_kinds_;             ///< of the last events
  std::array<std::int64_t, wire::kEventKinds> said_{};  ///< number of events so far, by kind
};

}  // namespace heddle::master
