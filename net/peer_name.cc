#include "net/peer_name.h"

#include <string_view>

#include "common/text.h"

namespace heddle::net {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

std::string peer_name(const std::string& key, const std::string& routing_id) {
  std::string name = key + "/";
  for (const char c : routing_id) name += hexadecimal(static_cast<unsigned char>(c), 2);
  return name;
}

std::string key_of_peer(const std::string& peer) {
  const std::size_t slash = peer.find('/');
  return slash == std::string::npos ? "" : peer.substr(0, slash);
}

std::string routing_id_of(const std::string& peer) {
  std::string id;
  for (std::size_t i = peer.find('/') + 1; i + 1 < peer.size(); i += 2)
    id += static_cast<char>(kDigits.find(peer[i]) << 4 | kDigits.find(peer[i + 1]));
  return id;
}

}  // namespace heddle::net
