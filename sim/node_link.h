#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/scenario/faults.h"
#include "sim/virtual_time.h"

namespace heddle::sim {

/// State of both ends of the protocol between the master and a worker in virtual time, as far as
/// faults affect it (in a real run: worker/link and master/node_links). Times are emulated.
struct NodeLink {
  /// `silence`: an end that hears nothing for so long takes the other for lost. `hello`: time
  /// between two hellos. `data_silence`: a transfer whose other end is silent for so long is given
  /// up.
  struct Limits {
    EmuTime silence, hello, data_silence;
  };

  // The worker.
  bool up = true;
  bool joined = true;
  int process = 0;  ///< number of the process that plays the node
  int life = 0;     ///< its incarnation
  EmuTime frozen_until, cut_until;
  EmuTime restart = kNever;
  EmuTime hello = kNever;  ///< when the next one is due
  EmuTime answered;        ///< when the last heartbeat that the master has answered was made
  bool told_to_rejoin = false;
  std::vector<BeatRule> rules;
  std::int64_t beats = 0;       ///< heartbeats under these rules
  std::int64_t sequence = 0;    ///< of the last heartbeat
  EmuTime data_check = kNever;  ///< when to look for transfers to give up

  // The master.
  bool alive = true;
  int known_process = 0, known_life = 0;
  EmuTime last_heard;
  std::int64_t newest_beat = 0;

  /// A fault has affected the link; until then the link needs no attention.
  bool touched = false;

  bool frozen(EmuTime now) const { return now < frozen_until; }
  bool cut(EmuTime now) const { return now < cut_until; }
  /// Returns whether messages get through in both directions.
  bool talks(EmuTime now) const { return up && joined && !frozen(now) && !cut(now); }
  /// Returns whether the link is still recovering from faults.
  bool settling(EmuTime now) const {
    if (!up) return alive || restart != kNever;
    return !joined || !alive || frozen(now) || cut(now);
  }

  /// Returns when the worker's end has something to do.
  EmuTime worker_due(EmuTime now, const Limits& limits) const {
    EmuTime due = data_check;
    if (!up) return std::min(due, restart);
    if (frozen(now)) return std::min(due, frozen_until);
    if (cut(now)) due = std::min(due, cut_until);
    if (!joined) return std::min(due, hello);
    return told_to_rejoin ? now : std::min(due, answered + limits.silence);
  }
  /// Returns when the master gives the worker up.
  EmuTime master_due(const Limits& limits) const {
    return alive ? last_heard + limits.silence : kNever;
  }
};

}  // namespace heddle::sim
