#pragma once

#include <string>

#include "common/result.h"

namespace heddle::cli {

struct TopOptions {
  std::string address;    ///< see choose_run
  std::string keys, key;  ///< for tcp://: key directory and name, "": the usual and only one
};
/// `heddle top`: shows a run that is going on until it ends or the user leaves; the exit status.
/// Without a terminal: plain lines.
Result<int> top_command(const TopOptions& options);

}  // namespace heddle::cli
