#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/prediction_error.h"
#include "core/scenario/scenario.h"
#include "wire/values.h"

namespace heddle::report {

/// Returns the workload of a job, according to its name: "terasort" for "terasort-12" and for
/// "mix-3-terasort".
std::string workload_of(std::string_view job);

/// Compares a policy's predictions of the remaining times of reduces ("reduce.prediction" in the
/// journal) with the times at which these reduces ended. Attempts that did not complete are not
/// counted.
class PredictionErrors {
 public:
  /// Adds a prediction. Errors are thrown as BadField.
  void told(const wire::Fields& record);
  /// Ends the container's attempt. `job` is the name of the container's job.
  void ended(ContainerId container, bool completed, std::string_view job, EmuTime at);

  /// Returns the `prediction` of a summary, or null if nothing was predicted.
  wire::Json json(const std::string& predictor) const;

 private:
  struct Prediction {
    EmuTime at;
    bool waits = false;
    double predicted_s = 0, naive_s = 0;
  };
  struct Errors {
    PredictionError predicted, naive;
  };
  static wire::Json json(const Errors& errors);

  std::map<ContainerId, std::vector<Prediction>> open_;
  std::int64_t reduces_ = 0;
  Errors all_, waiting_, working_;
  std::map<std::string, Errors> workloads_;
};

}  // namespace heddle::report
