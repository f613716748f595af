#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/results.h"

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

/// The requested measurements. An MB is 10^6 bytes.
struct IoPlan {
  std::vector<int> transfers = {1, 10, 100};  ///< number of concurrent transfers
  double seconds = 4;                         ///< duration of paced transfers
  double megabytes_per_s = 100;               ///< rate of the nodes' networks, for paced transfers
  int megabytes = 1024;                       ///< megabytes that are moved unpaced
};
/// Returns the cases of a plan. The unpaced cases move whole blocks and files over ipc and over
/// tcp, and small pieces. There is a paced case for each requested number of concurrent transfers.
/// All transfers of a paced case have the same size, so ideally all of them end at the same time.
std::vector<IoCase> io_cases(const IoPlan& plan);
std::string title_of(const IoCase& one);

struct IoMeasured {
  double seconds = 0;  ///< for all bytes
  double holder_cpu_s = 0, asker_cpu_s = 0;
  std::vector<double> piece_s = {};  ///< time after which each of the first transfers was done
};

/// Returns the row of a case. `rate` is in bytes per second. Errors are |measured / ideal - 1| of
/// the time of each transfer, and null for unpaced cases. `bare.error` is the error of all
/// transfers together. `x` is the rate divided by the rate of the bare socket.
wire::Json io_row(const IoCase& one, const IoMeasured& measured, const IoMeasured& bare);

extern const BenchForm kIoForm;

}  // namespace heddle::bench
