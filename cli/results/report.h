#pragma once

#include <string>
#include <vector>

namespace heddle::cli {

struct ReportOptions {
  /// Directories of results, whose runs are shown together; or one of `heddle compare` or `heddle
  /// sweep`.
  std::vector<std::string> dirs;
  /// Where the page goes; default report.html, in the directory if it is one, else here.
  std::string out;
  bool csv = false, markdown = false;  ///< print a comparison or sweep so, and write no page
};

/// `heddle report DIR…`: writes one HTML file (docs/results.md), or prints a comparison or sweep as
/// CSV or Markdown. Replaces a page that is there, and no other file.
int report_command(const ReportOptions& options);

}  // namespace heddle::cli
