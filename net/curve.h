#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <zmq.hpp>

#include "common/result.h"

namespace heddle::net {

/// A CURVE key pair (RFC 26). Each key is 40 characters of Z85.
struct KeyPair {
  std::string public_key, secret_key;
  friend bool operator==(const KeyPair&, const KeyPair&) = default;
};

/// Keys of a socket that binds. The ZAP handler (net/zap.h) decides which peers are admitted.
struct CurveServer {
  KeyPair own;
};

/// Keys of a socket that connects, and the public key of the only server that the socket talks to.
struct CurveClient {
  KeyPair own;
  std::string server;  ///< public key of the server
};

/// Makes a key pair from the system's random numbers. Error (kMachine): libzmq has no CURVE.
Result<KeyPair> make_key_pair();
/// Returns the public key that belongs to a secret key, or nullopt if the text is no key.
std::optional<std::string> public_key_of(const std::string& secret_key);
/// Returns whether the text is 40 characters of Z85, which encode 32 bytes.
bool valid_key(std::string_view key);

/// A peer must prove within this time that it has a key. Otherwise its connection is closed.
inline constexpr int kHandshakeMs = 3000;

/// Bytes that CURVE adds to a message on the wire: command name, nonce, authenticator and flags
/// (RFC 26). These bytes count for maxmsgsize.
inline constexpr std::int64_t kCurveBytes = 8 + 8 + 16 + 1;

/// Secures a socket that binds. REQUIRES: called before bind, and with a ZapHandler in the context,
/// because libzmq admits every key without one. `domain` is the name by which the handler knows the
/// socket.
void secure(zmq::socket_t& socket, const CurveServer& keys, const std::string& domain = "heddle");
/// Secures a socket that connects. REQUIRES: called before connect.
void secure(zmq::socket_t& socket, const CurveClient& keys);

/// Checks an endpoint. ipc:// connects processes of one user on one host, and needs no keys.
/// tcp://HOST:PORT needs keys, even on the loopback interface. Error: kUsage. Its text names the
/// endpoint by `option`, and says how to make keys or what an endpoint looks like.
Result<void> check_endpoint(const std::string& option, const std::string& endpoint, bool have_keys);

}  // namespace heddle::net
