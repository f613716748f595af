#include "worker/command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "core/scenario/device_env.h"

namespace heddle::worker {
namespace {

void replace(std::string& text, std::string_view word, const std::string& value) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += value.size())
    text.replace(at, word.size(), value);
}

bool is_program(const std::string& text) {
  return !text.empty() && (text.front() == '/' || text.find('/') == std::string::npos);
}

/// Returns the word for what a command shares with the worker. An id that the run took for itself
/// can write into no directory that matters, but may leave files in those that are open to all. It
/// gets a read-only view, so that later users of the id find no such files.
const char* view_word(const CommandCage& cage) {
  if (!cage.own_namespaces) return kSharedWord;
  return cage.user.own ? kPrivateReadOnlyWord : kPrivateWord;
}

Result<Fd> make_directory(int parent, const std::string& name, const host::TaskUser& user) {
  if (::mkdirat(parent, name.c_str(), 0700) < 0)
    return system_error("make directory " + name, errno);
  Fd directory(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory) return system_error("open directory " + name, errno);
  if (user.uid != ::geteuid() && ::fchown(directory.get(), user.uid, user.gid) < 0)
    return system_error("give directory " + name + " to its user", errno);
  return directory;
}

std::string mib(std::int64_t bytes) {
  return fmt::format("{:.6g} MiB", static_cast<double>(bytes) / (1 << 20));
}

/// Returns what the reason says about the use of the disk that exceeded the output limit.
std::string details(std::int64_t use) {
  if (use == 0) return "";
  if (use == std::numeric_limits<std::int64_t>::max())
    return ": its files are too many or too deep to be measured";
  return ": its files take " + mib(use) + " of the disk";
}

}  // namespace

Result<void> check_command(const wire::LaunchCommand& launch) {
  if (launch.command.empty() || !is_program(launch.command[0]))
    return usage_error(
        "the command is not a program; expected an absolute path, or a name to look up in PATH");
  for (const std::string& argument : launch.command)
    if (argument.find('\0') != std::string::npos)
      return usage_error("an argument contains a zero byte");
  for (const std::string& variable : launch.environment)
    if (!is_device_setting(variable))
      return usage_error("\"" + variable.substr(0, 80) +
                         "\" is no variable for devices; expected one such as HEDDLE_GPU=0,3");
  return {};
}

bool is_programs_fault(CommandStep step, int error) {
  // execve fails with these errors if the machine is out of some resource (man 2 execve).
  const bool lacking =
      error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE || error == EIO;
  return step == CommandStep::kExec && !lacking;
}

std::vector<std::string> program_of(const wire::LaunchCommand& launch) {
  std::vector<std::string> words = launch.command;
  for (std::string& word : words) {
    replace(word, "{task}", std::to_string(launch.task));
    replace(word, "{attempt}", std::to_string(launch.attempt));
    replace(word, "{job}", launch.job);
  }
  return words;
}

std::vector<std::string> supervisor_arguments(const wire::LaunchCommand& launch,
                                              const CommandCage& cage,
                                              const std::vector<std::string>& groups) {
  const host::TaskUser& user = cage.user;
  std::vector<std::string> words = {kCommandWord,
                                    std::to_string(user.uid),
                                    std::to_string(user.gid),
                                    std::to_string(launch.output_limit.count()),
                                    view_word(cage),
                                    "PATH=/usr/local/bin:/usr/bin:/bin",
                                    "HOME=" + user.home,
                                    "LANG=C.UTF-8",
                                    "HEDDLE_JOB=" + launch.job,
                                    "HEDDLE_TASK=" + std::to_string(launch.task),
                                    "HEDDLE_ATTEMPT=" + std::to_string(launch.attempt)};
  words.insert(words.end(), launch.environment.begin(), launch.environment.end());
  words.push_back("--");
  words.insert(words.end(), cage.covered.begin(), cage.covered.end());
  words.push_back("--");
  words.insert(words.end(), groups.begin(), groups.end());
  words.push_back("--");
  std::vector<std::string> program = program_of(launch);
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

std::string limit_text(const ExceededLimit& exceeded, real::Bytes output_limit) {
  switch (exceeded.limit) {
    case CommandLimit::kNone:
      return "";
    case CommandLimit::kOutput:
      return "ended: it wrote more than its output_limit of " + mib(output_limit.count()) +
             details(exceeded.use);
    case CommandLimit::kDisk:
      return fmt::format(
          "ended: its files take {} of the disk of the results, where less than the reserve of {} "
          "is free; the output was removed",
          mib(exceeded.use), mib(exceeded.reserve));
    case CommandLimit::kFiles:
      return fmt::format(
          "ended: it has {} files on the disk of the results, where fewer than the reserve of {} "
          "inodes are free; the files were removed",
          exceeded.use, exceeded.reserve);
    case CommandLimit::kNearlyFull:
      return "ended: the disk of the results is nearly full; the output was removed";
  }
  return "";
}

std::string start_hint(const std::string& program, const CommandCage* cage) {
  if (cage == nullptr || !cage->own_namespaces) return "";
  for (const char* directory : {"/tmp/", "/var/tmp/", "/dev/shm/", "/run/user/"})
    if (program.starts_with(directory))
      return fmt::format(" (a command sees an empty {}; keep programs elsewhere)",
                         std::string_view(directory).substr(0, std::strlen(directory) - 1));
  return "";
}

std::string directory_name(const wire::LaunchCommand& launch) {
  return launch.job + "-" + launch.phase + "-" + std::to_string(launch.task) + "-" +
         std::to_string(launch.attempt);
}

Result<Fd> make_command_directory(int logs, const wire::LaunchCommand& launch,
                                  const host::TaskUser& user) {
  std::string name = directory_name(launch);
  Result<Fd> made = make_directory(logs, name, user);
  if (!made && made.error().code == EEXIST)
    made = make_directory(logs, name + "-c" + std::to_string(launch.container.value), user);
  return made;
}

}  // namespace heddle::worker
