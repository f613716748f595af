#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "common/directory.h"
#include "common/result.h"

namespace heddle::report {

// Archives of results: tar archives with regular files only (common/ustar.h), compressed with
// Zstandard. An archive that is read can come from anyone.

/// Bounds of an archive that is written or read.
struct ArchiveLimits {
  std::size_t files = 10'000;
  std::int64_t file_bytes = std::int64_t{1} << 30;  ///< of one file
  std::int64_t all_bytes = std::int64_t{4} << 30;   ///< of the whole tar archive
};
/// Returns the bounds of an archive of `bytes` compressed bytes. The whole tar archive may have 200
/// times as many, or 16 MiB if that is more.
ArchiveLimits limits_of(std::int64_t bytes);

/// Returns "" if Heddle accepts the name of a file in an archive. Otherwise returns what is wrong.
/// A name is a relative path of at most 8 components and 250 bytes. A component consists of
/// letters, digits and the characters "._-+=#,", and begins with neither a dot nor a dash.
std::string problem_of_name(std::string_view name);

struct FileToArchive {
  std::string name;  ///< path in the archive
  std::string text;  ///< the contents
  bool executable = false;
};

/// Writes an archive. Sorts the files by name. The bytes depend only on names, contents and
/// `time_s`, the time of all files. An archive at `path` appears as a whole or not at all. If
/// `overwrite` is false and the file exists, it is kept, and the error is kUsage. Errors (kUsage):
/// a name or the archive is not within the limits.
Result<void> write_archive(const std::string& path, std::vector<FileToArchive> files,
                           std::int64_t time_s, bool overwrite);

/// Gets the contents of an archive.
struct ArchiveSink {
  std::function<Result<void>(const std::string& name, bool executable)> begin;
  std::function<Result<void>(std::string_view bytes)> add;  ///< to the file that began last
};
/// Reads a tar archive, and passes each file to the sink when its name is checked. Errors (kUsage)
/// say what is wrong: the archive is damaged or cut off, has something else than regular files, a
/// name that is not accepted or occurs twice, or is not within the limits.
Result<void> read_tar(std::istream& tar, const ArchiveLimits& limits, const ArchiveSink& sink);

/// Unpacks the archive at `path` into the directory, which must be empty. Errors (kUsage) begin
/// with the path: those of read_tar(), or the file cannot be read or is not compressed with
/// Zstandard. If there is an error, part of the archive is unpacked.
Result<void> unpack_archive(const std::string& path, const Directory& into);

}  // namespace heddle::report
