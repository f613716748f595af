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
  std::vector<double> piece_s;  ///< time after which each of the first transfers was done
};

/// Returns {what, by, paced, transfers, piece_bytes, bytes, seconds, rate (bytes per second),
/// cpu_s_per_gb: {holder, asker}, error: {p50, p99, max}, bare: {rate, cpu_s_per_gb, error}, x}.
/// Errors are |measured / ideal - 1| of the time of each transfer, and null for unpaced cases.
/// `bare.error` is the error of all transfers together. `x` is the rate divided by the rate of the
/// bare socket.
wire::Json io_row(const IoCase& one, const IoMeasured& measured, const IoMeasured& bare);

/// Returns the results (bench/results.h) of such rows. There are these aims:
///
/// - Large unpaced transfers have a rate of at least 1 GB/s, for blocks and for files.
/// - With 100 transfers or more, times differ from the ideal by at most 3 %.
wire::Json io_results(std::vector<wire::Json> rows);
std::string format_io_results(const wire::Json& results);

}  // namespace heddle::bench
