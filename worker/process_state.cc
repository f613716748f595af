#include "worker/process_state.h"

#include <filesystem>
#include <string>

#include "common/file.h"

namespace heddle::worker {

char state_of(std::string_view stat) {
  std::size_t end = stat.rfind(')');
  if (end == std::string_view::npos || end + 2 >= stat.size()) return 0;
  return stat[end + 2];
}

bool is_stopped(pid_t process) {
  std::error_code error;
  std::filesystem::directory_iterator threads("/proc/" + std::to_string(process) + "/task", error);
  for (; !error && threads != std::filesystem::directory_iterator(); threads.increment(error)) {
    Result<std::string> stat = read_file(threads->path().string() + "/stat");
    if (!stat) continue;  // ended meanwhile
    char state = state_of(*stat);
    if (state != 'T' && state != 'Z' && state != 'X') return false;
  }
  return true;
}

}  // namespace heddle::worker
