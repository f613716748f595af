#include "cgroup/setup_advice.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>

#include "cgroup/formats.h"
#include "cgroup/systemd_scope.h"
#include "common/file.h"
#include "common/text.h"

namespace heddle::cgroup {
namespace {

const std::vector<std::string> kNeeded = {"cpu", "memory", "pids"};

/// Returns the commands that delegate the missing controllers to users' sessions. A session's
/// manager has only the controllers that the system's manager delegates to it.
std::vector<std::string> grant(const SetupFacts& facts) {
  const std::string dropin = "/etc/systemd/system/user@.service.d";
  return {"# as root, once: the sessions of users lack " + join(facts.missing, " and "),
          "mkdir -p " + dropin,
          "printf '[Service]\\nDelegate=cpu memory pids\\n' >" + dropin + "/heddle.conf",
          "systemctl daemon-reload",
          "systemctl restart user@" + std::to_string(facts.uid) + ".service  # ends the session"};
}

SetupOption session(const SetupFacts& facts) {
  SetupOption way{"a systemd session", {}};
  if (!facts.user_manager)
    way.lines = {"# log in by ssh or at a terminal (su and sudo make no session); or, as root:",
                 "loginctl enable-linger " + facts.user, "# and then, as " + facts.user + ":",
                 "export XDG_RUNTIME_DIR=/run/user/" + std::to_string(facts.uid)};
  else if (!facts.missing.empty())
    way.lines = grant(facts);
  way.lines.insert(way.lines.end(),
                   {"# heddle run does this by itself",
                    "systemd-run --user --scope -p Delegate=yes heddle run SCENARIO"});
  return way;
}

SetupOption unit(const SetupFacts& facts) {
  return {"a systemd unit, made by root",
          {"# as root; in a unit file: User=" + facts.user +
               ", Delegate=yes, and no shell around heddle",
           "systemd-run --pty --same-dir --uid=" + facts.user +
               " -p Delegate=yes heddle run SCENARIO"}};
}

// A delegated group is called heddle.USER, because runs of root remove groups heddle-* that do not
// belong to a living run.

SetupOption subtree(const SetupFacts& facts) {
  const std::string& mount = facts.layout.hierarchies[0].mount;
  const std::string group = shell_word(mount + "/heddle." + facts.user);
  return {
      "a subtree that root delegates, with this shell in it",
      {"# as root", "echo '+cpu +memory +pids' >" + shell_word(mount + "/cgroup.subtree_control"),
       "mkdir -p " + group + "/shell",
       "cd " + group + " && chown " + facts.user +
           " . cgroup.procs cgroup.threads cgroup.subtree_control",
       "echo " + std::to_string(facts.shell) + " >" + group + "/shell/cgroup.procs",
       "# then, as " + facts.user + " in that shell:", "heddle run SCENARIO"}};
}

SetupOption v1_groups(const SetupFacts& facts) {
  SetupOption way{
      "a group that root makes in each hierarchy (with cgroup v1 a user has no other way)",
      {"# as root"}};
  for (const Hierarchy& hierarchy : facts.layout.hierarchies) {
    const std::string group = shell_word(hierarchy.mount + "/heddle." + facts.user);
    way.lines.push_back("mkdir -p " + group + " && chown " + facts.user + " " + group);
  }
  way.lines.insert(way.lines.end(), {"# then, as " + facts.user + ":",
                                     "heddle run SCENARIO --cgroup /heddle." + facts.user});
  return way;
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

std::string user_name() {
  const passwd* entry = ::getpwuid(::geteuid());
  return entry ? entry->pw_name : std::to_string(::geteuid());
}

std::vector<std::string> missing_in(const std::string& directory) {
  const Result<std::string> text = read_file(directory + "/cgroup.controllers");
  const std::vector<std::string> have = parse_words(text ? *text : "");
  std::vector<std::string> missing;
  for (const std::string& name : kNeeded)
    if (std::find(have.begin(), have.end(), name) == have.end()) missing.push_back(name);
  return missing;
}

}  // namespace

std::vector<SetupOption> setup_options(const SetupFacts& facts) {
  if (facts.layout.version == Version::kV1) {
    if (!facts.root) return {v1_groups(facts)};
    return {
        {"groups that are not mounted read-only",
         {"# as root of the host, or in a container with --privileged", "heddle run SCENARIO"}}};
  }
  if (facts.root) {
    std::vector<SetupOption> ways;
    if (facts.systemd)
      ways.push_back({"a systemd scope",
                      {"# heddle run does this by itself",
                       "systemd-run --scope -p Delegate=yes heddle run SCENARIO"}});
    ways.push_back(
        {"a group that holds no process",
         {"# in a container: one with --privileged, or whose cgroup.procs lists only this shell",
          "heddle run SCENARIO --cgroup /heddle.home"}});
    return ways;
  }
  std::vector<SetupOption> ways;
  if (facts.systemd) ways = {session(facts), unit(facts)};
  ways.push_back(subtree(facts));
  return ways;
}

std::string format_options(const std::vector<SetupOption>& ways) {
  std::string text;
  for (const SetupOption& way : ways) {
    if (!text.empty()) text += "or ";
    text += way.title + "\n";
    for (const std::string& line : way.lines) text += "  " + line + "\n";
  }
  return text;
}

Result<SetupFacts> setup_facts() {
  Result<Layout> layout = detect_here();
  if (!layout) return std::move(layout).error();
  const ScopeFacts systemd = scope_facts(*layout);
  SetupFacts facts{.root = ::geteuid() == 0,
                   .user = user_name(),
                   .uid = ::geteuid(),
                   .shell = ::getppid(),
                   .systemd = systemd.systemd,
                   .user_manager = systemd.user_manager,
                   .layout = *layout,
                   .missing = {}};
  if (layout->version != Version::kV2) return facts;
  const std::string uid = std::to_string(facts.uid);
  const std::string manager =
      layout->hierarchies[0].mount + "/user.slice/user-" + uid + ".slice/user@" + uid + ".service";
  facts.missing = missing_in(exists(manager) ? manager : directory_of(layout->hierarchies[0]));
  return facts;
}

std::string setup_advice() {
  const Result<SetupFacts> facts = setup_facts();
  return facts ? format_options(setup_options(*facts)) : "";
}

}  // namespace heddle::cgroup
