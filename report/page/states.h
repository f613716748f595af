#pragma once

#include "report/history.h"

namespace heddle::report {

/// Predictions shown; of more, every second, third … one.
inline constexpr std::size_t kMostPredictions = 5000;

/// The policy's own numbers over time: {<about>: {<node, or "">: {<field>: series}}}, for lines of
/// the journal that are about no job, phase or container. Of a field that is a list its elements:
/// "free.0", "free.1" … Nodes beyond those shown are left out. Null if there is nothing.
wire::Json state_series(const RunHistory& history);

/// What was predicted of reduces that completed, as columns: {job, t, predicted_s,
/// naive_s, truth_s, waits: 0 | 1, of: how many there were}.
/// Null if there is nothing.
wire::Json predictions(const RunHistory& history, std::size_t most = kMostPredictions);

}  // namespace heddle::report
