#include "cli/machine/distribution.h"

#include <sstream>
#include <utility>

#include "common/file.h"

namespace heddle::cli {
namespace {

Distribution distribution_named(std::string_view word) {
  if (word == "debian" || word == "ubuntu") return Distribution::kDebian;
  if (word == "fedora" || word == "rhel" || word == "centos") return Distribution::kFedora;
  if (word == "arch") return Distribution::kArch;
  return Distribution::kUnknown;
}

std::string install_command(const std::string& command, const std::string& package) {
  return package == "-" ? "" : command + " " + package;
}

}  // namespace

Distribution distribution_of(std::string_view os_release) {
  std::string id, like;
  std::istringstream lines{std::string(os_release)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    std::string value = line.substr(equals + 1);
    std::erase_if(value, [](char c) { return c == '"' || c == '\''; });
    if (line.starts_with("ID=")) id = value;
    if (line.starts_with("ID_LIKE=")) like = value;
  }
  std::istringstream words(id + " " + like);
  for (std::string word; words >> word;)
    if (const Distribution found = distribution_named(word); found != Distribution::kUnknown)
      return found;
  return Distribution::kUnknown;
}

Distribution this_distribution() {
  const Result<std::string> text = read_file("/etc/os-release");
  return text ? distribution_of(*text) : Distribution::kUnknown;
}

std::string command_on(Distribution distribution, const Commands& commands) {
  const std::string& own = distribution == Distribution::kFedora ? commands.fedora
                           : distribution == Distribution::kArch ? commands.arch
                                                                 : commands.debian;
  if (distribution != Distribution::kUnknown && !own.empty()) return own;
  std::string text;
  for (const auto& [name, command] : {std::pair{"Debian, Ubuntu", &commands.debian},
                                      {"Fedora", &commands.fedora},
                                      {"Arch", &commands.arch}})
    if (!command->empty()) text += std::string(name) + ": " + *command + "\n";
  return text;
}

Commands install(const std::string& debian, const std::string& fedora, const std::string& arch) {
  return {install_command("apt install", debian), install_command("dnf install", fedora),
          install_command("pacman -S", arch)};
}

}  // namespace heddle::cli
