#pragma once

#include <string>

#include "common/result.h"

namespace heddle::cli {

struct TopOptions {
  std::string address;    ///< see choose_run
  std::string keys, key;  ///< for tcp://: key directory and name; "": the default directory, the
                          ///< only key
};
/// `heddle top`: shows a running run until it ends or the user leaves. Without a terminal, prints
/// plain lines. Returns the exit status.
Result<int> top_command(const TopOptions& options);

}  // namespace heddle::cli
