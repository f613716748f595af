#include "serve/result_tree.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "common/number.h"
#include "common/result_files.h"

namespace heddle::serve {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestId = 2000;
constexpr std::string_view kElsewhere = "live-";
/// Files from which pages are made, or whose existence decides what is shown.
constexpr std::array kFiles = {kScenarioFile, kJournalFile, kCompressedJournalFile,
                               kSamplesFile,  kSummaryFile, kComparisonFile,
                               kSweepFile,    kManifestFile};

/// Returns the absolute path of a directory without links and without a slash at its end. If
/// Directory::open refuses the path, because of a link of another user for example, follows no
/// link.
std::string without_links(const std::string& path) {
  std::error_code error;
  if (const Result<Directory> directory = Directory::open(path))
    if (const Result<Fd> fd = directory->open_below(".", O_PATH | O_DIRECTORY))
      if (std::string plain = fs::read_symlink(proc_path_of(*fd), error); !error) return plain;
  std::string plain = fs::absolute(path, error).lexically_normal().string();
  while (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
  return plain;
}

/// Returns the part of `path` below `directory`, or nullopt if `path` is not in it. A relative path
/// that does not begin with ".." is below ".".
std::optional<std::string> below(const std::string& path, const std::string& directory) {
  const std::string rest = fs::path(path).lexically_relative(directory).string();
  if (rest.empty() || rest == ".." || rest.starts_with("../")) return std::nullopt;
  return rest == "." ? "" : rest;
}

std::string joined(const std::string& root, const std::string& path) {
  return path.empty() ? root : root + "/" + path;
}

}  // namespace

std::optional<ResultId> parse_result_id(std::string_view text) {
  if (text.size() > kLongestId) return std::nullopt;
  for (const char c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') return std::nullopt;
  const std::size_t slash = std::min(text.find('/'), text.size());
  ResultId id{std::string(text.substr(0, slash)),
              std::string(text.substr(std::min(slash + 1, text.size())))};
  if (id.root.empty() || (slash < text.size() && id.below.empty())) return std::nullopt;
  for (std::string_view rest = id.below; !rest.empty();) {
    const std::size_t end = std::min(rest.find('/'), rest.size());
    const std::string_view part = rest.substr(0, end);
    if (part.empty() || part == "." || part == ".." || end + 1 == rest.size()) return std::nullopt;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return id;
}

Result<bool> ResultPlace::has(const std::string& name) const {
  struct stat info {};
  if (::fstatat(directory_.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) < 0) {
    if (errno == ENOENT) return false;
    return system_error("open " + shown_ + "/" + name, errno);
  }
  if (S_ISREG(info.st_mode)) return true;
  return usage_error(shown_ + "/" + name + ": is a link or another special file; expected a file");
}

std::string ResultPlace::stamp() const {
  std::string stamp;
  for (const char* name : kFiles) {
    struct stat info {};
    if (::fstatat(directory_.get(), name, &info, AT_SYMLINK_NOFOLLOW) == 0)
      stamp += fmt::format("{} {} {}.{} {}\n", name, info.st_size, info.st_mtim.tv_sec,
                           info.st_mtim.tv_nsec, info.st_ino);
  }
  return stamp;
}

bool ResultPlace::is_of(const LiveRun& run) const {
  struct stat info {};
  return ::fstat(directory_.get(), &info) == 0 && info.st_dev == run.device &&
         info.st_ino == run.inode;
}

std::string ResultPlace::for_people(std::string text) const {
  const std::string ours = path();
  for (std::size_t at = 0; (at = text.find(ours, at)) != std::string::npos; at += shown_.size())
    text.replace(at, ours.size(), shown_);
  return text;
}

ResultTree::ResultTree(std::vector<std::string> dirs) : dirs_(std::move(dirs)) {
  for (std::string& dir : dirs_) {
    while (dir.size() > 1 && dir.ends_with('/')) dir.pop_back();
    absolute_.push_back(without_links(dir));
  }
}

Result<ResultPlace> ResultTree::find(const std::string& id) const {
  const Error unknown = usage_error("there is no such result");
  const std::optional<ResultId> parsed = parse_result_id(id);
  if (!parsed) return unknown;
  std::string root, shown;
  if (parsed->root.starts_with(kElsewhere)) {
    const std::optional<std::string> known = elsewhere(parsed->root);
    if (!known) return unknown;
    root = shown = *known;
  } else {
    const auto index = read_number<std::size_t>(parsed->root);
    if (!index || *index >= dirs_.size()) return unknown;
    root = absolute_[*index];
    shown = dirs_[*index];
  }
  Result<Directory> directory = Directory::open(root);
  if (!directory) return unknown;
  Result<Fd> opened =
      directory->open_below(parsed->below.empty() ? "." : parsed->below, O_PATH | O_DIRECTORY);
  if (!opened) return unknown;
  return ResultPlace(id, joined(shown, parsed->below), *std::move(opened));
}

std::string ResultTree::id_of(const std::string& path) const {
  std::string plain = path;
  while (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
  for (std::size_t i = 0; i < dirs_.size(); ++i)
    if (const std::optional<std::string> rest = below(plain, dirs_[i]))
      return joined(std::to_string(i), *rest);
  return "";
}

std::string ResultTree::id_of(const LiveRun& run) {
  const std::string plain = without_links(run.out);
  for (std::size_t i = 0; i < absolute_.size(); ++i)
    if (const std::optional<std::string> rest = below(plain, absolute_[i]))
      return joined(std::to_string(i), *rest);
  put_elsewhere(std::string(kElsewhere) + run.run, run.out);
  return std::string(kElsewhere) + run.run;
}

std::optional<std::string> ResultTree::elsewhere(const std::string& root) const {
  const std::lock_guard lock(mutex_);
  const auto known = elsewhere_.find(root);
  return known == elsewhere_.end() ? std::nullopt : std::optional(known->second);
}

void ResultTree::put_elsewhere(const std::string& root, const std::string& path) {
  const std::lock_guard lock(mutex_);
  elsewhere_.insert_or_assign(root, path);
}

}  // namespace heddle::serve
