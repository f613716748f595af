#include "cli/base/shipped.h"

#include <filesystem>
#include <system_error>

#include "common/installed.h"
#include "common/text.h"

namespace heddle::cli {

std::string shipped_or_own(const std::string& path) {
  std::error_code error;
  const std::filesystem::path name = std::filesystem::path(path).lexically_normal();
  if (name.empty() || *name.begin() != "scenarios" || std::filesystem::exists(path, error))
    return path;
  const std::string shipped = data_path(name.string());
  return shipped.empty() ? path : shipped;
}

Error with_shipped_places(Error error, const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path name = std::filesystem::path(path).lexically_normal();
  if (!name.empty() && *name.begin() == "scenarios" && !std::filesystem::exists(path, ignored))
    error.text +=
        "; Heddle's own scenarios were looked for as " + join(data_places(name.string()), " and ");
  return error;
}

}  // namespace heddle::cli
