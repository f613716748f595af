#pragma once

#include "report/history.h"

namespace heddle::report {

/// Maximum number of shown predictions; if there are more, every second, third … one is shown.
inline constexpr std::size_t kMostPredictions = 5000;

/// Returns the policy's own numbers over time: {<about>: {<node, or "">: {<field>: series}}}, from
/// the lines of the journal that are not about a job, phase or container. A list becomes a field
/// for each element: "free.0", "free.1" … Nodes that are not shown are left out. Returns null if
/// there is nothing.
wire::Json state_series(const RunHistory& history);

/// Returns predictions about reduces that completed, as columns: {job, t, predicted_s, naive_s,
/// truth_s, waits: 0 | 1, of: total number of predictions}. Returns null if there are none.
wire::Json predictions(const RunHistory& history, std::size_t most = kMostPredictions);

}  // namespace heddle::report
