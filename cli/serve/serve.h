#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/result.h"
#include "serve/page_bounds.h"

namespace heddle::cli {

struct ServeOptions {
  std::vector<std::string> dirs;       ///< empty: "results"
  int port = 0;                        ///< 0: the kernel chooses one
  bool open = false;                   ///< open the page in a browser
  std::string token_file;              ///< "": a new random token
  std::string metrics_socket;          ///< path of a Unix socket for /metrics; "": none
  std::string metrics_group;           ///< whose members can connect to it; "": only this user
  std::string page_memory, page_time;  ///< limits of a page (serve::PageBounds); "": default
};

/// The first argument with which this program makes pages for another process of it. Then follow
/// the arguments of serve::make_pages().
inline constexpr const char* kMakePages = "make-pages";

/// `heddle serve`: shows results and running runs in a browser until SIGINT, SIGTERM or SIGHUP.
/// Does not return then: the process ends with status 0.
Result<int> serve_command(const ServeOptions& options);

/// Parses the limits of a page. The default of the memory is a quarter of `available` bytes, but at
/// least 1 GiB. Errors (kUsage) name the option.
Result<serve::PageBounds> page_bounds(const ServeOptions& options, std::int64_t available);

/// Reads a token for `--token-file`: 32 to 256 letters and digits, without the line end behind
/// them. Errors (kUsage) name the file: other users can read it, or it has no token.
Result<std::string> read_token(const std::string& file);

}  // namespace heddle::cli
