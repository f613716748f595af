#include "worker/process_state.h"

#include <charconv>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>

#include "common/file.h"

namespace heddle::worker {

char state_of(std::string_view stat) {
  std::size_t end = stat.rfind(')');
  if (end == std::string_view::npos || end + 2 >= stat.size()) return 0;
  return stat[end + 2];
}

bool is_pending(int signal, std::string_view status) {
  for (std::string_view key : {"ShdPnd:\t", "SigPnd:\t"}) {
    std::size_t at = status.find(key);
    if (at == std::string_view::npos) continue;
    std::string_view digits = status.substr(at + key.size(), 16);
    std::uint64_t signals = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), signals, 16);
    if (signals >> (signal - 1) & 1) return true;
  }
  return false;
}

bool is_stopped(pid_t process) {
  std::error_code error;
  std::filesystem::directory_iterator threads("/proc/" + std::to_string(process) + "/task", error);
  for (; !error && threads != std::filesystem::directory_iterator(); threads.increment(error)) {
    Result<std::string> stat = read_file(threads->path().string() + "/stat");
    if (!stat) continue;  // the thread has just ended
    char state = state_of(*stat);
    if (state == 'T' || state == 'Z' || state == 'X') continue;
    if (state != 'D') return false;
    Result<std::string> status = read_file(threads->path().string() + "/status");
    if (status && !is_pending(SIGSTOP, *status)) return false;
  }
  return true;
}

}  // namespace heddle::worker
