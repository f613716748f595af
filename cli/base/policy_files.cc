#include "cli/base/policy_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "common/directory.h"
#include "common/file.h"
#include "common/result_files.h"
#include "core/policy/own_options.h"
#include "host/sha256.h"
#include "wire/fields.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using wire::Json;

constexpr const char* kDescriptionFile = "program.json";
constexpr std::size_t kMostFiles = 500, kLongestName = 300;
/// A larger file is not copied. Its checksum is recorded.
constexpr std::int64_t kMostBytes = 4 << 20;
constexpr std::size_t kMostRecord = 1 << 20;

/// Returns whether the text is a path below a directory, without "." and "..", and can be printed.
bool is_below(const std::string& path) {
  if (path.empty() || path.size() > kLongestName || path.front() == '/') return false;
  if (std::ranges::any_of(path, [](char c) { return static_cast<unsigned char>(c) < ' '; }))
    return false;
  return std::ranges::none_of(fs::path(path),
                              [](const fs::path& part) { return part == "." || part == ".."; });
}

/// Returns the directories in which the program's modules can be: its own, and those of its
/// arguments, because a program such as python3 gets the file with the policy as an argument.
std::vector<std::string> module_directories(const ExternalSpec& external) {
  std::vector<std::string> all;
  std::error_code error;
  const auto add = [&](const std::string& file) {
    const fs::path path = fs::weakly_canonical(fs::absolute(file, error), error);
    if (fs::is_regular_file(path, error)) all.push_back(path.parent_path().string());
  };
  add(external.program);
  for (const std::string& argument : external.arguments)
    if (!argument.empty() && !argument.starts_with('-')) add(argument);
  return all;
}

/// Returns the text at `key` of a record, or "".
std::string text_at(const Json& record, const char* key) {
  if (!record.is_object()) return "";
  const auto found = record.find(key);
  return found != record.end() && found->is_string() ? found->get<std::string>() : "";
}

Json object_at(const Json& record, const char* key) {
  if (!record.is_object()) return Json::object();
  const auto found = record.find(key);
  return found != record.end() && found->is_object() ? *found : Json::object();
}

/// Returns the modules of a record, by their paths. The record comes from the program.
PolicyFiles modules_of(const Json& record) {
  PolicyFiles modules;
  const Json listed = object_at(record, "modules");
  for (const auto& [name, sum] : listed.items())
    if (is_below(name) && sum.is_string() && modules.size() < kMostFiles)
      modules.emplace(name, sum.get<std::string>());
  return modules;
}

bool can_read(const struct stat& info, std::optional<uid_t> reader) {
  if (!reader) return true;
  return (info.st_mode & S_IROTH) != 0 || (info.st_uid == *reader && (info.st_mode & S_IRUSR) != 0);
}

