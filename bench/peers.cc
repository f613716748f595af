#include "bench/peers.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>

#include "bench/slurm.h"
#include "cgroup/ownership.h"
#include "cgroup/tree.h"
#include "common/file.h"
#include "wire/fields.h"

namespace heddle::bench {
namespace {

namespace fs = std::filesystem;
using wire::Json;

constexpr char kMounts[] = "/sys/fs/cgroup/";
constexpr std::chrono::milliseconds kGroupLimit(1000);

/// Starts a program for each task.
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
  bool named_;  ///< adds a unique name as the last word
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

LaunchPeer program_peer(const PeerMeans& means, const std::string& name,
                        std::vector<std::string> words, bool named) {
  auto way = std::make_shared<ProgramWay>(std::move(words), named);
  return {name,
          [name, way, &next_id = means.next_id](int at_once, int count) {
            return measure_launches(name, *way, at_once, count, next_id);
          },
          ""};
}

LaunchPeer crun_peer(const PeerMeans& means, const std::string& path) {
  const std::string crun = find_program("crun", path);
  if (crun.empty()) return missing("crun", "not installed");
  if (::geteuid() != 0) return missing("crun", "needs root");
  const std::string bundle = means.directory + "/bundle";
  if (Result<void> made = make_bundle(bundle, means.task_program); !made)
    return missing("crun", made.error().text);
  return program_peer(means, "crun",
                      {crun, "--root", means.directory + "/crun", "--cgroup-manager=cgroupfs",
                       "run", "--bundle", bundle},
                      true);
}

LaunchPeer cgexec_peer(const PeerMeans& means, const std::string& path) {
  const std::string cgexec = find_program("cgexec", path);
  if (cgexec.empty()) return missing("cgexec", "not installed");
  cgroup::Driver& driver = means.driver;
  const std::string group = cgroup::run_group(means.run) + "/cgexec";
  Result<void> made = cgroup::make_run_group(driver, cgroup::run_group(means.run));
  if (!made) return missing("cgexec", made.error().text);
  Result<std::vector<Fd>> held = cgroup::claim(driver, group, kGroupLimit);
  if (!held) return missing("cgexec", held.error().text);
  std::vector<std::string> words = cgexec_groups(driver.version(), driver.directories(group));
  if (words.empty()) return missing("cgexec", "control groups are mounted elsewhere");
  words.insert(words.begin(), cgexec);
  words.push_back(means.task_program);
  LaunchPeer peer = program_peer(means, "cgexec", std::move(words), false);
  // The group is held for as long as the peer can be measured.
  auto kept = std::make_shared<std::vector<Fd>>(*std::move(held));
  peer.measure = [kept, measure = peer.measure](int at_once, int count) {
    return measure(at_once, count);
  };
  return peer;
}

LaunchPeer slurm_peer(const PeerMeans& means, const std::string& path) {
  Result<SlurmArrays> slurm = SlurmArrays::find(path, means.task_program);
  if (!slurm) return missing("slurm", slurm.error().text);
  return {"slurm",
          [slurm = *slurm, stop = means.stop](int at_once, int count) -> Result<Json> {
            Result<real::Duration> took = slurm.run(count, at_once, stop);
            if (!took) return std::move(took).error();
            return launch_row("slurm", at_once, count, *took, {});
          },
          ""};
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

std::vector<LaunchPeer> launch_peers(const PeerMeans& means) {
  const char* variable = std::getenv("PATH");
  const std::string path = variable ? variable : "";
  return {cgexec_peer(means, path), crun_peer(means, path), slurm_peer(means, path)};
}

}  // namespace heddle::bench
