#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "common/fd.h"
#include "common/result.h"
#include "worker/data/data_service.h"

namespace heddle::bench {

/// `total` bytes from one node to another, in pieces, some of them at once.
struct IoCase {
  enum class What { kBlocks, kFile };  ///< made when they are read; read from a file
  What what = What::kBlocks;
  bool tcp = false;        ///< with keys; else by ipc
  std::int64_t total = 0;  ///< bytes
  std::int64_t piece = 0;  ///< bytes of a transfer
  int at_once = 1;
  double bytes_per_s = 0;  ///< of the nodes' networks and disks; 0: as fast as can be
  std::int64_t pieces() const { return total / piece; }
};

/// What the processes of a case tell, in memory that they share with who started them. Each side
/// is ready before anything is measured, and goes on only when told.
struct IoPage {
  static constexpr std::size_t kMostTimes = 1000;
  std::atomic<bool> holder_ready, asker_ready, go, done;
  std::array<char, 256> error;         ///< a sentence, if it is done by that
  std::atomic<std::int64_t> taken_ns;  ///< all of it
  std::atomic<int> times;              ///< as many of the first pieces are in
  std::array<std::int64_t, kMostTimes> piece_ns;

  void fail(const std::string& text);
};

/// Where the two nodes' services are and what they are known by; made before their processes.
struct IoNodes {
  worker::DataOptions holder, asker;
  Fd holder_port, asker_port;  ///< of TCP
  static Result<IoNodes> prepare(const IoCase& one, const std::string& directory);
};

/// Serves until it is killed.
void play_holder(const IoCase& one, const IoNodes& nodes, IoPage& page);
/// Brings it all, then waits to be killed.
void play_asker(const IoCase& one, const IoNodes& nodes, IoPage& page);

// The baseline: the same bytes through a bare socket, in chunks as the service's; paced by sleeping
// until each is due.
void play_sender(const IoCase& one, int socket, IoPage& page);
void play_receiver(const IoCase& one, int socket, IoPage& page);
/// Two connected sockets, of TCP over loopback or of the kind that ipc has.
Result<std::array<Fd, 2>> connected_sockets(bool tcp);

}  // namespace heddle::bench
