#include "cli/batch/engine/command_output.h"

#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "host/child.h"

namespace heddle::cli {
namespace {

constexpr int kMostMs = 60000, kWordsShown = 5;
constexpr std::size_t kMostOutput = 16 << 20;

}  // namespace

std::string find_program(const std::string& name) {
  const char* variable = std::getenv("PATH");
  const std::string path = variable ? variable : "";
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string file = path.substr(begin, end - begin) + "/" + name;
    if (end > begin && ::access(file.c_str(), X_OK) == 0 && !std::filesystem::is_directory(file))
      return file;
    begin = end + 1;
  }
  return "";
}

Result<std::string> output_of(const std::vector<std::string>& words) {
  std::vector<std::string> argv = words;
  argv[0] = find_program(words[0]);
  if (argv[0].empty())
    return machine_error(words[0] +
                         ": no such program in $PATH; expected a host from which jobs "
                         "can be submitted");
  Result<host::Child> child = host::Child::spawn(argv, STDIN_FILENO);
  if (!child) return std::move(child).error();
  pollfd item{child->pidfd(), POLLIN, 0};
  if (::poll(&item, 1, kMostMs) != 1) {
    child->signal(SIGKILL);
    child->wait();
    return machine_error(words[0] + ": did not end within a minute");
  }
  child->reap();
  if (child->end()->signal || child->end()->code != 0)
    return machine_error(words[0] + ": " + host::words_of(*child, kWordsShown));
  return child->output(kMostOutput);
}

}  // namespace heddle::cli
