#include "report/manifest.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <span>

#include "common/dead_temporaries.h"
#include "common/file.h"
#include "common/result_files.h"
#include "common/text.h"
#include "host/sha256.h"
#include "report/entry_of_files.h"
#include "report/policy_label.h"
#include "wire/journal_lines.h"

namespace heddle::report {
namespace {

using wire::BadField;
using wire::Fields;
using wire::Json;

constexpr int kFormat = 1;
constexpr std::size_t kMostBytes = 16 << 20;
constexpr std::size_t kMostWords = 100'000, kMostFiles = 1000, kMostPolicyFiles = 600;
/// A command line is cut after this many characters.
constexpr std::size_t kLongestCommand = 100'000;

/// Returns the command line of this process. Its first word is the name of the program.
std::vector<std::string> command_line() {
  const Result<std::string> text = read_file("/proc/self/cmdline");
  std::vector<std::string> words;
  if (!text) return words;
  for (std::size_t at = 0; at < std::min(text->size(), kLongestCommand);) {
    const std::size_t end = std::min(text->find('\0', at), text->size());
    words.push_back(text->substr(at, end - at));
    at = end + 1;
  }
  if (!words.empty()) words.front().erase(0, words.front().rfind('/') + 1);
  return words;
}

std::span<const std::string_view> own_files(ResultKind kind) {
  if (kind == ResultKind::kRun) return kRunFiles;
  if (kind == ResultKind::kExperiment) return kExperimentFiles;
  return kBatchFiles;
}

/// Returns nullopt if there is no such file.
Result<std::optional<FileMark>> mark_of(const Directory& directory, const std::string& name) {
  const Result<Fd> file = name.find('/') == std::string::npos
                              ? directory.open_file(name, O_RDONLY)
                              : directory.open_below(name, O_RDONLY);
  if (!file && file.error().code == ENOENT) return std::optional<FileMark>();
  if (!file) return file.error();
  struct stat info {};
  if (::fstat(file->get(), &info) < 0)
    return system_error("look at " + directory.path() + "/" + name, errno);
  Result<std::string> sum = host::sha256_of(proc_path_of(*file));
  if (!sum) return std::move(sum).error();
  return std::optional(FileMark{info.st_size, *std::move(sum)});
}

/// Adds the paths of all files in the directory `below` in `directory`.
void add_files(const Directory& directory, const std::string& below, int depth,
               std::vector<std::string>& paths) {
  constexpr int kDeepestPolicy = 10;
  const Result<Directory> here = directory.enter(below);
  const Result<std::vector<std::string>> names =
      here && depth < kDeepestPolicy ? here->names() : std::vector<std::string>();
  if (!here || !names) return;
  for (const std::string& name : *names) {
    struct stat info {};
    if (::fstatat(here->fd(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) < 0) continue;
    if (S_ISDIR(info.st_mode)) add_files(directory, below + "/" + name, depth + 1, paths);
    if (S_ISREG(info.st_mode) && paths.size() < kMostPolicyFiles)
      paths.push_back(below + "/" + name);
  }
}

Result<void> take_files(const Directory& directory, std::span<const std::string_view> names,
                        Manifest& manifest) {
  for (const std::string_view name : names) {
    if (name == kManifestFile) continue;
    Result<std::optional<FileMark>> mark = mark_of(directory, std::string(name));
    if (!mark) return std::move(mark).error();
    if (*mark) manifest.files.insert_or_assign(std::string(name), **std::move(mark));
  }
  return {};
}

/// Writes the manifest. Removes what killed processes have left of the result's files.
Result<void> write(const std::string& dir, const Manifest& manifest) {
  if (const Result<Directory> directory = Directory::open(dir))
    remove_dead_temporaries(*directory, [&](std::string_view name) {
      return std::ranges::find(own_files(manifest.entry.kind), name) !=
             own_files(manifest.entry.kind).end();
    });
  return replace_file(dir + "/" + kManifestFile, to_text(manifest));
}

Result<void> begin(const std::string& dir, ResultEntry entry) {
  entry.state = ResultState::kRunning;
  entry.written_s = std::time(nullptr);
  return write(dir, {std::move(entry), HEDDLE_VERSION, command_line(), {}});
}

/// Returns whether the text names a file of a result, or one of its policy.
bool is_file_name(const std::string& name) {
  if (valid_name(name)) return true;
  const std::filesystem::path path(name);
  return path.is_relative() && path.begin() != path.end() && *path.begin() == kPolicyDirectory &&
         std::ranges::none_of(path, [](const auto& part) { return part == ".." || part == "."; }) &&
         std::ranges::none_of(name, [](char c) { return static_cast<unsigned char>(c) < ' '; });
}

FileMark mark_from(const Fields& fields) {
  return {fields.integer("size", 0, INT64_MAX), fields.text("sha256")};
}

Manifest manifest_from(const Json& json) {
  const Fields fields(json, "result");
  fields.integer("heddle_result", kFormat, kFormat);
  Manifest manifest{entry_from(json), fields.text("heddle_version"), {}, {}};
  for (const Json& word : fields.array("command", kMostWords)) {
    if (!word.is_string()) fields.bad("command", "a list of words");
    manifest.command.push_back(word.get<std::string>());
  }
  for (const Json& file : fields.array("files", kMostFiles)) {
    const Fields mark(file, "file");
    std::string name = mark.text("name");
    if (!is_file_name(name)) mark.bad("name", "the name of a file");
    manifest.files.insert_or_assign(std::move(name), mark_from(mark));
  }
  return manifest;
}

}  // namespace

std::string to_text(const Manifest& manifest) {
  Json json = {{"heddle_result", kFormat}, {"heddle_version", manifest.version}};
  json.update(to_json(manifest.entry));
  for (const char* key : {"path", "bytes", "verified"}) json.erase(key);
  json["command"] = manifest.command;
  json["files"] = Json::array();
  for (const auto& [name, mark] : manifest.files)
    json["files"].push_back({{"name", name}, {"size", mark.size}, {"sha256", mark.sha256}});
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<Manifest> parse_manifest(std::string_view text) {
  try {
    return manifest_from(wire::parse_json(text));
  } catch (const BadField&) {
    return std::nullopt;
  }
}

std::optional<Manifest> read_manifest(const Directory& directory) {
  const Result<Fd> file = directory.open_file(kManifestFile, O_RDONLY);
  if (!file) return std::nullopt;
  const Result<std::string> text = read_found_file(proc_path_of(*file), kMostBytes);
  return text ? parse_manifest(*text) : std::nullopt;
}

std::vector<std::string> differences(const Directory& directory, const Manifest& manifest,
                                     Depth depth, const std::vector<std::string>& names) {
  std::vector<std::string> sentences;
  for (const auto& [name, mark] : manifest.files) {
    if (!names.empty() && std::ranges::find(names, name) == names.end()) continue;
    struct stat info {};
    if (::fstatat(directory.fd(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) < 0)
      sentences.push_back(name + " is missing");
    else if (!S_ISREG(info.st_mode) || info.st_size != mark.size)
      sentences.push_back(name + " has " + std::to_string(info.st_size) + " bytes instead of " +
                          std::to_string(mark.size));
    else if (const auto is = depth == Depth::kContents ||
                                     (depth == Depth::kSmallContents && mark.size <= kSmallFile)
                                 ? mark_of(directory, name)
                                 : Result<std::optional<FileMark>>(mark);
             !is || *is != mark)
      sentences.push_back(name + " was changed after the result was written");
  }
  return sentences;
}

std::vector<std::string> doubts(const Directory& directory, const std::vector<std::string>& names) {
  const std::optional<Manifest> manifest = read_manifest(directory);
  const std::string file = kManifestFile;
  if (!manifest) return {"there is no " + file + " that says what its files are"};
  if (manifest->entry.state == ResultState::kRunning)
    return {file + " does not have its files, because the command that wrote it did not end"};
  std::vector<std::string> sentences = differences(directory, *manifest, Depth::kContents, names);
  for (const std::string& name : names)
    if (!manifest->files.contains(name) &&
        ::faccessat(directory.fd(), name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0)
      sentences.push_back(name + " is not in " + file);
  return sentences;
}

Result<void> begin_manifest(const std::string& dir, const Scenario& scenario,
                            const std::string& mode) {
  ResultEntry entry;
  entry.scenario = scenario.name;
  entry.policies = {policy_label(wire::policy_json(scenario.policy))};
  entry.mode = mode;
  return begin(dir, std::move(entry));
}

Result<void> begin_manifest(const std::string& dir, ResultKind kind, const std::string& scenario,
                            const std::string& mode) {
  ResultEntry entry;
  entry.kind = kind;
  entry.scenario = scenario;
  entry.mode = mode;
  return begin(dir, std::move(entry));
}

Result<void> end_manifest(const std::string& dir) {
  const Result<Directory> directory = Directory::open(dir);
  if (!directory) return directory.error();
  std::optional<ResultEntry> entry =
      entry_of_files(*directory, [](const Directory&) { return false; });
  if (!entry) return aborted_error(dir + ": is no result any more");
  const std::optional<Manifest> had = read_manifest(*directory);
  Manifest manifest{
      *std::move(entry),
      HEDDLE_VERSION,
      had && had->entry.state == ResultState::kRunning ? had->command : command_line(),
      {}};
  HEDDLE_TRY(take_files(*directory, own_files(manifest.entry.kind), manifest));
  if (manifest.entry.kind == ResultKind::kRun) {
    std::vector<std::string> paths;
    add_files(*directory, kPolicyDirectory, 0, paths);
    HEDDLE_TRY(take_files(*directory, std::vector<std::string_view>(paths.begin(), paths.end()),
                          manifest));
  }
  return write(dir, manifest);
}

Result<void> note_files(const std::string& dir, const std::vector<std::string>& names) {
  const Result<Directory> directory = Directory::open(dir);
  if (!directory) return directory.error();
  std::optional<Manifest> manifest = read_manifest(*directory);
  if (!manifest) return {};
  const std::vector<std::string_view> views(names.begin(), names.end());
  HEDDLE_TRY(take_files(*directory, views, *manifest));
  return write(dir, *manifest);
}

}  // namespace heddle::report
