#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <iostream>

#include "cli/base/exit_status.h"
#include "cli/manage/manage.h"
#include "cli/manage/removal.h"
#include "common/text.h"
#include "host/child.h"

namespace heddle::cli {
namespace {

using report::ResultEntry;
using report::ResultState;

/// A result that was checked and can be removed.
struct Checked {
  ResultEntry entry;
  Directory parent;
  std::string name;  ///< in the parent
  Directory directory;
  Fd lock;
  std::vector<Fd> part_locks;
};

Error in_use(const std::string& path) {
  return usage_error(path + ": a process is writing this result; expected one that has ended");
}

/// Returns the path without slashes at its end.
std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

/// Checks that the path leads to a result of Heddle that is not in use, and locks it.
Result<Checked> check(const std::string& given) {
  const std::string path = without_slashes(given);
  const PathParts parts = parts_of(path);
  if (parts.name.empty() || parts.name == "." || parts.name == "..")
    return usage_error(given + ": expected the name of a directory of results");
  Result<Directory> parent = Directory::open(parts.directory);
  if (!parent) return usage_error(parent.error().text);
  Result<Directory> directory = parent->enter_same_mount(parts.name);
  if (!directory && directory.error().code == EXDEV)
    return usage_error(given + ": a file system is mounted there; expected an ordinary directory");
  if (!directory && directory.error().code == ELOOP)
    return usage_error(given + ": is a link; expected the directory itself");
  if (!directory) return usage_error(directory.error().text);
  std::optional<ResultEntry> entry = report::result_in(*directory);
  if (entry && entry->state == ResultState::kRunning) return in_use(given);
  if (!entry || !report::is_proven(*directory, entry->kind))
    return usage_error(given +
                       ": no file in the directory proves that Heddle wrote it; expected a "
                       "result that heddle ls lists and that is not damaged");
  Result<std::optional<Fd>> lock = lock_directory(*directory);
  if (!lock) return std::move(lock).error();
  if (!*lock) return in_use(given);
  Result<std::vector<Fd>> part_locks = lock_parts(*directory, entry->kind);
  if (!part_locks) return std::move(part_locks).error();
  entry->path = path;
  return Checked{*std::move(entry),     *std::move(parent), parts.name,
                 *std::move(directory), **std::move(lock),  *std::move(part_locks)};
}

/// Asks the user. Returns false unless the answer is yes.
bool confirmed(const std::vector<Checked>& results, std::int64_t bytes) {
  for (const Checked& one : results) say(one.entry.path);
  std::cerr << fmt::format("heddle: remove these {} results ({})? [y/N] ", results.size(),
                           size_text(bytes))
            << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

Result<void> remove(const Checked& one, const RmOptions& options) {
  const Result<std::vector<std::string>> kept =
      empty_result(one.directory, one.entry.kind, options.all, options.dry_run);
  if (!kept) return kept.error();
  for (const std::string& message : *kept) say(message);
  if (kept->empty() && !options.dry_run &&
      ::unlinkat(one.parent.fd(), one.name.c_str(), AT_REMOVEDIR) < 0)
    return system_error("remove " + one.entry.path, errno);
  std::cout << (options.dry_run ? "would remove " : "removed ") << printable_line(one.entry.path)
            << " (" << size_text(one.entry.bytes) << ")";
  if (!kept->empty()) std::cout << " except what is kept";
  std::cout << std::endl;
  return {};
}

/// Returns the results that the options name or describe.
Result<std::vector<Checked>> chosen(const RmOptions& options) {
  std::vector<Checked> results;
  if (options.older_than.empty() && !options.keep) {
    if (options.dirs.empty())
      return usage_error(
          "nothing to remove; expected directories of results, --older-than or "
          "--keep");
    for (const std::string& dir : options.dirs) {
      Result<Checked> one = check(dir);
      if (!one) return std::move(one).error();
      results.push_back(*std::move(one));
    }
    return results;
  }
  std::optional<std::int64_t> age_s;
  if (!options.older_than.empty()) {
    const Result<std::int64_t> age = parse_age(options.older_than);
    if (!age) return age.error();
    age_s = *age;
  }
  const report::ResultList list = report::list_results(
      options.dirs.empty() ? std::vector<std::string>{kResultsDir} : options.dirs);
  for (const std::string& problem : list.problems) say(problem);
  for (const ResultEntry& entry :
       old_results(list.entries, std::time(nullptr), age_s, options.keep)) {
    Result<Checked> one = check(entry.path);
    if (one)
      results.push_back(*std::move(one));
    else
      say("kept " + one.error().text);
  }
  return results;
}

}  // namespace

Result<std::int64_t> parse_age(std::string_view text) {
  constexpr std::pair<std::string_view, std::int64_t> kUnits[] = {
      {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86'400}, {"w", 604'800}};
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  constexpr std::int64_t kMost = 1'000'000;
  for (const auto& [name, seconds] : kUnits)
    if (error == std::errc() && number >= 0 && number <= kMost && unit == name)
      return number * seconds;
  return usage_error("--older-than " + std::string(text) +
                     ": expected a whole number with a unit (s, min, h, d, w), such as 30d");
}

std::vector<ResultEntry> old_results(const std::vector<ResultEntry>& entries, std::int64_t now_s,
                                     std::optional<std::int64_t> age_s, std::optional<int> keep) {
  std::vector<ResultEntry> old;
  int newer = 0;
  for (const ResultEntry& entry : entries) {
    if (entry.state == ResultState::kRunning) continue;
    const bool kept = keep && newer++ < *keep;
    const bool young = age_s && now_s - entry.written_s <= *age_s;
    if (!kept && !young) old.push_back(entry);
  }
  return old;
}

Result<int> rm_command(const RmOptions& options) {
  host::raise_file_limit();  // the locks are kept open
  const Result<std::vector<Checked>> results = chosen(options);
  if (!results) return results.error();
  if (results->empty()) say("no result to remove");
  std::int64_t bytes = 0;
  for (const Checked& one : *results) bytes += one.entry.bytes;
  const bool asks = !options.yes && !options.dry_run && results->size() > 1 &&
                    ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
  if (asks && !confirmed(*results, bytes)) return kExitDone;
  for (const Checked& one : *results) HEDDLE_TRY(remove(one, options));
  return kExitDone;
}

}  // namespace heddle::cli
