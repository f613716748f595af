#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "common/fd.h"
#include "worker/data/data_service.h"

namespace heddle::bench {

/// A case: `total` bytes move from one node to another in pieces, `at_once` of them at a time.
struct IoCase {
  /// Blocks are generated when they are read. Files are read from disk.
  enum class What { kBlocks, kFile };
  What what = What::kBlocks;
  bool tcp = false;        ///< true: TCP with keys; false: ipc
  std::int64_t total = 0;  ///< bytes
  std::int64_t piece = 0;  ///< bytes per transfer
  int at_once = 1;
  double bytes_per_s = 0;  ///< rate of the nodes' networks and disks; 0: unlimited
  std::int64_t pieces() const { return total / piece; }
};

/// Messages of the two processes of a case. The page is in memory shared with the process that
/// started them. Each process prepares everything before the measurement, and continues only when
/// the starting process tells it to.
struct IoPage {
  static constexpr std::size_t kMostTimes = 1000;
  std::atomic<bool> holder_ready, asker_ready, go, done;
  std::array<char, 256> error;         ///< if an error set `done`: a sentence about the error
  std::atomic<std::int64_t> taken_ns;  ///< duration of all transfers
  /// Number of pieces whose time is known, counted from the first piece.
  std::atomic<int> times;
  std::array<std::int64_t, kMostTimes> piece_ns;

  void fail(const std::string& text);
};

/// Addresses and identities of the two nodes' services. Made before their processes start.
struct IoNodes {
  worker::DataOptions holder, asker;
  Fd holder_port, asker_port;  ///< listening TCP sockets
  IoNodes(const IoCase& one, const std::string& directory);
};

/// Serves data until this process is killed.
void play_holder(const IoCase& one, const IoNodes& nodes, IoPage& page);
/// Fetches all bytes of the case, then waits until this process is killed.
void play_asker(const IoCase& one, const IoNodes& nodes, IoPage& page);

// The baseline moves the same bytes through a bare socket, in chunks of the same size as those of
// the data service. If the case is paced, the sender sleeps until each chunk is due.
void play_sender(const IoCase& one, int socket, IoPage& page);
void play_receiver(const IoCase& one, int socket, IoPage& page);
/// Returns two connected sockets. They are TCP sockets over loopback, or sockets of the kind that
/// ipc uses.
std::array<Fd, 2> connected_sockets(bool tcp);

}  // namespace heddle::bench