/// Opens a regular file below the directory that the user can read. Follows no links.
Result<Fd> open_source(const Directory& from, const std::string& name,
                       std::optional<uid_t> reader) {
  Result<Fd> file = from.open_below(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (!file) return file;
  struct stat info {};
  if (::fstat(file->get(), &info) < 0) return system_error("look at " + name, errno);
  if (!S_ISREG(info.st_mode)) return machine_error(name + ": is no regular file");
  if (!can_read(info, reader)) return machine_error(name + ": its user can't read it");
  if (info.st_size > kMostBytes)
    return machine_error(name + ": has more than " + std::to_string(kMostBytes >> 20) + " MiB");
  return file;
}

/// Makes the directory `path` in `in` with its parents, or opens it. `path` is not empty.
Result<Directory> make_below(const Directory& in, const fs::path& path) {
  const std::string first = path.begin()->string();
  if (const Result<Directory> made = in.make_new(first); !made && made.error().code != EEXIST)
    return made.error();
  Result<Directory> here = in.enter(first);
  fs::path rest;
  for (auto part = std::next(path.begin()); part != path.end(); ++part) rest /= *part;
  return here && !rest.empty() ? make_below(*here, rest) : std::move(here);
}

Result<void> write_in(const Directory& to, const std::string& name, const std::string& text) {
  Result<Directory::Temporary> temporary = to.create_for(name);
  if (!temporary) return std::move(temporary).error();
  Result<void> written = write_all(temporary->file.get(), text, to.path() + "/" + name);
  if (written) written = to.put(*temporary, name);
  if (!written) to.discard(*temporary);
  return written;
}

/// Copies a file. Returns the SHA-256 of the copy.
Result<std::string> copy(const Directory& from, const Directory& to, const std::string& name,
                         std::optional<uid_t> reader) {
  const Result<Fd> file = open_source(from, name, reader);
  if (!file) return file.error();
  const Result<std::string> text = read_found_file(proc_path_of(*file), kMostBytes);
  if (!text) return text.error();
  const fs::path path(name);
  std::optional<Result<Directory>> below;
  if (path.has_parent_path()) below = make_below(to, path.parent_path());
  if (below && !*below) return below->error();
  const Directory& place = below ? **below : to;
  HEDDLE_TRY(write_in(place, path.filename().string(), *text));
  return host::sha256_of(place.path() + "/" + path.filename().string());
}

/// Copies the program and its modules. Returns the checksums of all. Adds warnings.
PolicyFiles copy_all(const Directory& to, const ExternalSpec& external, const Json& record,
                     std::optional<uid_t> reader, std::vector<std::string>& warnings) {
  PolicyFiles files;
  std::error_code error;
  const fs::path program = fs::weakly_canonical(external.program, error);
  const auto take = [&](const Result<Directory>& from, const std::string& name,
                        const std::string& sum) {
    const Result<std::string> copied = from ? copy(*from, to, name, reader) : from.error();
    files[name] = sum;
    if (!copied)
      warnings.push_back("not kept in " + to.path() + ": " + copied.error().text);
    else if (*copied != sum)
      warnings.push_back(name + " has changed since the program read it; " + to.path() + "/" +
                         name + " is the new text");
  };
  take(Directory::open(program.parent_path().string()), program.filename().string(),
       external.sha256);
  const std::string directory = text_at(record, "directory");
  const std::vector<std::string> known = module_directories(external);
  if (std::ranges::find(known, directory) == known.end()) return files;
  const Result<Directory> from = Directory::open(directory);
  for (const auto& [name, sum] : modules_of(record))
    if (!files.contains(name)) take(from, name, sum);
  return files;
}

}  // namespace

std::vector<std::string> write_policy_files(const std::string& out, const PolicySpec& policy,
                                            const std::string& record,
                                            std::optional<uid_t> reader) {
  const ExternalSpec& external = *policy.external;
  std::vector<std::string> warnings;
  const Result<Directory> results = Directory::open(out);
  const Result<Directory> to = results ? make_below(*results, kPolicyDirectory) : results.error();
  if (!to) return {"the policy is not kept: " + to.error().text};
  const Json facts = wire::parse_json(record);
  Json files = Json::array(), options = Json::object();
  for (const auto& [name, sum] : copy_all(*to, external, facts, reader, warnings))
    files.push_back({{"name", name}, {"sha256", sum}});
  for (const auto& [name, value] : own_options(policy)) options[name] = value;
  const auto or_null = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  const Json description = {{"program", external.program},
                            {"arguments", external.arguments},
                            {"options", std::move(options)},
                            {"interpreter", or_null(text_at(facts, "interpreter"))},
                            {"executable", or_null(text_at(facts, "executable"))},
                            {"versions", object_at(facts, "versions")},
                            {"environment", object_at(facts, "environment")},
                            {"files", std::move(files)}};
  const std::string text = description.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (const Result<void> written = write_in(*to, kDescriptionFile, text); !written)
    warnings.push_back("the policy is not kept: " + written.error().text);
  return warnings;
}

PolicyFiles policy_files(const std::string& run) {
  PolicyFiles files;
  const Result<std::string> text = read_found_file(
      run + "/" + std::string(kPolicyDirectory) + "/" + kDescriptionFile, kMostRecord);
  const Json json = text ? wire::parse_json(*text) : Json();
  const auto list = json.is_object() ? json.find("files") : json.end();
  if (!json.is_object() || list == json.end() || !list->is_array()) return files;
  for (const Json& file : *list)
    if (const std::string name = text_at(file, "name"); is_below(name))
      files.emplace(name, text_at(file, "sha256"));
  return files;
}

std::optional<std::string> changed_file(const ExternalSpec& external, const PolicyFiles& files) {
  const std::vector<std::string> directories = module_directories(external);
  for (const auto& file : files) {
    const bool same = std::ranges::any_of(directories, [&](const std::string& directory) {
      const Result<std::string> now = host::sha256_of(directory + "/" + file.first);
      return now && *now == file.second;
    });
    if (!same) return file.first;
  }
  return std::nullopt;
}

}  // namespace heddle::cli
