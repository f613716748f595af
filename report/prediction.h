#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/prediction_error.h"
#include "core/scenario/scenario.h"
#include "wire/values.h"

namespace heddle::report {

/// The workload a job is of, as far as its name tells: of "terasort-12", and of "mix-3-terasort",
/// "terasort".
std::string workload_of(std::string_view job);

/// What a policy predicted of remaining times ("reduce.prediction" in the journal) against when
/// these reduces ended. Those that did not complete in that attempt say nothing.
class PredictionFacts {
 public:
  /// Errors are thrown as BadField.
  void told(const wire::Fields& record);
  /// The container has ended; `job` is its job's name.
  void ended(ContainerId container, bool completed, std::string_view job, EmuTime at);

  /// The `prediction` of a summary; null where nothing was predicted.
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
