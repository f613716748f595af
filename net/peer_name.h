#pragma once

#include <string>

namespace heddle::net {

// The name that the master gives a peer has two parts. The first part is the name of the key with
// which the peer was admitted ("" over ipc). The second part is the id that the master's socket has
// given to the peer's connection, in hexadecimal digits. Each connection has a different id. A
// message to a peer therefore reaches only the connection that has used the key.

std::string peer_name(const std::string& key, const std::string& routing_id);
/// Returns the name of the key. Names of keys have no slash.
std::string key_of_peer(const std::string& peer);
/// Returns the id of the peer's connection. REQUIRES: `peer` is a result of peer_name().
std::string routing_id_of(const std::string& peer);

}  // namespace heddle::net
