#include "cli/manage/removal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "cli/results/variant_directory.h"
#include "common/file.h"
#include "common/result_files.h"
#include "host/living_runs.h"
#include "host/run_directory.h"
#include "workloads/scenario_file.h"

namespace heddle::cli {
namespace {

constexpr std::string_view kScratchFiles[] = {kScenarioFile};
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
  if (has_file(directory, kManifestFile)) return true;
  return has_file(directory, kScenarioFile) &&
         ((logs && S_ISDIR(logs->st_mode)) || has_file(directory, kSummaryFile));
}

/// Returns which part of a result the directory `below` in `part` is, or nullopt if it is none.
std::optional<ResultPart> part_of(ResultPart part, const std::string& name,
                                  const Directory& below) {
  if (part == ResultPart::kRun) {
    if (name == "logs") return ResultPart::kLogs;
    if (name == "csv") return ResultPart::kCsv;
    if (name == "batsim") return ResultPart::kBatsim;
    if (name == kPolicyDirectory) return ResultPart::kPolicy;
  }
  // Modules can be in directories of their own.
  if (part == ResultPart::kPolicy) return ResultPart::kPolicy;
  // The jobs of an engine that make several batches have files in the directory of the experiment.
  if ((part == ResultPart::kBatch || part == ResultPart::kExperiment) && name == "cells")
    return ResultPart::kCells;
  if (part == ResultPart::kBatch && name.starts_with(".cell-")) return ResultPart::kScratch;
  if (part == ResultPart::kScratch && name == "run") return ResultPart::kRun;
  if (part == ResultPart::kBatch && is_run(below)) return ResultPart::kRun;
  if (part == ResultPart::kExperiment && has_file(below, kComparisonFile))
    return ResultPart::kBatch;
  return std::nullopt;
}

ResultPart part_of(report::ResultKind kind) {
  return kind == report::ResultKind::kRun          ? ResultPart::kRun
         : kind == report::ResultKind::kExperiment ? ResultPart::kExperiment
                                                   : ResultPart::kBatch;
}

/// Returns whether the file or directory is needed to prove that `directory` is a result.
bool is_proof(const Directory& directory, ResultPart part, const std::string& name) {
  if (name == kManifestFile) return true;
  switch (part) {
    case ResultPart::kRun:
      return name == kScenarioFile || name == kSummaryFile ||
             (name.starts_with(kJournalFile) && !has_file(directory, kSummaryFile));
    case ResultPart::kBatch:
      return name == kComparisonFile || name == kSweepFile;
    case ResultPart::kExperiment: {
      if (name == kClaimsFile) return true;
      const Result<Directory> below = directory.enter_same_mount(name);
      return below && part_of(part, name, *below) == ResultPart::kBatch;
    }
    default:
      return false;
  }
}

using Phases = std::set<std::string, std::less<>>;

/// Returns JOB-PHASE of each phase of the run that runs commands.
Phases command_phases(const Directory& run) {
  Phases phases;
  const Result<Fd> file = run.open_file(kScenarioFile, O_RDONLY);
  const Result<std::string> text = file ? read_file(proc_path_of(*file)) : file.error();
  if (!text) return phases;
  const Result<CheckedScenario> checked = workloads::read_scenario_text(*text, kScenarioFile);
  if (!checked) return phases;
  for (const JobSpec& job : checked->scenario.jobs)
    for (const PhaseSpec& phase : job.phases)
      if (phase.kind == PhaseKind::kCommand) phases.insert(job.name + "-" + phase.name);
  return phases;
}

class Removal {
 public:
  Removal(bool all, bool dry_run) : all_(all), dry_run_(dry_run) {}

  /// Removes the contents of the directory. If `keep_proof` is true or something else is left,
  /// keeps the files that prove that the directory is a result. Returns whether nothing is left.
  Result<bool> empty(const Directory& directory, ResultPart part, bool keep_proof = false) {
    Result<std::vector<std::string>> names = directory.names();
    if (!names) return std::move(names).error();
    std::ranges::stable_sort(*names, {},
                             [&](const std::string& name) { return place(part, name); });
    const auto proof = std::stable_partition(
        names->begin(), names->end(),
        [&](const std::string& name) { return !is_proof(directory, part, name); });
    bool nothing_left = !keep_proof;
    for (auto name = names->begin(); name != names->end(); ++name) {
      const bool proves = name >= proof;
      const Result<bool> gone = remove(directory, part, *name, proves && !nothing_left);
      if (!gone) return gone;
      nothing_left &= *gone;
    }
    return nothing_left;
  }

