#include "worker/data/data_port.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

namespace heddle::worker {
namespace {

constexpr int kWaiting = 128;  ///< connections that wait to be accepted

std::string text_of(const in_addr& address) {
  std::array<char, INET_ADDRSTRLEN> text{};
  ::inet_ntop(AF_INET, &address, text.data(), text.size());
  return text.data();
}

Result<sockaddr_in> local_end(int socket) {
  sockaddr_in end{};
  socklen_t size = sizeof end;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&end), &size) < 0)
    return system_error("ask for the local address", errno);
  return end;
}

}  // namespace

Result<std::string> local_address_to(const std::string& master) {
  const std::string where = master.substr(std::strlen("tcp://"));
  const std::size_t colon = where.rfind(':');
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_DGRAM;  // connect(2) then only looks up the route
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(where.substr(0, colon).c_str(), where.substr(colon + 1).c_str(),
                                   &hints, &found);
  if (failed != 0) return machine_error("--connect " + master + ": " + ::gai_strerror(failed));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> freed(found, ::freeaddrinfo);
  const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket || ::connect(socket.get(), found->ai_addr, found->ai_addrlen) < 0)
    return system_error("--connect " + master, errno);
  Result<sockaddr_in> end = local_end(socket.get());
  if (!end) return std::move(end).error();
  return text_of(end->sin_addr);
}

Result<DataPort> open_data_port(const std::string& address) {
  const std::string what = "--data-address " + address;
  sockaddr_in at{};
  at.sin_family = AF_INET;
  if (::inet_pton(AF_INET, address.c_str(), &at.sin_addr) != 1 || at.sin_addr.s_addr == INADDR_ANY)
    return usage_error(what + ": expected one of this host's addresses, such as 10.0.0.7");
  // Make the socket non-blocking, because ZeroMQ accepts connections in its only thread.
  DataPort port{Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)), ""};
  if (!port.socket || ::bind(port.socket.get(), reinterpret_cast<sockaddr*>(&at), sizeof at) < 0 ||
      ::listen(port.socket.get(), kWaiting) < 0) {
    Error error = system_error(what, errno);
    error.kind = Error::Kind::kMachine;
    return error;
  }
  Result<sockaddr_in> end = local_end(port.socket.get());
  if (!end) return std::move(end).error();
  port.endpoint = "tcp://" + address + ":" + std::to_string(ntohs(end->sin_port));
  return port;
}

}  // namespace heddle::worker
