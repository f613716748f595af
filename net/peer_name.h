#pragma once

#include <string>

namespace heddle::net {

// How the master calls a worker: by the name of the key that it was let in by, "" over ipc, and the
// id that the master's socket has given its connection, in hexadecimal digits. Each connection has
// another id, so what is sent to a peer reaches the connection that showed the key, and no other.

std::string peer_name(const std::string& key, const std::string& routing_id);
/// The name of the key. Names of keys have no slash.
std::string key_of_peer(const std::string& peer);
/// The connection's id. REQUIRES: of peer_name().
std::string routing_id_of(const std::string& peer);

}  // namespace heddle::net
