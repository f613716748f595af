#pragma once

#include <optional>
#include <string>

namespace heddle::cli {

struct ImportWords {
  std::string format, file;
  std::string out;  ///< empty: standard output
  std::string requests = "as-made";
  std::optional<int> nodes;
  std::string time_scale;  ///< "0.1", "1/20"; empty: the trace's
  std::optional<std::string> policy;
  std::string name;
};

/// `heddle import FORMAT FILE`: makes a scenario of a trace, checks it and writes it.
int import_command(const ImportWords& words);

}  // namespace heddle::cli
