#include "common/command_line/version.h"

#include "common/command_line/commit.h"  // made by the build

namespace heddle {
namespace {

std::string compiler() {
#ifdef __clang__
  return "clang++ " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__);
#else
  return "g++ " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__);
#endif
}

}  // namespace

std::string version_text(const std::string& program) {
  return program + " " HEDDLE_VERSION "\n" + commit_text() + "\nbuilt by " + compiler() +
         ", " HEDDLE_BUILD_TYPE;
}

std::string commit_text() { return "commit " HEDDLE_COMMIT " of " HEDDLE_COMMIT_DATE; }

std::string commit_name() {
  const std::string name = HEDDLE_COMMIT;
  return name.ends_with(',') ? name.substr(0, name.size() - 1) : name;
}

std::string commit_date() { return HEDDLE_COMMIT_DATE; }

}  // namespace heddle
