#include "cli/batch/cell_scratch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>

#include "cli/batch/plan/cell_record.h"
#include "common/dead_temporaries.h"
#include "common/directory.h"
#include "common/host_clock.h"
#include "common/number.h"
#include "common/random_id.h"
#include "common/sync_names.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScratch = ".cell-";

Result<void> sync_file(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd || ::fsync(fd.get()) < 0) return system_error("sync " + path, errno);
  return {};
}

Result<void> sync_directory(const std::string& path) {
  const Result<Directory> directory = Directory::open(path);
  return directory ? sync_names(*directory) : directory.error();
}

/// Syncs all files and directories below `path`.
Result<void> sync_tree(const std::string& path) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    if (entry.is_symlink(error)) continue;
    if (entry.is_directory(error)) HEDDLE_TRY(sync_tree(entry.path()));
    if (entry.is_regular_file(error)) HEDDLE_TRY(sync_file(entry.path()));
  }
  if (error) return system_error("read " + path, error.value());
  return sync_directory(path);
}

bool is_dead(pid_t pid) { return ::kill(pid, 0) < 0 && errno == ESRCH; }

/// Returns whether the process that made the scratch directory is provably dead.
bool is_left(const Directory& batch, const std::string& name, const ScratchName& scratch) {
  if (scratch.host != host_name() || !is_dead(scratch.pid)) return false;
  struct stat info {};
  if (::fstatat(batch.fd(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) < 0) return false;
  if (!S_ISDIR(info.st_mode) || info.st_uid != ::geteuid()) return false;
  const Result<Directory> directory = batch.enter_same_mount(name);
  return directory && !is_locked(*directory);
}

}  // namespace

Result<CellScratch> CellScratch::make(const std::string& dir, std::size_t cell) {
  Result<Directory> batch = Directory::open(dir);
  if (!batch) return std::move(batch).error();
  const std::string name = std::string(kScratch) + std::to_string(cell) + "." + host_name() + "." +
                           std::to_string(::getpid()) + "." + random_id();
  Result<Directory> made = batch->make_new(name);
  if (!made) return std::move(made).error();
  Result<std::optional<Fd>> lock = lock_directory(*made);
  if (!lock) return std::move(lock).error();
  return CellScratch(dir + "/" + name, *std::move(lock));
}

CellScratch& CellScratch::operator=(CellScratch&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  return *this;
}

void CellScratch::remove() {
  if (!path_.empty()) (void)remove_path(path());
}

std::string CellScratch::path() const {
  if (!lock_) return path_;
  Result<std::string> now = present_path(*lock_, path_);
  return now ? *std::move(now) : path_;
}

Result<void> CellScratch::publish_run(const std::string& to) const {
  HEDDLE_TRY(sync_tree(run()));
  if (::rename(run().c_str(), to.c_str()) < 0) return system_error("rename to " + to, errno);
  return sync_directory(fs::path(to).parent_path());
}

std::optional<ScratchName> parse_scratch(std::string_view name) {
  if (!name.starts_with(kScratch)) return std::nullopt;
  name.remove_prefix(kScratch.size());
  const std::size_t first = name.find('.');
  const std::size_t last = name.rfind('.');
  if (first == std::string_view::npos || first == last) return std::nullopt;
  const std::string_view middle = name.substr(first + 1, last - first - 1);  // HOST.PID
  const std::size_t dot = middle.rfind('.');
  if (dot == std::string_view::npos || !read_number<std::size_t>(name.substr(0, first)))
    return std::nullopt;
  const auto pid = read_number<pid_t>(middle.substr(dot + 1));
  if (!pid || *pid <= 0) return std::nullopt;
  return ScratchName{std::string(middle.substr(0, dot)), *pid};
}

std::vector<std::string> remove_dead_scratch(const std::string& dir) {
  std::vector<std::string> others;
  const Result<Directory> batch = Directory::open(dir);
  const Result<std::vector<std::string>> names = batch ? batch->names() : batch.error();
  if (!names) return others;
  if (const Result<Directory> records = batch->enter(kCellsDirectory))
    remove_dead_temporaries(*records,
                            [](std::string_view name) { return name.ends_with(".json"); });
  for (const std::string& name : *names) {
    const std::optional<ScratchName> scratch = parse_scratch(name);
    if (!scratch) continue;
    if (!is_left(*batch, name, *scratch) || !batch->remove_all(name)) others.push_back(name);
  }
  return others;
}

}  // namespace heddle::cli
