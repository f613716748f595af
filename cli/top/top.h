#pragma once

#include <string>

#include "common/result.h"

namespace heddle::cli {

struct TopOptions {
  std::string address;  ///< see choose_run
  /// For tcp://: key directory and name of the key; "": the default directory, the only key in it.
  std::string keys, key;
};
/// `heddle top`: shows a running run until it ends or the user leaves. Without a terminal, prints
/// plain lines. Returns the exit status.
Result<int> top_command(const TopOptions& options);

}  // namespace heddle::cli
