#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "report/catalog.h"

namespace heddle::cli {

// The commands that list, print and remove results.

struct LsOptions {
  std::vector<std::string> dirs;  ///< empty: kResultsDir
  std::string policy, state;      ///< list only these results; "": all
  bool json = false;
  bool check = false;  ///< compare the contents of all files with the manifests
  bool wide = false;   ///< ignore the terminal's width, and shorten nothing
};
inline constexpr const char* kResultsDir = "results";

/// `heddle ls [DIR…]`: lists the results in the directories and below.
Result<int> ls_command(const LsOptions& options);

struct ShowOptions {
  std::string dir;
  bool json = false;
  bool wide = false;  ///< ignore the terminal's width
};

/// `heddle show DIR`: prints what the command printed when it wrote this result.
Result<int> show_command(const ShowOptions& options);

struct RmOptions {
  /// Results to remove. With `older_than` or `keep`: directories in which results are looked for;
  /// empty: kResultsDir.
  std::vector<std::string> dirs;
  std::string older_than;   ///< an age, such as 30d; "": any
  std::optional<int> keep;  ///< number of newest results that are kept
  bool yes = false;         ///< ask no question
  bool all = false;         ///< also remove files that Heddle did not make
  bool dry_run = false;     ///< only print what would be removed
};

/// `heddle rm DIR…`: removes results. Removes nothing if one of the named directories is no result
/// of Heddle or is in use. Follows no links.
Result<int> rm_command(const RmOptions& options);

// The next functions are pure.

/// Returns the results of one policy and in one state. "": any. A policy also stands for its
/// variants with options: "fair" for "fair+delay=count".
std::vector<report::ResultEntry> filtered(std::vector<report::ResultEntry> entries,
                                          const std::string& policy, const std::string& state);
/// Returns the table of `heddle ls`. Times are local times. Long names are shortened, also without
/// a limit on the width, unless `wide` is true.
std::string format_results(const std::vector<report::ResultEntry>& entries, int width = 0,
                           bool wide = false);
/// Formats an amount of disk space, such as "1.4 MiB".
std::string size_text(std::int64_t bytes);
/// Parses an age such as 30d, in seconds. Error (kUsage): it is not a whole number with one of the
/// units s, min, h, d, w.
Result<std::int64_t> parse_age(std::string_view text);
/// Returns the results that `heddle rm --older-than --keep` removes. `entries`: the newest first.
/// Results that are running are not removed, and do not count for `keep`.
std::vector<report::ResultEntry> old_results(const std::vector<report::ResultEntry>& entries,
                                             std::int64_t now_s, std::optional<std::int64_t> age_s,
                                             std::optional<int> keep);

}  // namespace heddle::cli
