#include "bench/peers.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "cgroup/tree.h"
#include "common/file.h"
#include "common/wire/fields.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using wire::Json;

constexpr char kMounts[] = "/sys/fs/cgroup/";

/// A program that is started anew for each.
class ProgramWay : public LaunchWay {
 public:
  explicit ProgramWay(std::vector<std::string> words, bool named)
      : words_(std::move(words)), named_(named) {
    ::posix_spawn_file_actions_init(&files_);
    for (int fd : {STDOUT_FILENO, STDERR_FILENO})
      ::posix_spawn_file_actions_addopen(&files_, fd, "/dev/null", O_WRONLY, 0);
  }
  ProgramWay(const ProgramWay&) = delete;
  ProgramWay& operator=(const ProgramWay&) = delete;
  ~ProgramWay() override { ::posix_spawn_file_actions_destroy(&files_); }

  Result<void> start(std::int64_t id) override {
    std::vector<std::string> words = words_;
    if (named_) words.push_back("heddle-bench-" + std::to_string(id));
    Result<pid_t> pid = children_.spawn(id, words, &files_);
    return pid ? Result<void>() : std::move(pid).error();
  }
  Result<std::vector<std::int64_t>> wait() override { return children_.wait(kTaskExitPage); }

 private:
  std::vector<std::string> words_;
  bool named_;  ///< the last word is a name of its own
  posix_spawn_file_actions_t files_{};
  SpawnedChildren children_;
};

LaunchPeer missing(const std::string& name, const std::string& note) {
  return {name, nullptr, note};
}

Result<void> make_bundle(const std::string& directory, const std::string& task_program) {
  std::error_code error;
  for (const char* below : {"/rootfs/proc", "/rootfs/dev"})
    if (!error) fs::create_directories(directory + below, error);
  if (!error) fs::copy_file(task_program, directory + "/rootfs/task", error);
  if (error) return system_error("make " + directory, error.value());
  Json namespaces = Json::array();
  for (const char* type : {"mount", "pid", "ipc", "uts"}) namespaces.push_back({{"type", type}});
  const Json mounts = {{{"destination", "/proc"}, {"type", "proc"}, {"source", "proc"}},
                       {{"destination", "/dev"}, {"type", "tmpfs"}, {"source", "tmpfs"}}};
  const Json config = {{"ociVersion", "1.0.0"},
                       {"process",
                        {{"terminal", false},
                         {"user", {{"uid", 0}, {"gid", 0}}},
                         {"args", {"/task"}},
                         {"cwd", "/"}}},
                       {"root", {{"path", "rootfs"}, {"readonly", true}}},
                       {"mounts", mounts},
                       {"linux", {{"namespaces", namespaces}}}};
  return replace_file(directory + "/config.json", config.dump(2));
}

LaunchPeer crun_peer(const std::string& path, const std::string& directory,
                     const std::string& task_program) {
  const std::string crun = find_program("crun", path);
  if (crun.empty()) return missing("crun", "not installed");
  if (::geteuid() != 0) return missing("crun", "needs root");
  const std::string bundle = directory + "/bundle";
  if (Result<void> made = make_bundle(bundle, task_program); !made)
    return missing("crun", made.error().text);
  return {"crun",
          std::make_unique<ProgramWay>(
              std::vector<std::string>{crun, "--root", directory + "/crun",
                                       "--cgroup-manager=cgroupfs", "run", "--bundle", bundle},
              true),
          ""};
}

LaunchPeer cgexec_peer(cgroup::Driver& driver, const std::string& run, const std::string& path,
                       const std::string& task_program) {
  const std::string cgexec = find_program("cgexec", path);
  if (cgexec.empty()) return missing("cgexec", "not installed");
  const std::string group = cgroup::run_group(run) + "/cgexec";
  Result<void> made = driver.create(cgroup::run_group(run));
  if (made) made = driver.create(group);
  if (!made) return missing("cgexec", made.error().text);
  std::vector<std::string> words = cgexec_groups(driver.version(), driver.directories(group));
  if (words.empty()) return missing("cgexec", "control groups are mounted elsewhere");
  words.insert(words.begin(), cgexec);
  words.push_back(task_program);
  return {"cgexec", std::make_unique<ProgramWay>(std::move(words), false), ""};
}

}  // namespace

std::string find_program(const std::string& name, const std::string& path) {
  std::istringstream directories(path);
  for (std::string directory; std::getline(directories, directory, ':');) {
    std::string file = directory + "/" + name;
    if (!directory.empty() && ::access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

std::vector<std::string> cgexec_groups(cgroup::Version version,
                                       const std::vector<std::string>& directories) {
  std::vector<std::string> words;
  for (const std::string& directory : directories) {
    if (!directory.starts_with(kMounts)) return {};
    const std::string below = directory.substr(sizeof kMounts - 1);
    const std::size_t slash = below.find('/');
    words.emplace_back("-g");
    if (version == cgroup::Version::kV2) {
      words.push_back("cpu,memory:" + below);
      continue;
    }
    if (slash == std::string::npos) return {};
    words.push_back(below.substr(0, slash) + ":" + below.substr(slash));
  }
  return words;
}

std::vector<LaunchPeer> launch_peers(cgroup::Driver& driver, const std::string& run,
                                     const std::string& directory,
                                     const std::string& task_program) {
  const char* variable = std::getenv("PATH");
  const std::string path = variable ? variable : "";
  std::vector<LaunchPeer> peers;
  peers.push_back(cgexec_peer(driver, run, path, task_program));
  peers.push_back(crun_peer(path, directory, task_program));
  return peers;
}

}  // namespace heddle
