#include "host/scratch_directory.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>

namespace heddle::host {

Result<ScratchDirectory> ScratchDirectory::create() {
  std::error_code none;
  std::string path = std::filesystem::temp_directory_path(none) / "heddle-XXXXXX";
  if (none) return system_error("find a directory for temporary files", none.value());
  if (::mkdtemp(path.data()) == nullptr) return system_error("make " + path, errno);
  return ScratchDirectory(path);
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code none;
  if (!path_.empty()) std::filesystem::remove_all(path_, none);
}

}  // namespace heddle::host
