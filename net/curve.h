#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <zmq.hpp>

#include "common/result.h"

namespace heddle::net {

/// A CURVE key pair (RFC 26), each in Z85: 40 characters.
struct KeyPair {
  std::string public_key, secret_key;
  friend bool operator==(const KeyPair&, const KeyPair&) = default;
};

/// What a socket that binds is known by. Whom it lets in is the ZAP handler's: net/zap.h.
struct CurveServer {
  KeyPair own;
};

/// What a socket that connects is known by, and whom alone it talks to.
struct CurveClient {
  KeyPair own;
  std::string server;  ///< public key of who has bound
};

/// A new pair of the system's random numbers. kMachine: a libzmq without CURVE.
Result<KeyPair> make_key_pair();
/// The public key that goes with a secret one; nullopt: that is no key.
std::optional<std::string> public_key_of(const std::string& secret_key);
/// 40 characters of Z85 that stand for 32 bytes.
bool valid_key(std::string_view key);

/// A stranger may take this long to show that he has a key, then he is cut off.
inline constexpr int kHandshakeMs = 3000;

/// A message is longer by this on the wire, which counts for maxmsgsize: command name, nonce,
/// authenticator and flags (RFC 26).
inline constexpr std::int64_t kCurveBytes = 8 + 8 + 16 + 1;

/// REQUIRES: before bind, and a ZapHandler in the context: without, libzmq lets every key in.
/// `domain` is what that handler knows the socket by.
void secure(zmq::socket_t& socket, const CurveServer& keys, const std::string& domain = "heddle");
/// REQUIRES: before connect.
void secure(zmq::socket_t& socket, const CurveClient& keys);

/// ipc:// is for processes of one user on one host and goes without keys; tcp://HOST:PORT needs
/// them, on loopback too. `option` names the endpoint in the error (kUsage), which says how to make
/// keys, or what an endpoint looks like.
Result<void> check_endpoint(const std::string& option, const std::string& endpoint, bool have_keys);

}  // namespace heddle::net
