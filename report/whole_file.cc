#include "report/whole_file.h"

#include <cerrno>
#include <fstream>
#include <utility>

namespace heddle::report {

Result<WholeFile> WholeFile::create(const std::string& path) {
  const PathParts parts = heddle::parts_of(path);
  Result<Directory> directory = Directory::open(parts.directory);
  if (!directory) return std::move(directory).error().in("write " + path);
  Result<Directory::Temporary> temporary = directory->create_for(parts.name);
  if (!temporary) return std::move(temporary).error().in("write " + path);
  return WholeFile(path, *std::move(directory), *std::move(temporary));
}

WholeFile::~WholeFile() {
  if (temporary_.file) directory_.discard(temporary_);
}

Result<void> WholeFile::put_in_place() {
  HEDDLE_TRY(directory_.put(temporary_, parts_of(path_).name));
  temporary_.file.reset();
  return {};
}

Result<void> write_whole(const std::string& path,
                         const std::function<Result<void>(std::ostream&)>& write) {
  Result<WholeFile> file = WholeFile::create(path);
  if (!file) return std::move(file).error();
  std::ofstream out(file->beside(), std::ios::binary | std::ios::trunc);
  if (!out) return system_error("write " + path, errno);
  HEDDLE_TRY(write(out));
  out.close();
  if (!out) return system_error("write " + path, errno);
  return file->put_in_place();
}

}  // namespace heddle::report
