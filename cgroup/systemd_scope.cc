#include "cgroup/systemd_scope.h"

#include <unistd.h>

#include <cstdlib>

#include "cgroup/formats.h"
#include "cgroup/home.h"
#include "common/file.h"

namespace heddle::cgroup {
namespace {

constexpr const char* kDone = "HEDDLE_SCOPE";
constexpr const char* kSystemctl = "/usr/bin/systemctl";

bool there(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

bool own_group_fits(const Layout& own) {
  std::string directory = directory_of(own.hierarchies[0]);
  Result<std::string> members = read_file(directory + "/cgroup.procs");
  return members && parse_pids(*members) == std::vector<pid_t>{::getpid()} &&
         ::access(directory.c_str(), W_OK) == 0 &&
         ::access((directory + "/cgroup.subtree_control").c_str(), W_OK) == 0;
}

}  // namespace

std::optional<std::vector<std::string>> scope_command(const ScopeFacts& facts,
                                                      const std::vector<std::string>& argv) {
  if (facts.version == Version::kV1 || facts.done || facts.own_fits) return std::nullopt;
  if (!facts.systemd || (!facts.root && !facts.user_manager)) return std::nullopt;
  std::vector<std::string> command = {"systemd-run", "--scope", "--quiet", "--collect"};
  if (!facts.root) command.push_back("--user");
  for (const std::string& word :
       {std::string("--slice=-.slice"), std::string("-p"),
        "CPUWeight=" + std::to_string(CpuWeight::kUrgent.value), std::string("-p"),
        std::string("Delegate=yes"), std::string("--setenv=") + kDone + "=1", std::string("--")})
    command.push_back(word);
  command.insert(command.end(), argv.begin(), argv.end());
  return command;
}

std::optional<std::vector<std::string>> weight_command(const ScopeFacts& facts,
                                                       const std::string& group, CpuWeight weight) {
  if (!facts.done || weight == CpuWeight::kUrgent || !group.ends_with(".scope"))
    return std::nullopt;
  std::vector<std::string> command = {kSystemctl};
  if (!facts.root) command.emplace_back("--user");
  for (const std::string& word :
       {std::string("set-property"), std::string("--runtime"), group.substr(group.rfind('/') + 1),
        "CPUWeight=" + std::to_string(weight.value)})
    command.push_back(word);
  return command;
}

ScopeFacts scope_facts(const Layout& own) {
  ScopeFacts facts;
  facts.version = own.version;
  facts.done = std::getenv(kDone) != nullptr;
  facts.own_fits = own.version == Version::kV2 && own_group_fits(own);
  facts.root = ::geteuid() == 0;
  facts.systemd =
      there("/run/systemd/system") && (there("/usr/bin/systemd-run") || there("/bin/systemd-run"));
  if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"))
    facts.user_manager = there(std::string(runtime) + "/systemd/private");
  return facts;
}

std::optional<std::vector<std::string>> systemd_scope_command(
    const std::vector<std::string>& argv) {
  Result<Layout> own = detect_here();
  if (!own) return std::nullopt;  // find_home reports the error
  return scope_command(scope_facts(*own), argv);
}

std::optional<std::vector<std::string>> scope_weight_command(CpuWeight weight) {
  Result<Layout> own = detect_here();
  if (!own) return std::nullopt;
  return weight_command(scope_facts(*own), own->hierarchies[0].path, weight);
}

}  // namespace heddle::cgroup
