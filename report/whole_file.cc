#include "report/whole_file.h"

#include <cerrno>
#include <fstream>

#include "common/directory.h"
#include "common/sync_names.h"

namespace heddle::report {
namespace {

/// Removes the file in the destructor, unless the file has been moved to its place.
struct Discarded {
  const Directory& directory;
  Directory::Temporary file;
  bool in_place = false;
  ~Discarded() {
    if (!in_place) directory.discard(file);
  }
};

}  // namespace

Result<void> write_whole(const std::string& path,
                         const std::function<Result<void>(const Fd&)>& write) {
  const PathParts parts = heddle::parts_of(path);
  Result<Directory> directory = Directory::open(parts.directory);
  if (!directory) return std::move(directory).error().in("write " + path);
  Result<Directory::Temporary> made = directory->create_for(parts.name);
  if (!made) return std::move(made).error().in("write " + path);
  Discarded temporary{*directory, *std::move(made)};
  HEDDLE_TRY(write(temporary.file.file));
  HEDDLE_TRY(directory->put(temporary.file, parts.name));
  temporary.in_place = true;
  return sync_names(*directory);
}

Result<void> write_whole(const std::string& path,
                         const std::function<Result<void>(std::ostream&)>& write) {
  return write_whole(path, [&](const Fd& file) -> Result<void> {
    // The path names the open file itself. Therefore no other program can replace the file by a
    // link.
    std::ofstream out(proc_path_of(file), std::ios::binary | std::ios::trunc);
    if (!out) return system_error("write " + path, errno);
    HEDDLE_TRY(write(out));
    out.close();
    return out ? Result<void>() : system_error("write " + path, errno);
  });
}

}  // namespace heddle::report
