#pragma once

#include <string>
#include <vector>

#include "wire/fields.h"

namespace heddle::bench {

/// Sizes of the messages that a simulation exchanges with an external policy, in bytes.
struct Exchange {
  std::size_t request = 0, reply = 0;
};

/// The measurements of a program. Times are in microseconds.
struct ExternalMeasured {
  double seconds = 0;  ///< of the whole simulation
  std::vector<Exchange> exchanges;
  std::vector<double> round_trip_us;
  std::vector<double> outside_us;  ///< without the program's own time; empty if it reports none
  std::vector<double> echo_us;     ///< the same bytes exchanged with a bare echo
};

/// Returns {policy, tasks, requests, request_bytes, round_trip_us: {p50, p99}, outside_us, echo_us,
/// x, seconds, own_seconds}. `x` is the median of outside_us (or of round_trip_us, if the program
/// reports no time of its own) divided by the median of echo_us. `own_seconds` is the time of the
/// same simulation with Heddle's own fifo.
wire::Json external_row(const std::string& policy, int tasks, double own_seconds,
                        const ExternalMeasured& measured);

/// Returns the results (bench/results.h) of such rows. The aim is an `x` of at most 1.5.
wire::Json external_results(std::vector<wire::Json> rows);
std::string format_external_results(const wire::Json& results);

}  // namespace heddle::bench