  std::vector<std::string> take_kept() { return std::move(kept_); }

 private:
  static std::size_t place(ResultPart part, const std::string& name) {
    const std::span<const std::string_view> files =
        part == ResultPart::kRun     ? std::span<const std::string_view>(kRunFiles)
        : part == ResultPart::kBatch ? std::span<const std::string_view>(kBatchFiles)
                                     : kExperimentFiles;
    const auto found = std::ranges::find(files, name);
    return found == files.end() ? 0 : static_cast<std::size_t>(found - files.begin()) + 1;
  }

  /// `keep_proof`: keep the file if it is Heddle's own, or what proves the part.
  Result<bool> remove(const Directory& directory, ResultPart part, const std::string& name,
                      bool keep_proof) {
    const std::string path = directory.path() + "/" + name;
    const std::optional<struct stat> info = stat_in(directory, name);
    if (!info) return true;
    if (S_ISREG(info->st_mode) && is_own_file(part, name))
      return keep_proof ? false : unlink(directory, name, 0);
    bool attempt = false;
    if (S_ISDIR(info->st_mode)) {
      const Result<Directory> below = directory.enter_same_mount(name);
      if (!below && below.error().code == EXDEV) return keep_mount(path);
      if (!below) return below.error();
      if (const std::optional<ResultPart> which = part_of(part, name, *below)) {
        if (which == ResultPart::kLogs) {
          run_ = &directory;
          phases_.reset();
        }
        const Result<bool> emptied = empty(*below, *which, keep_proof);
        return emptied && *emptied ? unlink(directory, name, AT_REMOVEDIR) : emptied;
      }
      if (part == ResultPart::kLogs) {
        if (!phases_) phases_ = command_phases(*run_);
        attempt = is_attempt(name, *phases_);
      }
    }
    if (!all_ && !attempt) return keep(path + ": is kept, because Heddle did not make it");
    if (dry_run_) return true;
    const Result<std::vector<std::string>> mounts = directory.remove_tree(name);
    if (!mounts) return mounts.error();
    for (const std::string& mount : *mounts) keep_mount(mount);
    return mounts->empty();
  }

  Result<bool> unlink(const Directory& directory, const std::string& name, int flags) {
    if (dry_run_ || ::unlinkat(directory.fd(), name.c_str(), flags) == 0 || errno == ENOENT)
      return true;
    const std::string path = directory.path() + "/" + name;
    if (errno == EBUSY) return keep_mount(path);
    return system_error("remove " + path, errno);
  }

  bool keep(std::string message) {
    kept_.push_back(std::move(message));
    return false;
  }
  bool keep_mount(const std::string& path) {
    return keep(path + ": a file system is mounted there; it is kept");
  }

  bool all_, dry_run_;
  const Directory* run_ = nullptr;  ///< the run whose logs are being removed
  std::optional<Phases> phases_;    ///< of this run, if they are known yet
  std::vector<std::string> kept_;
};

/// Locks the runs and comparisons of a result. A run that has just begun has no files yet, so all
/// directories in a comparison or sweep are locked.
class PartLocks {
 public:
  PartLocks() {
    for (const host::LivingRun& run : host::living_runs(host::base_directories()))
      if (const Result<Directory> out = Directory::open(run.out))
        if (const std::optional<struct stat> info = stat_in(*out, ".")) living_.insert(id(*info));
  }

