#include "cli/results/removal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <span>
#include <string_view>

#include "common/result_files.h"

namespace heddle::cli {
namespace {

/// The last files prove that the directory is a result of Heddle.
constexpr std::string_view kRunFiles[] = {
    "containers.index.zst", "samples.jsonl",   "run.sqlite",
    "run.sqlite-journal",   "timeline.json",   "report.html",
    "trace.jsonl",          "efficiency.json", "run.swf",
    "scenario.yaml",        "journal.jsonl",   "journal.jsonl.zst",
    "summary.json"};
constexpr std::string_view kBatchFiles[] = {"compare.html", "sweep.html", "report.html",
                                            "compare.json", "sweep.json"};
constexpr std::string_view kExperimentFiles[] = {"claims.md"};
constexpr std::string_view kBatsimFiles[] = {"jobs.csv", "workload.json"};

/// Returns whether the name is one of `files`, or that of a temporary file for one of them.
bool is_one_of(std::span<const std::string_view> files, std::string_view name) {
  return std::ranges::any_of(
      files, [&](std::string_view file) { return name == file || is_temporary_of(name, file); });
}

std::optional<struct stat> stat_in(const Directory& directory, const std::string& name) {
  struct stat info {};
  if (::fstatat(directory.fd(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) < 0) return std::nullopt;
  return info;
}

bool has_file(const Directory& directory, const std::string& name) {
  const std::optional<struct stat> info = stat_in(directory, name);
  return info && S_ISREG(info->st_mode);
}

bool is_run(const Directory& directory) {
  const std::optional<struct stat> logs = stat_in(directory, "logs");
  return has_file(directory, "scenario.yaml") &&
         ((logs && S_ISDIR(logs->st_mode)) || has_file(directory, "summary.json"));
}

/// Returns which part of a result the directory `below` in `part` is, or nullopt if it is none.
std::optional<ResultPart> part_of(ResultPart part, const std::string& name,
                                  const Directory& below) {
  if (part == ResultPart::kRun) {
    if (name == "logs") return ResultPart::kLogs;
    if (name == "csv") return ResultPart::kCsv;
    if (name == "batsim") return ResultPart::kBatsim;
  }
  if (part == ResultPart::kBatch && is_run(below)) return ResultPart::kRun;
  if (part == ResultPart::kExperiment && has_file(below, "compare.json")) return ResultPart::kBatch;
  return std::nullopt;
}

class Removal {
 public:
  Removal(bool all, bool dry_run) : all_(all), dry_run_(dry_run) {}

  /// Removes the contents of the directory. Returns whether nothing is left.
  Result<bool> empty(const Directory& directory, ResultPart part) {
    Result<std::vector<std::string>> names = directory.names();
    if (!names) return std::move(names).error();
    // Directories and other files first.
    std::ranges::stable_sort(*names, {},
                             [&](const std::string& name) { return place(part, name); });
    bool nothing_left = true;
    for (const std::string& name : *names) {
      Result<bool> gone = remove(directory, part, name);
      if (!gone) return gone;
      nothing_left &= *gone;
    }
    return nothing_left;
  }

  std::vector<std::string> take_foreign() { return std::move(foreign_); }

 private:
  static std::size_t place(ResultPart part, const std::string& name) {
    const std::span<const std::string_view> files =
        part == ResultPart::kRun ? std::span<const std::string_view>(kRunFiles) : kBatchFiles;
    const auto found = std::ranges::find(files, name);
    return found == files.end() ? 0 : static_cast<std::size_t>(found - files.begin()) + 1;
  }

  Result<bool> remove(const Directory& directory, ResultPart part, const std::string& name) {
    const std::string path = directory.path() + "/" + name;
    const std::optional<struct stat> info = stat_in(directory, name);
    if (!info) return true;
    if (S_ISREG(info->st_mode) && is_own_file(part, name)) return unlink(directory, name, 0);
    const bool attempt = part == ResultPart::kLogs && is_attempt(name);
    if (S_ISDIR(info->st_mode) && !attempt) {
      const Result<Directory> below = directory.enter(name);
      if (!below) return below.error();
      if (const std::optional<ResultPart> which = part_of(part, name, *below)) {
        const Result<bool> emptied = empty(*below, *which);
        return emptied && *emptied ? unlink(directory, name, AT_REMOVEDIR) : emptied;
      }
    }
    if (!all_ && !attempt) {
      foreign_.push_back(path);
      return false;
    }
    if (!dry_run_) HEDDLE_TRY(directory.remove_all(name));
    return true;
  }

  Result<bool> unlink(const Directory& directory, const std::string& name, int flags) const {
    if (!dry_run_ && ::unlinkat(directory.fd(), name.c_str(), flags) < 0 && errno != ENOENT)
      return system_error("remove " + directory.path() + "/" + name, errno);
    return true;
  }

  bool all_, dry_run_;
  std::vector<std::string> foreign_;
};

}  // namespace

bool is_attempt(std::string_view name) {
  // Removes "-<number>" from the end of the name. Returns whether it was there.
  const auto cut = [&name] {
    const std::size_t dash = name.find_last_not_of("0123456789");
    if (dash == std::string_view::npos || name[dash] != '-' || dash + 1 == name.size())
      return false;
    name = name.substr(0, dash);
    return true;
  };
  return cut() && cut() && name.find('-') != std::string_view::npos;
}

bool is_own_file(ResultPart part, const std::string& name) {
  switch (part) {
    case ResultPart::kRun:
      return is_one_of(kRunFiles, name);
    case ResultPart::kBatch:
      // A batch keeps the scenarios of its runs in hidden files while these runs are made.
      return is_one_of(kBatchFiles, name) || (name.starts_with('.') && name.ends_with(".yaml"));
    case ResultPart::kExperiment:
      return is_one_of(kExperimentFiles, name);
    case ResultPart::kLogs:
      return name.ends_with(".log");
    case ResultPart::kCsv:
      return name.ends_with(".csv");
    case ResultPart::kBatsim:
      return is_one_of(kBatsimFiles, name);
  }
  return false;
}

Result<std::vector<std::string>> empty_result(const Directory& directory, report::ResultKind kind,
                                              bool all, bool dry_run) {
  Removal removal(all, dry_run);
  const ResultPart part = kind == report::ResultKind::kRun          ? ResultPart::kRun
                          : kind == report::ResultKind::kExperiment ? ResultPart::kExperiment
                                                                    : ResultPart::kBatch;
  const Result<bool> emptied = removal.empty(directory, part);
  if (!emptied) return emptied.error();
  return removal.take_foreign();
}

}  // namespace heddle::cli
