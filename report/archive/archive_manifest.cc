#include "report/archive/archive_manifest.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <set>

#include "common/text.h"
#include "host/sha256.h"
#include "report/archive/archive_file.h"

namespace heddle::report {
namespace {

using wire::Fields;
using wire::Json;

constexpr int kArchiveFormat = 1;
constexpr std::size_t kMostEntries = 100'000, kLongestText = 1 << 16;
constexpr std::string_view kModes[] = {"real", "simulated"};
constexpr double kMostSeconds = 1e12;

std::vector<std::string> texts_in(const Fields& fields, const char* key) {
  std::vector<std::string> texts;
  for (const Json& one : fields.array(key, kMostEntries)) {
    if (!one.is_string() || one.get_ref<const std::string&>().size() > kLongestText)
      fields.bad(key, "a list of texts");
    texts.push_back(one.get<std::string>());
  }
  return texts;
}

/// Reads the name of a file or directory in the archive.
std::string name_in(const Fields& fields, const char* key) {
  std::string name = fields.text(key);
  if (!problem_of_name(name).empty()) fields.bad(key, "a path in the archive");
  return name;
}

Json to_json(const ArchivedPart& part) {
  Json ranges = Json::object();
  for (const auto& [key, range] : part.ranges) ranges[key] = {range.least, range.most};
  return {{"directory", part.directory},
          {"kind", name_of(part.kind)},
          {"mode", kModes[part.simulated ? 1 : 0]},
          {"ranges", std::move(ranges)}};
}

ArchivedPart part_from(const Json& json) {
  const Fields fields(json, "parts");
  ArchivedPart part;
  part.directory = name_in(fields, "directory");
  part.kind = static_cast<ResultKind>(fields.word("kind", kResultKinds));
  if (part.kind == ResultKind::kExperiment) fields.bad("kind", "run, compare or sweep");
  part.simulated = fields.word("mode", kModes) == 1;
  (void)fields.object("ranges");
  for (const auto& [key, range] : json.at("ranges").items()) {
    if (!range.is_array() || range.size() != 2 || !range[0].is_number() || !range[1].is_number())
      fields.bad("ranges", "two numbers for each figure");
    part.ranges[key] = {range[0].get<double>(), range[1].get<double>()};
  }
  return part;
}

Json to_json(const ArchivedResult& result) {
  Json parts = Json::array();
  for (const ArchivedPart& part : result.parts) parts.push_back(to_json(part));
  return {{"name", result.name},
          {"kind", name_of(result.kind)},
          {"scenario", result.scenario},
          {"mode", result.mode},
          {"heddle_version", result.version},
          {"policies", result.policies},
          {"command", result.command},
          {"written_s", result.written_s},
          {"real_s", result.real_s ? Json(*result.real_s) : Json()},
          {"doubts", result.doubts},
          {"parts", std::move(parts)}};
}

ArchivedResult result_from(const Json& json) {
  const Fields fields(json, "results");
  ArchivedResult result;
  result.name = name_in(fields, "name");
  result.kind = static_cast<ResultKind>(fields.word("kind", kResultKinds));
  result.scenario = fields.text("scenario");
  result.mode = fields.text("mode");
  result.version = fields.text("heddle_version");
  result.policies = texts_in(fields, "policies");
  result.command = texts_in(fields, "command");
  result.written_s = fields.integer("written_s", 0, std::numeric_limits<std::int64_t>::max());
  if (!json.value("real_s", Json()).is_null())
    result.real_s = fields.number("real_s", 0, kMostSeconds);
  result.doubts = texts_in(fields, "doubts");
  for (const Json& part : fields.array("parts", kMostEntries))
    result.parts.push_back(part_from(part));
  return result;
}

ArchiveManifest manifest_of(const Json& json) {
  const Fields fields(json, kArchiveManifest);
  ArchiveManifest manifest;
  (void)fields.integer("heddle_archive", kArchiveFormat, kArchiveFormat);
  manifest.version = fields.text("heddle_version");
  for (const Json& one : fields.array("files", kMostEntries)) {
    const Fields file(one, "files");
    std::string name = name_in(file, "name");
    FileMark mark{file.integer("size", 0, std::numeric_limits<std::int64_t>::max()),
                  file.text("sha256")};
    if (!manifest.files.emplace(std::move(name), std::move(mark)).second)
      file.bad("name", "each file once");
  }
  for (const Json& one : fields.array("programs", kMostEntries)) {
    const Fields program(one, "programs");
    manifest.programs.push_back({name_in(program, "file"), texts_in(program, "named")});
    if (!manifest.files.contains(manifest.programs.back().file))
      program.bad("file", "a file of the archive");
  }
  for (const Json& one : fields.array("results", kMostEntries))
    manifest.results.push_back(result_from(one));
  if (manifest.results.empty()) fields.bad("results", "at least one result");
  std::set<std::string> directories;
  for (const ArchivedResult& result : manifest.results)
    for (const ArchivedPart& part : result.parts)
      if (!directories.insert(part.directory).second) fields.bad("results", "each directory once");
  return manifest;
}

/// Adds the names of all files below a directory. `above`: the path of the directory, or "".
Result<void> list_files(const Directory& directory, const std::string& above,
                        std::vector<std::string>& names) {
  const Result<std::vector<std::string>> entries = directory.names();
  if (!entries) return entries.error();
  for (const std::string& entry : *entries) {
    const std::string name = above.empty() ? entry : above + "/" + entry;
    if (const Result<Directory> below = directory.enter(entry))
      HEDDLE_TRY(list_files(*below, name, names));
    else
      names.push_back(name);
  }
  return {};
}

}  // namespace

std::string to_text(const ArchiveManifest& manifest) {
  Json results = Json::array(), programs = Json::array(), files = Json::array();
  for (const ArchivedResult& result : manifest.results) results.push_back(to_json(result));
  for (const ArchivedProgram& program : manifest.programs)
    programs.push_back({{"file", program.file}, {"named", program.named}});
  for (const auto& [name, mark] : manifest.files)
    files.push_back({{"name", name}, {"size", mark.size}, {"sha256", mark.sha256}});
  const Json json = {{"heddle_archive", kArchiveFormat},
                     {"heddle_version", manifest.version},
                     {"results", std::move(results)},
                     {"programs", std::move(programs)},
                     {"files", std::move(files)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<ArchiveManifest> parse_archive_manifest(std::string_view text) {
  const Json json = wire::parse_json(text);
  if (!json.is_object())
    return usage_error(std::string(kArchiveManifest) +
                       ": is no JSON object; expected the manifest of an archive of Heddle");
  try {
    return manifest_of(json);
  } catch (const wire::BadField& bad) {
    return usage_error(bad.text);
  }
}

Result<void> check_files(const Directory& unpacked, const ArchiveManifest& manifest) {
  std::vector<std::string> names;
  HEDDLE_TRY(list_files(unpacked, "", names));
  for (const std::string& name : names)
    if (name != kArchiveManifest && !manifest.files.contains(name))
      return usage_error(name + ": is not in " + kArchiveManifest +
                         "; expected only files that the manifest has");
  for (const auto& [name, mark] : manifest.files) {
    const Result<Fd> file = unpacked.open_below(name, O_RDONLY);
    if (!file && file.error().code == ENOENT)
      return usage_error(name + ": is missing; " + kArchiveManifest + " has it");
    if (!file) return file.error();
    const Result<std::string> sum = host::sha256_of(proc_path_of(*file));
    if (!sum) return sum.error();
    if (*sum != mark.sha256)
      return usage_error(name + ": has changed: its SHA-256 is " + *sum + ", and " +
                         kArchiveManifest + " has " + mark.sha256);
  }
  return {};
}

}  // namespace heddle::report
