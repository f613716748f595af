#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/scenario/faults.h"
#include "sim/virtual_time.h"

namespace heddle::sim {

/// State of the connection between the master and a worker in virtual time, as far as faults affect
/// it. In a real run, worker/link and master/node_links have this state. Times are emulated.
struct NodeLink {
  /// `silence`: if the master or the worker receives nothing for this time, it considers the other
  /// one lost. `hello`: time between two hellos. `data_silence`: if the other node of a transfer
  /// does not answer for this time, the transfer fails.
  struct Limits {
    EmuTime silence, hello, data_silence;
  };

  // State of the worker.
  bool up = true;
  bool joined = true;
  int process = 0;  ///< number of the process that emulates the node
  int life = 0;     ///< number of the process's incarnation
  EmuTime frozen_until, cut_until;
  EmuTime restart = kNever;
  EmuTime hello = kNever;  ///< when the next hello is due
  EmuTime answered;        ///< time of the last heartbeat that the master has answered
  bool told_to_rejoin = false;
  std::vector<BeatRule> rules;
  std::int64_t beats = 0;       ///< heartbeats under these rules
  std::int64_t sequence = 0;    ///< of the last heartbeat
  EmuTime data_check = kNever;  ///< when to check for transfers to fail

  // State of the master.
  bool alive = true;
  int known_process = 0, known_life = 0;
  EmuTime last_heard;
  std::int64_t newest_beat = 0;

  /// Whether a fault has affected the link. If not, the link needs no attention.
  bool touched = false;

  bool frozen(EmuTime now) const { return now < frozen_until; }
  bool cut(EmuTime now) const { return now < cut_until; }
  /// Returns whether messages arrive in both directions.
  bool talks(EmuTime now) const { return up && joined && !frozen(now) && !cut(now); }
  /// Returns whether the link is still recovering from faults.
  bool settling(EmuTime now) const {
    if (!up) return alive || restart != kNever;
    return !joined || !alive || frozen(now) || cut(now);
  }

  /// Returns the next time at which the worker has something to do for the link.
  EmuTime worker_due(EmuTime now, const Limits& limits) const {
    EmuTime due = data_check;
    if (!up) return std::min(due, restart);
    if (frozen(now)) return std::min(due, frozen_until);
    if (cut(now)) due = std::min(due, cut_until);
    if (!joined) return std::min(due, hello);
    return told_to_rejoin ? now : std::min(due, answered + limits.silence);
  }
  /// Returns the time at which the master considers the worker lost.
  EmuTime master_due(const Limits& limits) const {
    return alive ? last_heard + limits.silence : kNever;
  }
};

}  // namespace heddle::sim
