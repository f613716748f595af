#include "report/catalog.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "host/living_runs.h"
#include "host/run_directory.h"
#include "report/entry_of_files.h"

namespace heddle::report {
namespace {

constexpr int kDeepest = 5;       ///< depth of the directories in which results are looked for
constexpr int kDeepestFiles = 8;  ///< depth of the files that are counted for disk space

/// A directory, whatever its path. Two paths of one directory have the same identity.
using Identity = std::pair<dev_t, ino_t>;

std::optional<Identity> identity_of(const Directory& directory) {
  struct stat info {};
  if (::fstat(directory.fd(), &info) < 0) return std::nullopt;
  return Identity(info.st_dev, info.st_ino);
}

bool is_directory(const Directory& directory, const std::string& name) {
  struct stat info {};
  return ::fstatat(directory.fd(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISDIR(info.st_mode);
}

/// Returns the disk space of all files in the directory, in bytes.
std::int64_t space_of(const Directory& directory, int depth) {
  constexpr std::int64_t kBlock = 512;  // unit of st_blocks
  const Result<std::vector<std::string>> names = directory.names();
  std::int64_t bytes = 0;
  if (!names) return 0;
  for (const std::string& name : *names) {
    struct stat info {};
    if (::fstatat(directory.fd(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) < 0) continue;
    bytes += info.st_blocks * kBlock;
    if (!S_ISDIR(info.st_mode) || depth == kDeepestFiles) continue;
    if (const Result<Directory> below = directory.enter(name)) bytes += space_of(*below, depth + 1);
  }
  return bytes;
}

class Finder {
 public:
  explicit Finder(Depth depth) : depth_(depth) {
    for (const host::LivingRun& run : host::living_runs(host::base_directories()))
      if (const Result<Directory> out = Directory::open(run.out))
        if (const std::optional<Identity> identity = identity_of(*out)) living_.insert(*identity);
  }

  /// Adds the results in the directory and below.
  void find(const Directory& directory, int depth) {
    const std::optional<Identity> identity = identity_of(directory);
    if (!identity || !seen_.insert(*identity).second) return;
    if (std::optional<ResultEntry> entry = entry_of(directory)) {
      list_.entries.push_back(*std::move(entry));
      return;
    }
    const Result<std::vector<std::string>> names = directory.names();
    if (!names) {
      list_.problems.push_back(names.error().text);
      return;
    }
    if (depth == kDeepest) return;
    for (const std::string& name : *names) {
      if (name.starts_with('.') || !is_directory(directory, name)) continue;
      if (const Result<Directory> below = directory.enter(name))
        find(*below, depth + 1);
      else
        list_.problems.push_back(below.error().text);
    }
  }
  void fail(const Error& error) { list_.problems.push_back(error.text); }

  std::optional<ResultEntry> entry_of(const Directory& directory) const {
    std::optional<ResultEntry> entry = kind_of(directory);
    if (!entry) return entry;
    entry->path = directory.path();
    entry->bytes = space_of(directory, 0);
    return entry;
  }

  ResultList take() {
    std::ranges::sort(list_.entries, [](const ResultEntry& a, const ResultEntry& b) {
      return a.written_s != b.written_s ? a.written_s > b.written_s : a.path < b.path;
    });
    return std::move(list_);
  }

 private:
  std::optional<ResultEntry> kind_of(const Directory& directory) const {
    const IsLiving living = [this](const Directory& one) { return lives(one); };
    std::optional<ResultEntry> entry;
    if (const std::optional<Manifest> manifest = read_manifest(directory)) {
      entry = manifest->entry;
      entry->verified = entry->state != ResultState::kRunning &&
                        differences(directory, *manifest, depth_).empty();
      // Between the cells of a planned batch, no process writes it.
      if (entry->state == ResultState::kRunning)
        entry->state =
            entry->kind == ResultKind::kRun ? ResultState::kAborted : ResultState::kInterrupted;
    } else {
      entry = entry_of_files(directory, living);
    }
    if (entry && entry->kind != ResultKind::kExperiment && lives(directory))
      entry->state = ResultState::kRunning;
    return entry;
  }

  bool lives(const Directory& directory) const {
    const std::optional<Identity> identity = identity_of(directory);
    return (identity && living_.contains(*identity)) || is_locked(directory);
  }

  const Depth depth_;
  std::set<Identity> living_, seen_;
  ResultList list_;
};

}  // namespace

bool is_proven(const Directory& directory, ResultKind kind) {
  const std::optional<Manifest> manifest = read_manifest(directory);
  return manifest ? manifest->entry.kind == kind : files_prove(directory, kind);
}

ResultList list_results(const std::vector<std::string>& dirs, Depth depth) {
  Finder finder(depth);
  for (const std::string& dir : dirs) {
    if (const Result<Directory> directory = Directory::open(dir))
      finder.find(*directory, 0);
    else
      finder.fail(directory.error());
  }
  return finder.take();
}

std::optional<ResultEntry> result_in(const Directory& directory) {
  return Finder(Depth::kSmallContents).entry_of(directory);
}

}  // namespace heddle::report
