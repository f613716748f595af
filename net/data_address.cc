#include "net/data_address.h"

#include <arpa/inet.h>
#include <sys/un.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

#include "common/number.h"
#include "net/curve.h"

namespace heddle::net {
namespace {

constexpr std::string_view kTcp = "tcp://";
constexpr std::string_view kIpc = "ipc://";

/// Returns an IPv4 address as a number in host byte order.
std::optional<std::uint32_t> number_of(const std::string& address) {
  in_addr number{};
  if (::inet_pton(AF_INET, address.c_str(), &number) != 1) return std::nullopt;
  return ntohl(number.s_addr);
}

bool is_within(std::uint32_t address, std::uint32_t network, int bits) {
  return (address ^ network) >> (32 - bits) == 0;
}

constexpr std::uint32_t kLoopback = 127U << 24;
constexpr std::uint32_t kLinkLocal = 169U << 24 | 254U << 16;

/// Returns whether the address can't belong to a host, because it is a "this network", multicast,
/// reserved or broadcast address (RFC 6890).
bool is_nobodys(std::uint32_t address) {
  return is_within(address, 0, 8) || is_within(address, 224U << 24, 3);
}

bool is_port(std::string_view text) {
  const auto port = read_number<std::uint32_t>(text);
  return port && *port >= 1 && *port <= 65535;
}

bool is_socket_path(std::string_view path) {
  return path.starts_with('/') && path.size() < sizeof(sockaddr_un::sun_path) &&
         std::all_of(path.begin(), path.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

std::string address_in(const std::string& endpoint) {
  if (!endpoint.starts_with(kTcp)) return "";
  const std::size_t colon = endpoint.rfind(':');
  return colon < kTcp.size() ? "" : endpoint.substr(kTcp.size(), colon - kTcp.size());
}

std::string data_address_fault(const std::string& endpoint, const std::string& key,
                               const std::string& from) {
  if (endpoint.empty()) return "";
  if (endpoint.starts_with(kIpc)) {
    if (!from.empty()) return "ipc:// is for workers of the master's host; expected tcp://";
    return is_socket_path(std::string_view(endpoint).substr(kIpc.size()))
               ? ""
               : "expected ipc:// and an absolute path";
  }
  const std::optional<std::uint32_t> address = number_of(address_in(endpoint));
  if (!address || !is_port(std::string_view(endpoint).substr(endpoint.rfind(':') + 1)))
    return "expected tcp://ADDRESS:PORT with an IPv4 address in numbers";
  if (!valid_key(key)) return "its public key is missing";
  if (is_nobodys(*address))
    return "expected the address of a host, not a reserved or multicast address";
  const std::optional<std::uint32_t> own = number_of(from);
  for (const auto& [network, bits, what] : {std::tuple{kLoopback, 8, "a loopback address"},
                                            std::tuple{kLinkLocal, 16, "a link-local address"}})
    if (is_within(*address, network, bits) && !from.empty() &&
        !(own && is_within(*own, network, bits)))
      return std::string("this is ") + what + ", but the worker connects from " + from;
  return "";
}

}  // namespace heddle::net
