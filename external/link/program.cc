#include "external/link/program.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "common/directory.h"
#include "common/file.h"
#include "common/text.h"
#include "host/policy_mark.h"

extern char** environ;

namespace heddle::external {
namespace {

constexpr int kShownLines = 8;
constexpr std::size_t kMostOutput = 8 << 20;  ///< more than what is kept
/// Time in which a program can end by itself after the run has told it so, and after SIGTERM.
constexpr int kFinishMs = 50, kEndMs = 500;
constexpr const char* kRecord = "record.json";
constexpr std::size_t kMostRecord = 1 << 20;
constexpr std::string_view kEndpointMark = "{endpoint}";
/// Variables that a program of another user gets from this process.
constexpr std::string_view kPassedOn[] = {"PATH=", "LANG=", "LC_", "TZ=", "PYTHON", "VIRTUAL_ENV="};

/// Returns the variables of this process that the program gets.
std::vector<std::string> environment(std::optional<host::TaskUser> user) {
  if (user && user->uid == ::geteuid()) user.reset();
  std::vector<std::string> variables;
  for (char** at = environ; *at; ++at) {
    const std::string_view variable(*at);
    bool passed = !user;
    for (const std::string_view prefix : kPassedOn) passed |= variable.starts_with(prefix);
    if (passed) variables.emplace_back(variable);
  }
  if (user) variables.push_back("HOME=" + user->home);
  return variables;
}

void add_modules(const std::string& modules, std::vector<std::string>& variables) {
  if (modules.empty()) return;
  for (std::string& variable : variables)
    if (variable.starts_with("PYTHONPATH=")) {
      variable += ":" + modules;
      return;
    }
  variables.push_back("PYTHONPATH=" + modules);
}

std::string replaced(std::string text, std::string_view mark, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += by.size())
    text.replace(at, mark.size(), by);
  return text;
}

/// Returns what the user can do about an error of exec.
std::string hint(const std::string& path, int error) {
  if (error == ENOEXEC) return "; a script begins with a line such as #!/usr/bin/env python3";
  if (error == EACCES) {
    std::error_code failed;
    const auto status = std::filesystem::status(path, failed);
    const auto any = std::filesystem::perms::owner_exec | std::filesystem::perms::group_exec |
                     std::filesystem::perms::others_exec;
    if (!failed && (status.permissions() & any) == std::filesystem::perms::none)
      return "; make it executable with chmod +x";
    return "; its user must be able to read and execute it";
  }
  return "";
}

}  // namespace

Result<Program> Program::start(const ExternalSpec& spec, const std::optional<host::TaskUser>& user,
                               const std::string& modules, const ProgramPlace& place) {
  const auto note = [&](const std::string& path) -> Result<void> {
    if (!place.record) return {};
    return place.record->note_program({path, user ? user->uid : ::geteuid()});
  };
  Result<host::ScratchDirectory> directory = host::ScratchDirectory::create(note);
  if (!directory) return std::move(directory).error();
  const std::string socket = *directory / host::kPolicySocket;
  if (user && ::geteuid() == 0 && ::chown((*directory / ".").c_str(), user->uid, user->gid) != 0)
    return system_error("give a directory to the policy's user", errno);
  Program program(*std::move(directory), "ipc://" + socket);

  std::error_code failed;
  const std::filesystem::path path = std::filesystem::absolute(spec.program, failed);
  std::vector<std::string> words = {path.string()};
  for (const std::string& argument : spec.arguments)
    words.push_back(replaced(argument, kEndpointMark, program.endpoint_));
  std::vector<std::string> variables = environment(user);
  variables.push_back(host::policy_variable(program.endpoint_));
  variables.push_back("HEDDLE_POLICY_RECORD=" + (program.directory_ / kRecord));
  add_modules(modules, variables);
  if (::access(words[0].c_str(), F_OK) != 0) return system_error("start " + spec.program, errno);
  Result<host::Child> child = host::Child::spawn(words, {.inherited = {},
                                                         .user = user,
                                                         .environment = variables,
                                                         .bounded_output = true,
                                                         .groups = place.groups});
  if (!child) {
    Error error = std::move(child).error();
    error.text += hint(words[0], error.code);
    return error;
  }
  program.child_ = std::make_unique<host::Child>(*std::move(child));
  return program;
}

std::optional<Error> Program::ended() {
  if (!child_) return std::nullopt;
  child_->reap();
  if (child_->running()) return std::nullopt;
  const std::string words = child_->last_words(kShownLines);
  return aborted_error("the program ended: " + host::describe(*child_->end()) +
                       (words.empty() ? "" : ":\n" + words));
}

std::string Program::record() const {
  const Result<Directory> directory = Directory::open(directory_ / "");
  const Result<Fd> file =
      directory ? directory->open_file(kRecord, O_RDONLY) : Result<Fd>(directory.error());
  if (!file) return "";
  const Result<std::string> text = read_found_file(proc_path_of(*file), kMostRecord);
  return text ? *text : "";
}

void Program::end() {
  if (!child_) return;
  pollfd item{child_->pidfd(), POLLIN, 0};
  if (child_->running() && ::poll(&item, 1, kFinishMs) == 0) {
    child_->signal(SIGTERM);
    (void)::poll(&item, 1, kEndMs);
  }
  // The leader is not reaped yet, so its group still belongs to the program.
  child_->signal_group(SIGKILL);
  child_->signal(SIGKILL);
  child_->wait();
  cpu_s_ = child_->cpu_s();
  output_ = child_->output(kMostOutput);
  child_.reset();
}

}  // namespace heddle::external
