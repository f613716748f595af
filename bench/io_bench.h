#pragma once

#include <string>
#include <vector>

#include "bench/io_nodes.h"
#include "wire/fields.h"

namespace heddle::bench {

/// What is asked for, in MB (10^6 bytes).
struct IoPlan {
  std::vector<int> transfers = {1, 10, 100};  ///< at once
  double seconds = 4;                         ///< that paced ones should take
  double megabytes_per_s = 100;               ///< of the nodes' networks, when they are paced
  int megabytes = 1024;                       ///< that are moved unpaced
};
/// Unpaced: whole blocks and files by ipc and by tcp, and small pieces; paced: as many transfers at
/// once as asked for, all of a size, so that all should end at the same time.
std::vector<IoCase> io_cases(const IoPlan& plan);
std::string title_of(const IoCase& one);

struct IoMeasured {
  double seconds = 0;  ///< for all of it
  double holder_cpu_s = 0, asker_cpu_s = 0;
  std::vector<double> piece_s;  ///< when each transfer was done, of those that began first
};

/// {what, by, paced, transfers, piece_bytes, bytes, seconds, rate (bytes a second), cpu_s_per_gb:
/// {holder, asker}, error: {p50, p99, max}, bare: {rate, cpu_s_per_gb, error}, x}. Errors are
/// shares: |measured / ideal - 1| of the time of each transfer, null of unpaced ones; bare.error is
/// that of all together. x is the rate over the bare socket's.
wire::Json io_row(const IoCase& one, const IoMeasured& measured, const IoMeasured& bare);

/// Results (bench/results.h) of such rows. Aims: 1 GB/s unpaced of large transfers, of blocks as of
/// files; times of 100 transfers or more within 3 % of the ideal.
wire::Json io_results(std::vector<wire::Json> rows);
std::string format_io_results(const wire::Json& results);

}  // namespace heddle::bench
