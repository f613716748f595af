#pragma once

#include <string>

namespace heddle::cli {

struct ExportOptions {
  std::string dir;
  std::string out;  ///< empty: dir
  /// Which formats; none: all.
  bool csv = false, batsim = false, swf = false, timeline = false;
};

/// `heddle export DIR`: makes run.sqlite anew, and the formats asked for. In a result
/// directory these files are derived, and replaced; elsewhere (--out) there may be none yet.
int export_command(const ExportOptions& options);

}  // namespace heddle::cli
