#pragma once

#include <string>

namespace heddle {

// How the master calls a worker: by the name of the key that it was let in by, "" over ipc, and its
// socket's routing id, which is of its own choice. So nobody can pass for the holder of another
// key.

inline std::string peer_name(const std::string& key, const std::string& routing_id) {
  return key + "/" + routing_id;
}
/// Names of keys have no slash.
inline std::string key_of_peer(const std::string& peer) {
  const std::size_t slash = peer.find('/');
  return slash == std::string::npos ? "" : peer.substr(0, slash);
}
inline std::string routing_id_of(const std::string& peer) {
  return peer.substr(peer.find('/') + 1);
}

}  // namespace heddle
