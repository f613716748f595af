#pragma once

#include <string>
#include <vector>

namespace heddle::cli {

struct TrainOptions {
  std::vector<std::string> runs;  ///< directories of results
  std::string out;                ///< the model's file, a new one
  int rules = 6;
};

/// `heddle train RUN_DIR… --out MODEL`: makes a model of remaining times from the reduces of these
/// runs, and says how well it fits.
int train_command(const TrainOptions& options);

}  // namespace heddle::cli
