#pragma once

#include <string>

namespace heddle::net {

// The master names a peer by the name of the key with which it was admitted ("" over ipc), and by
// the id that the master's socket has given its connection, in hexadecimal digits. Each connection
// has another id, so what is sent to a peer reaches the connection that showed the key, and no
// other.

std::string peer_name(const std::string& key, const std::string& routing_id);
/// Returns the name of the key. Names of keys have no slash.
std::string key_of_peer(const std::string& peer);
/// Returns the connection's id. REQUIRES: `peer` is from peer_name().
std::string routing_id_of(const std::string& peer);

}  // namespace heddle::net
