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

/// Keys of a socket that binds. The ZAP handler decides which peers it admits (net/zap.h).
struct CurveServer {
  KeyPair own;
};

/// Keys of a socket that connects, and of the only server that it talks to.
struct CurveClient {
  KeyPair own;
  std::string server;  ///< public key of the server
};

/// Makes a key pair from the system's random numbers. Error (kMachine): libzmq has no CURVE.
Result<KeyPair> make_key_pair();
/// Returns the public key that belongs to a secret one; nullopt if that is no key.
std::optional<std::string> public_key_of(const std::string& secret_key);
/// Returns whether the text is 40 characters of Z85 that stand for 32 bytes.
bool valid_key(std::string_view key);

/// A peer that has not shown within this time that it has a key is cut off.
inline constexpr int kHandshakeMs = 3000;

/// Bytes that CURVE adds to a message on the wire and that count for maxmsgsize: command name,
/// nonce, authenticator and flags (RFC 26).
inline constexpr std::int64_t kCurveBytes = 8 + 8 + 16 + 1;

/// Secures a socket that binds. REQUIRES: called before bind, and with a ZapHandler in the context,
/// because libzmq admits every key without one. `domain`: name of the socket for that handler.
void secure(zmq::socket_t& socket, const CurveServer& keys, const std::string& domain = "heddle");
/// Secures a socket that connects. REQUIRES: called before connect.
void secure(zmq::socket_t& socket, const CurveClient& keys);

/// Checks an endpoint. ipc:// is for processes of one user on one host and needs no keys;
/// tcp://HOST:PORT needs keys, on loopback too. `option` names the endpoint in the error (kUsage),
/// which says how to make keys, or what an endpoint looks like.
Result<void> check_endpoint(const std::string& option, const std::string& endpoint, bool have_keys);

}  // namespace heddle::net
