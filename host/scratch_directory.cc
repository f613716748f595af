#include "host/scratch_directory.h"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "common/random_id.h"

namespace heddle::host {

Result<ScratchDirectory> ScratchDirectory::create(
    const std::function<Result<void>(const std::string&)>& note) {
  std::error_code none;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(none);
  if (none) return system_error("find a directory for temporary files", none.value());
  for (;;) {
    const std::string path = parent / ("heddle-" + random_id());
    if (note) HEDDLE_TRY(note(path));
    if (::mkdir(path.c_str(), 0700) == 0) return ScratchDirectory(path);
    if (errno != EEXIST) return system_error("make " + path, errno);
  }
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code none;
  if (!path_.empty()) std::filesystem::remove_all(path_, none);
}

}  // namespace heddle::host
