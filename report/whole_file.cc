#include "report/whole_file.h"

#include <utility>

namespace heddle::report {

Result<WholeFile> WholeFile::create(const std::string& path) {
  const PathParts parts = heddle::parts_of(path);
  Result<Directory> directory = Directory::open(parts.directory);
  if (!directory) return std::move(directory).error().in("write " + path);
  Result<Directory::Temporary> temporary = directory->create_for(parts.name);
  if (!temporary) return std::move(temporary).error().in("write " + path);
  return WholeFile(path, *std::move(directory), parts.name, *std::move(temporary));
}

WholeFile::~WholeFile() {
  if (temporary_.file) directory_.discard(temporary_);
}

Result<void> WholeFile::put_in_place() {
  HEDDLE_TRY(directory_.put(temporary_, name_));
  temporary_.file.reset();
  return {};
}

}  // namespace heddle::report
