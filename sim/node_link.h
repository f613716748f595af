#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/scenario/faults.h"
#include "sim/virtual_time.h"

namespace heddle::sim {

/// How the two ends of the protocol between the master and a worker stand in virtual time, as far
/// as faults come between them (for real: worker/link and master/node_links). Times are emulated.
struct NodeLink {
  /// Real time without a word after which either end takes the other for lost, and between two
  /// hellos; a transfer whose other end is silent is given up after `data_silence`.
  struct Limits {
    EmuTime silence, hello, data_silence;
  };

  // The worker.
  bool up = true;
  bool joined = true;
  int process = 0;  ///< which one of those that played the node
  int life = 0;     ///< its incarnation
  EmuTime frozen_until, cut_until;
  EmuTime restart = kNever;
  EmuTime hello = kNever;  ///< the next one
  EmuTime answered;        ///< when the last heartbeat was made that the master has answered
  bool told_to_rejoin = false;
  std::vector<BeatRule> rules;
  std::int64_t beats = 0;       ///< under these rules
  std::int64_t sequence = 0;    ///< of the last heartbeat
  EmuTime data_check = kNever;  ///< when transfers with it may be given up

  // The master.
  bool alive = true;
  int known_process = 0, known_life = 0;
  EmuTime last_heard;
  std::int64_t newest_beat = 0;

  /// A fault has come near it; until then nobody need look after it.
  bool touched = false;

  bool frozen(EmuTime now) const { return now < frozen_until; }
  bool cut(EmuTime now) const { return now < cut_until; }
  /// It takes what the master sends, and the master gets what it sends.
  bool talks(EmuTime now) const { return up && joined && !frozen(now) && !cut(now); }
  /// Something of it is still to come.
  bool settling(EmuTime now) const {
    if (!up) return alive || restart != kNever;
    return !joined || !alive || frozen(now) || cut(now);
  }

  /// When something is to be done about the worker.
  EmuTime worker_due(EmuTime now, const Limits& limits) const {
    EmuTime due = data_check;
    if (!up) return std::min(due, restart);
    if (frozen(now)) return std::min(due, frozen_until);
    if (cut(now)) due = std::min(due, cut_until);
    if (!joined) return std::min(due, hello);
    return told_to_rejoin ? now : std::min(due, answered + limits.silence);
  }
  /// When the master gives it up.
  EmuTime master_due(const Limits& limits) const {
    return alive ? last_heard + limits.silence : kNever;
  }
};

}  // namespace heddle::sim