  Result<void> lock(const Directory& directory, ResultPart part) {
    const Result<std::vector<std::string>> names = directory.names();
    if (!names) return names.error();
    for (const std::string& name : *names) {
      const Result<Directory> below = directory.enter_same_mount(name);
      if (!below) continue;
      const std::optional<struct stat> info = stat_in(*below, ".");
      Result<std::optional<Fd>> lock = lock_directory(*below);
      if ((info && living_.contains(id(*info))) || (lock && !*lock))
        return usage_error(below->path() +
                           ": is in use, because a process is writing it; expected one that has "
                           "ended");
      if (lock) locks_.push_back(**std::move(lock));
      if (part_of(part, name, *below) == ResultPart::kBatch)
        HEDDLE_TRY(this->lock(*below, ResultPart::kBatch));
    }
    return {};
  }

  std::vector<Fd> take() { return std::move(locks_); }

 private:
  static std::pair<dev_t, ino_t> id(const struct stat& info) { return {info.st_dev, info.st_ino}; }

  std::set<std::pair<dev_t, ino_t>> living_;
  std::vector<Fd> locks_;
};

/// Returns whether the name is that of a file in the directory `cells` of a batch: a record, a
/// temporary file for one, or a file of jobs of an engine.
bool is_cell_file(std::string_view name) {
  const bool of_jobs = name.starts_with("task") || name.starts_with("gather");
  constexpr std::string_view kRecord = ".json";
  const std::size_t end = name.rfind(kRecord);
  const std::string_view record =
      end == std::string_view::npos ? "" : name.substr(0, end + kRecord.size());
  return (!record.empty() && (name == record || is_temporary_of(name, record))) ||
         (of_jobs && (name.ends_with(".out") || name.ends_with(".sh") || name.ends_with(".txt")));
}

/// Returns whether the file has the scenario of a run that a batch of an earlier version made:
/// .VARIANT-REPEAT.yaml.
bool is_run_scenario(std::string_view name) {
  constexpr std::string_view kEnd = ".yaml";
  if (!name.starts_with('.') || !name.ends_with(kEnd)) return false;
  const std::string_view run = name.substr(1, name.size() - 1 - kEnd.size());
  const std::size_t dash = run.find_last_not_of("0123456789");
  if (dash == std::string_view::npos || dash == 0 || dash + 1 == run.size() || run[dash] != '-')
    return false;
  const std::string variant(run.substr(0, dash));
  return directory_of(variant) == variant;
}

}  // namespace

bool is_attempt(std::string_view name, const std::set<std::string, std::less<>>& phases) {
  // Removes "-<number>" from the end of the name. Returns whether it was there.
  const auto cut = [&name] {
    const std::size_t dash = name.find_last_not_of("0123456789");
    if (dash == std::string_view::npos || name[dash] != '-' || dash + 1 == name.size())
      return false;
    name = name.substr(0, dash);
    return true;
  };
  const bool numbered = cut();  // by the attempt
  return numbered && cut() && phases.contains(name);
}

bool is_own_file(ResultPart part, const std::string& name) {
  switch (part) {
    case ResultPart::kRun:
      return is_one_of(kRunFiles, name);
    case ResultPart::kBatch:
      // Earlier versions kept the scenarios of runs in hidden files while the runs were made.
      return is_one_of(kBatchFiles, name) || is_run_scenario(name);
    case ResultPart::kExperiment:
      return is_one_of(kExperimentFiles, name);
    case ResultPart::kLogs:
      return name.ends_with(".log");
    case ResultPart::kCsv:
      return name.ends_with(".csv");
    case ResultPart::kBatsim:
      return is_one_of(kBatsimFiles, name);
    case ResultPart::kPolicy:
      return true;
    case ResultPart::kCells:
      return is_cell_file(name);
    case ResultPart::kScratch:
      return is_one_of(kScratchFiles, name);
  }
  return false;
}

Result<std::vector<Fd>> lock_parts(const Directory& directory, report::ResultKind kind) {
  if (kind == report::ResultKind::kRun) return std::vector<Fd>();
  PartLocks locks;
  HEDDLE_TRY(locks.lock(directory, part_of(kind)));
  return locks.take();
}

Result<std::vector<std::string>> empty_result(const Directory& directory, report::ResultKind kind,
                                              bool all, bool dry_run) {
  Removal removal(all, dry_run);
  const Result<bool> emptied = removal.empty(directory, part_of(kind));
  if (!emptied) return emptied.error();
  return removal.take_kept();
}

}  // namespace heddle::cli
