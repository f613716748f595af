#pragma once

#include "report/history.h"

namespace heddle::report {

/// Maximum number of shown predictions. If there are more predictions, only every second, every
/// third … prediction is shown.
inline constexpr std::size_t kMostPredictions = 5000;

/// Returns predictions about reduces that completed, as columns: {job, t, predicted_s, naive_s,
/// truth_s, waits: 0 | 1, of: total number of predictions}. Returns null if there are no such
/// predictions.
wire::Json predictions(const RunHistory& history, std::size_t most = kMostPredictions);

}  // namespace heddle::report
