#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::cli {

/// A word after `heddle`, or after `heddle bench`. Help, the check of unknown words and docs read
/// this one table.
struct CommandInfo {
  std::string name;
  std::string summary;
};

const std::vector<CommandInfo>& commands();
const std::vector<CommandInfo>& benches();

/// The error if the table has no command or bench (`what`) named `word`, with the nearest name and
/// all names; "" if it has one.
std::string check_word(const std::string& what, const std::vector<CommandInfo>& table,
                       std::string_view word);

}  // namespace heddle::cli
