#include "net/curve.h"

#include <zmq.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>

namespace heddle::net {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kKeyText = 40;

bool valid_port(std::string_view port) {
  if (port == "*") return true;
  if (port.empty() || port.size() > 5) return false;
  if (port.find_first_not_of("0123456789") != port.npos) return false;
  const int number = std::atoi(std::string(port).c_str());
  return number >= 1 && number <= 65535;
}

}  // namespace

Result<KeyPair> make_key_pair() {
  std::array<char, kKeyText + 1> public_key{}, secret_key{};
  if (zmq_curve_keypair(public_key.data(), secret_key.data()) != 0) {
    Error error = system_error("make a key pair with libzmq", errno);
    error.kind = Error::Kind::kMachine;
    return error;
  }
  return KeyPair{public_key.data(), secret_key.data()};
}

std::optional<std::string> public_key_of(const std::string& secret_key) {
  std::array<char, kKeyText + 1> public_key{};
  if (!valid_key(secret_key) || zmq_curve_public(public_key.data(), secret_key.c_str()) != 0)
    return std::nullopt;
  return public_key.data();
}

bool valid_key(std::string_view key) {
  std::array<std::uint8_t, kKeyBytes> bytes{};
  return key.size() == kKeyText && zmq_z85_decode(bytes.data(), std::string(key).c_str());
}

void secure(zmq::socket_t& socket, const CurveServer& keys, const std::string& domain) {
  socket.set(zmq::sockopt::curve_server, true);
  socket.set(zmq::sockopt::curve_secretkey, keys.own.secret_key);
  socket.set(zmq::sockopt::zap_domain, domain);
  socket.set(zmq::sockopt::handshake_ivl, kHandshakeMs);
}

void secure(zmq::socket_t& socket, const CurveClient& keys) {
  socket.set(zmq::sockopt::curve_serverkey, keys.server);
  socket.set(zmq::sockopt::curve_publickey, keys.own.public_key);
  socket.set(zmq::sockopt::curve_secretkey, keys.own.secret_key);
  socket.set(zmq::sockopt::handshake_ivl, kHandshakeMs);
}

Result<void> check_endpoint(const std::string& option, const std::string& endpoint,
                            bool have_keys) {
  const std::string what = option + " " + endpoint + ": ";
  if (endpoint.starts_with("ipc://") && endpoint.size() > 6) return {};
  if (!endpoint.starts_with("tcp://"))
    return usage_error(what + "expected ipc://PATH or tcp://HOST:PORT");
  const std::string address = endpoint.substr(6);
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos || colon == 0 || !valid_port(address.substr(colon + 1)))
    return usage_error(what + "expected tcp://HOST:PORT");
  if (!have_keys)
    return usage_error(what +
                       "TCP needs keys, on loopback too: make them with `heddle keys make`, then "
                       "give --keys DIR");
  return {};
}

}  // namespace heddle::net
