#pragma once

#include <memory>
#include <span>

#include "core/policy/base/draft.h"
#include "core/policy/base/option.h"

namespace heddle {

enum class PredictorKind { kAuto, kFuzzy, kNaive, kOracle };
inline constexpr WordOption<PredictorKind> kPredictor(
    {.name = "predictor",
     .words = {"auto", "fuzzy", "naive", "oracle"},
     .by_default = "auto",
     .help =
         "how the remaining time of reduces is predicted: by whichever was better so far of a "
         "trained model and extrapolation, always by the model, always by extrapolation, or from "
         "what each task will do (simulations only)"});
inline constexpr NumberOption kPredictionNoise(
    {.name = "prediction_noise",
     .least = 0,
     .most = 10,
     .by_default = "0",
     .help = "each prediction is multiplied by 1 + prediction_noise x N(0, 1)"});

/// Predicts the remaining time of running reduces (docs/reference/policies.md).
class RemainingTime {
 public:
  virtual ~RemainingTime() = default;
  /// Takes in what happened since the last step: what heartbeats have measured, what started and
  /// ended. The journal must have all events that predictions depend on (Draft::remember). The
  /// predictor can also write its predictions to the journal (Draft::note).
  virtual void refresh(Draft& draft, std::span<const Event> events) = 0;
  /// Returns the predicted emulated time from now until the reduce ends. The result includes
  /// `prediction_noise` and is never negative. REQUIRES: a live container of a reduce phase.
  virtual EmuTime of(const Container& reduce, const View& view) const = 0;
};

/// Makes the predictor that the option `predictor` names. The scenario must outlive the predictor.
std::unique_ptr<RemainingTime> make_remaining_time(const Scenario& scenario);

}  // namespace heddle
