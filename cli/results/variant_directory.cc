#include "cli/results/variant_directory.h"

#include <cctype>
#include <string_view>

namespace heddle::cli {

std::string directory_of(const std::string& name) {
  std::string directory;
  for (char c : name.substr(0, kLongestDirectory)) {
    const bool usual = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view("._-+=#,").find(c) != std::string_view::npos;
    directory += usual ? c : '_';
  }
  if (directory.starts_with('.') || directory.starts_with('-')) directory[0] = '_';
  return directory;
}

}  // namespace heddle::cli
