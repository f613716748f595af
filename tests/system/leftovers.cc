#include "tests/system/leftovers.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "common/file.h"
#include "tests/system/process.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr int kDepth = 3;  ///< a base directory, a run's directory, its files

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Returns the links of /proc/PID that name files the process uses.
std::vector<std::string> uses_of(const std::string& process) {
  std::vector<std::string> links = {process + "/cwd", process + "/root", process + "/exe"};
  std::error_code error;
  for (fs::directory_iterator it(process + "/fd", error), end; !error && it != end;
       it.increment(error))
    links.push_back(it->path());
  std::vector<std::string> uses;
  for (const std::string& link : links) {
    std::error_code gone;
    uses.push_back(fs::read_symlink(link, gone));
  }
  return uses;
}

bool bears(const std::string& process, const std::string& run) {
  for (const char* file : {"/cmdline", "/environ", "/cgroup"})
    if (has(text_of(process + file), run)) return true;
  for (const std::string& use : uses_of(process))
    if (has(use, run)) return true;
  return false;
}

std::vector<std::string> processes_of(const std::string& run) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
    const pid_t pid = std::atoi(it->path().filename().c_str());
    if (pid <= 0 || pid == ::getpid() || !bears(it->path(), run) || !alive(pid)) continue;
    std::string line = text_of(it->path().string() + "/cmdline");
    for (char& c : line)
      if (c == '\0') c = ' ';
    found.push_back(std::to_string(pid) + " (" + line + ")");
  }
  return found;
}

std::vector<std::string> cgroup_mounts() {
  std::vector<std::string> points;
  std::istringstream mounts(text_of("/proc/self/mounts"));
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string device, point, type;
    words >> device >> point >> type;
    if (type.starts_with("cgroup")) points.push_back(point);
  }
  return points;
}

/// Finds everything below the directory with the run's id in its name, down to `depth` levels. If a
/// directory vanishes meanwhile, only its own search ends.
void search(const std::string& directory, const std::string& run, int depth,
            std::set<std::string>& found) {
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    if (has(it->path().filename(), run)) found.insert(it->path());
    std::error_code gone;
    if (depth > 1 && it->symlink_status(gone).type() == fs::file_type::directory)
      search(it->path(), run, depth - 1, found);
  }
}

std::vector<std::string> groups_with(const std::string& run) {
  std::set<std::string> found;
  for (const std::string& point : cgroup_mounts()) search(point, run, 100, found);
  return {found.begin(), found.end()};
}

std::vector<std::string> files_of(const std::string& run) {
  std::set<std::string> found;
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  const std::string user = std::to_string(::geteuid());
  std::set<std::string> bases = {"/run/heddle", "/tmp/heddle-" + user, "/run/user/" + user};
  if (runtime != nullptr) bases.insert(runtime);
  for (const std::string& base : bases) search(base, run, kDepth, found);
  for (const char* directory : {"/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run", "/run/lock"})
    search(directory, run, 1, found);
  std::istringstream sockets(text_of("/proc/net/unix"));
  for (std::string line; std::getline(sockets, line);) {
    const std::size_t name = line.rfind(' ');
    if (has(line, run) && name != std::string::npos)
      found.insert("socket " + line.substr(name + 1));
  }
  return {found.begin(), found.end()};
}

}  // namespace

std::vector<std::string> Leftovers::all() const {
  std::vector<std::string> everything;
  for (const std::vector<std::string>* some : {&processes, &groups, &files})
    everything.insert(everything.end(), some->begin(), some->end());
  return everything;
}

Leftovers leftovers_of(const std::string& run) {
  if (run.empty()) return {{"there is no run to look for"}, {}, {}};
  return {processes_of(run), groups_with(run), files_of(run)};
}

std::vector<std::string> left_of(const std::string& run, std::chrono::milliseconds patience) {
  std::vector<std::string> left;
  eventually(
      [&] {
        left = leftovers_of(run).all();
        return left.empty();
      },
      run.empty() ? std::chrono::milliseconds(0) : patience);
  return left;
}

}  // namespace heddle
