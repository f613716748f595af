#include "common/host_clock.h"

#include <unistd.h>

#include <array>

#include "common/file.h"

namespace heddle {

std::string host_name() {
  std::array<char, 65> name{};  // HOST_NAME_MAX and the terminating zero
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string host_clock() {
  Result<std::string> boot = read_file("/proc/sys/kernel/random/boot_id");
  if (!boot) return "host " + host_name();
  while (boot->ends_with('\n')) boot->pop_back();
  std::array<char, 64> space{};
  const ssize_t size = ::readlink("/proc/self/ns/time", space.data(), space.size());
  return *boot + (size > 0 ? " " + std::string(space.data(), static_cast<std::size_t>(size)) : "");
}

}  // namespace heddle
