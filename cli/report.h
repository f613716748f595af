#pragma once

#include <string>
#include <vector>

namespace heddle {

struct ReportOptions {
  /// Directories of results, whose runs are shown together; or one of `heddle compare` or `heddle
  /// sweep`.
  std::vector<std::string> dirs;
  /// Where the page goes; default report.html, in the directory if it is one, else here.
  std::string out;
};

/// `heddle report DIR…`: one HTML file (docs/results.md). A page that is there is made anew, any
/// other file is left alone.
int report_command(const ReportOptions& options);

}  // namespace heddle
