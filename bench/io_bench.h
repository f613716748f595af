#pragma once

#include <string>
#include <vector>

#include "bench/io_nodes.h"
#include "wire/fields.h"

namespace heddle::bench {

/// The requested measurements. An MB is 10^6 bytes.
struct IoPlan {
  std::vector<int> transfers = {1, 10, 100};  ///< number of concurrent transfers
  double seconds = 4;                         ///< duration of paced transfers
  double megabytes_per_s = 100;               ///< of the nodes' networks, for paced transfers
  int megabytes = 1024;                       ///< moved unpaced
};
/// Returns the cases of a plan. Unpaced: whole blocks and files by ipc and by tcp, and small
/// pieces. Paced: each requested number of concurrent transfers, all of one size, so that all
/// should end at the same time.
std::vector<IoCase> io_cases(const IoPlan& plan);
std::string title_of(const IoCase& one);

struct IoMeasured {
  double seconds = 0;  ///< for all bytes
  double holder_cpu_s = 0, asker_cpu_s = 0;
  std::vector<double> piece_s;  ///< when each of the first transfers was done
};

/// Returns {what, by, paced, transfers, piece_bytes, bytes, seconds, rate (bytes per second),
/// cpu_s_per_gb: {holder, asker}, error: {p50, p99, max}, bare: {rate, cpu_s_per_gb, error}, x}.
/// Errors are shares: |measured / ideal - 1| of the time of each transfer, null for unpaced cases.
/// `bare.error` is that of all transfers together. `x` is the rate over that of the bare socket.
wire::Json io_row(const IoCase& one, const IoMeasured& measured, const IoMeasured& bare);

/// Returns the results (bench/results.h) of such rows. Aims: 1 GB/s for large unpaced transfers,
/// both of blocks and of files; with 100 transfers or more, times within 3 % of the ideal.
wire::Json io_results(std::vector<wire::Json> rows);
std::string format_io_results(const wire::Json& results);

}  // namespace heddle::bench
