#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>

#include "cli/archive/commands.h"
#include "cli/archive/readme.h"
#include "cli/archive/result_files.h"
#include "cli/base/exit_status.h"
#include "cli/manage/manage.h"
#include "cli/results/results.h"
#include "cli/results/variant_directory.h"
#include "host/sha256.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

/// Names in the archive are at most so long, because paths are made of them.
constexpr std::size_t kLongestResultName = 60;

/// Returns a name for the result that no other result has.
std::string name_for(const std::string& dir, std::set<std::string>& names) {
  std::error_code error;
  fs::path path = fs::weakly_canonical(dir, error);
  if (path.filename().empty()) path = path.parent_path();
  const std::string first = directory_of(path.filename()).substr(0, kLongestResultName);
  std::string name = first;
  for (int number = 2; !names.insert(name).second; ++number)
    name = first + "-" + std::to_string(number);
  return name;
}

/// Adds the result in a directory.
Result<void> add(const std::string& dir, std::set<std::string>& names, ArchiveContents& contents) {
  const Result<Directory> directory = Directory::open(dir);
  if (!directory)
    return usage_error(dir + ": " + directory.error().text + "; expected a directory of results");
  return add_result(*directory, name_for(dir, names), contents);
}

}  // namespace

Result<int> archive_command(const ArchiveOptions& options) {
  if (std::error_code error; !options.overwrite && fs::exists(options.out, error))
    return usage_error(options.out + ": exists already; files are only replaced with --overwrite");
  for (std::size_t i = 0; i < options.results.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (std::error_code error; fs::equivalent(options.results[i], options.results[j], error))
        return usage_error(options.results[i] + ": is given twice");
  ArchiveContents contents;
  contents.manifest.version = HEDDLE_VERSION;
  std::set<std::string> names;
  for (const std::string& dir : options.results) HEDDLE_TRY(add(dir, names, contents));
  std::move(contents.programs).put(contents.manifest, contents.files);
  std::int64_t time_s = 0;
  for (const report::ArchivedResult& result : contents.manifest.results)
    time_s = std::max(time_s, result.written_s);
  contents.files.push_back({report::kArchiveReadme, readme_of(contents.manifest, contents.tables)});
  std::int64_t bytes = 0;
  for (const report::FileToArchive& file : contents.files) {
    const auto size = static_cast<std::int64_t>(file.text.size());
    contents.manifest.files[file.name] = {size, host::sha256_of_text(file.text)};
    bytes += size;
  }
  const std::size_t count = contents.files.size() + 1;
  contents.files.push_back({report::kArchiveManifest, to_text(contents.manifest)});
  HEDDLE_TRY(
      report::write_archive(options.out, std::move(contents.files), time_s, options.overwrite));
  const Result<std::string> sum = host::sha256_of(options.out);
  if (!sum) return sum.error();
  std::cout << "archive: " << options.out << " (" << count << " files, " << size_text(bytes)
            << " unpacked)\nSHA-256: " << *sum << '\n';
  return kExitDone;
}

}  // namespace heddle::cli
