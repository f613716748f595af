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

/// What to tell who asked for `word`: "" if it is a command that can be run, else why it can't be.
std::string check_command(std::string_view word);
/// The same for a bench.
std::string check_bench(std::string_view word);

}  // namespace heddle::cli
