#include "common/installed.h"

#include <string>
#include <system_error>
#include <vector>

#include "common/text.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

/// Returns the directory of the running program, or "" if it is unknown.
fs::path own_directory() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path() : self.parent_path();
}

}  // namespace

bool in_build_tree(const fs::path& directory) { return is_there(directory / "../CMakeCache.txt"); }

std::string program_path(const fs::path& directory, const std::string& name) {
  // Programs in libexec/heddle/ look for those in bin/ in the other direction.
  for (const char* place : {".", HEDDLE_BIN_TO_LIBEXEC, HEDDLE_LIBEXEC_TO_BIN})
    if (const fs::path path = (directory / place / name).lexically_normal(); is_there(path))
      return path;
  return directory / name;
}

std::vector<std::string> data_places(const fs::path& directory, const std::string& name) {
  // Outside of a build tree, the directory above can be any directory of the user.
  const auto places = in_build_tree(directory)
                          ? std::vector<std::string>{"../.."}
                          : std::vector<std::string>{HEDDLE_BIN_TO_DATA,
                                                     HEDDLE_LIBEXEC_TO_BIN "/" HEDDLE_BIN_TO_DATA};
  std::vector<std::string> paths;
  for (const std::string& place : places)
    paths.push_back((directory / place / name).lexically_normal());
  return paths;
}

std::string data_path(const fs::path& directory, const std::string& name) {
  for (const std::string& path : data_places(directory, name))
    if (is_there(path)) return path;
  return "";
}

std::string program_path(const std::string& name) { return program_path(own_directory(), name); }

std::string data_path(const std::string& name) { return data_path(own_directory(), name); }

std::vector<std::string> data_places(const std::string& name) {
  return data_places(own_directory(), name);
}

std::string missing_data(const std::string& name) {
  const std::vector<std::string> places = data_places(name);
  return name + " of Heddle is missing: " + join(places, " and ") +
         (places.size() == 1 ? " does" : " do") +
         " not exist; install Heddle again, or run it where it was built";
}

}  // namespace heddle
