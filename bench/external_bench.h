#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/results.h"

namespace heddle::bench {

/// Options of `heddle bench external`.
struct ExternalBenchOptions {
  bool quick = false, json = false;
  std::vector<std::string> policies = {};  ///< as for --policy; empty: fifo in Python and in C++
  std::optional<std::string> task_user = {};
};

/// Does what `heddle bench external` does with these options, and returns its exit status.
int run_external_bench(const ExternalBenchOptions& options);

}  // namespace heddle::bench
