#include "cli/base/shipped.h"

#include <filesystem>
#include <system_error>

#include "common/installed.h"

namespace heddle::cli {

std::string shipped_or_own(const std::string& path) {
  std::error_code error;
  const std::filesystem::path name = std::filesystem::path(path).lexically_normal();
  if (name.empty() || *name.begin() != "scenarios" || std::filesystem::exists(path, error))
    return path;
  const std::string shipped = data_path(name.string());
  return shipped.empty() ? path : shipped;
}

}  // namespace heddle::cli
