#include "common/own_endpoint.h"

#include <arpa/inet.h>

#include <cstdint>
#include <string>

#include "common/number.h"

namespace heddle {
namespace {

constexpr std::string_view kIpc = "ipc://", kTcp = "tcp://";
constexpr std::uint32_t kLoopback = 127;

bool is_loopback(const std::string& host) {
  if (host == "localhost" || host == "[::1]") return true;
  in_addr address{};
  return ::inet_pton(AF_INET, host.c_str(), &address) == 1 &&
         ntohl(address.s_addr) >> 24 == kLoopback;
}

bool is_port(std::string_view text) {
  const auto port = read_number<std::uint32_t>(text);
  return port && *port >= 1 && *port <= 65535;
}

}  // namespace

bool is_own_endpoint(std::string_view endpoint) {
  if (endpoint.starts_with(kIpc)) return endpoint.size() > kIpc.size();
  if (!endpoint.starts_with(kTcp)) return false;
  endpoint.remove_prefix(kTcp.size());
  const std::size_t colon = endpoint.rfind(':');
  return colon != std::string_view::npos && is_loopback(std::string(endpoint.substr(0, colon))) &&
         is_port(endpoint.substr(colon + 1));
}

}  // namespace heddle
