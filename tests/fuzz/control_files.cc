#include <array>
#include <csignal>

#include "cgroup/detect.h"
#include "cgroup/formats.h"
#include "cli/run/host.h"
#include "common/proc_files.h"
#include "host/host_resources.h"
#include "host/run_directory.h"
#include "tests/fuzz/targets.h"
#include "worker/process_state.h"

namespace heddle::fuzz {
namespace {

void one_file(const std::string& text) {
  using namespace cgroup;
  if (const auto quota = parse_cpu_max(text)) {
    const CpuCap cap = representable(cap_of(*quota), Rounding::kDown);
    require(quota->quota < 0 || parse_cpu_max(cpu_max_text(quota_of(cap))) == quota_of(cap),
            "a quota is the same after writing and reading");
  }
  (void)parse_number(text);
  if (const auto limit = parse_limit(text)) (void)limit_text(*limit);
  for (const char* key : {"oom_kill", "usage_usec", "populated", ""}) (void)keyed_number(text, key);
  const std::vector<pid_t> pids = parse_pids(text);
  require(std::is_sorted(pids.begin(), pids.end()), "processes ascend");
  (void)parse_words(text);
  (void)meminfo_bytes(text, "MemAvailable");
  (void)busy_time(text, 100);
  (void)cli::host_cpu_in(text, 100);
  (void)host::start_time_in(text);
  (void)heddle::worker::state_of(text);
  (void)heddle::worker::is_pending(SIGSTOP, text);
  require(host::count_cpus(text) >= 0, "CPUs are counted");
}

/// Reads the machine's mounts and this process's groups. Every other file has the content `file`.
void machine(std::string_view mounts, std::string_view groups, const std::string& file) {
  const Result<cgroup::Layout> layout = cgroup::detect(mounts, groups);
  if (layout) {
    const std::string address = cgroup::address_of(*layout);
    (void)cgroup::layout_at(address, *layout);
    (void)cgroup::layout_at(file, *layout);
  }
  const HostResources room =
      host::host_resources([&](const std::string& path) -> std::optional<std::string> {
        if (path == "/proc/self/mountinfo") return std::string(mounts);
        if (path == "/proc/self/cgroup") return std::string(groups);
        return file;
      });
  require(room.cpus.value > 0, "there is a CPU");
}

}  // namespace

/// Splits the input into up to three files, separated by lines "--".
bool control_files(std::string_view input) {
  constexpr std::string_view kBetween = "\n--\n";
  std::array<std::string_view, 3> files;
  for (std::string_view& file : files) {
    file = input.substr(0, input.find(kBetween));
    input.remove_prefix(std::min(file.size() + kBetween.size(), input.size()));
  }
  one_file(std::string(files[0]));
  machine(files[0], files[1], std::string(files[2]));
  return true;
}

}  // namespace heddle::fuzz
