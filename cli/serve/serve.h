#pragma once

#include <string>
#include <vector>

#include "common/result.h"

namespace heddle::cli {

struct ServeOptions {
  std::vector<std::string> dirs;  ///< empty: "results"
  int port = 0;                   ///< 0: the kernel chooses one
  bool open = false;              ///< open the page in a browser
  std::string token_file;         ///< "": a new random token
};

/// `heddle serve`: shows results and running runs in a browser until SIGINT, SIGTERM or SIGHUP.
/// Does not return then: the process ends with status 0.
Result<int> serve_command(const ServeOptions& options);

/// Reads a token for `--token-file`: 32 to 256 letters and digits, without the line end behind
/// them. Errors (kUsage) name the file: other users can read it, or it has no token.
Result<std::string> read_token(const std::string& file);

}  // namespace heddle::cli
