#include "common/listener.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <string>

#include "common/fd.h"

namespace heddle {

bool is_listened_on(std::string_view endpoint) {
  constexpr std::string_view kIpc = "ipc://";
  if (!endpoint.starts_with(kIpc)) return false;
  const std::string path(endpoint.substr(kIpc.size()));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return false;  // no socket can have this path
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace heddle
