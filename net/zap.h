#pragma once

#include <map>
#include <optional>
#include <string>
#include <zmq.hpp>

namespace heddle::net {

/// Question of libzmq whether to admit a peer. Before libzmq asks, the peer has proved that it has
/// the secret key for its public key (RFC 27).
struct ZapRequest {
  std::string version;
  std::string domain;      ///< domain of the socket to which the peer connects
  std::string address;     ///< address of the peer, without a port
  std::string mechanism;   ///< "CURVE", "NULL", "PLAIN"
  std::string public_key;  ///< Z85; "" without CURVE
};

/// Peers that the sockets of a context admit. For each domain, maps the public keys of the peers to
/// their names.
using AllowList = std::map<std::string, std::map<std::string, std::string>>;

struct ZapAnswer {
  std::string name;  ///< name of an admitted peer
  std::string why;   ///< why the peer is refused; "" if it is admitted
};
/// Admits a peer only if it uses CURVE and its key is in the list of the domain.
ZapAnswer decide(const ZapRequest& request, const AllowList& allow_list);

/// Receives libzmq's questions whether to admit a peer, for all sockets of one context. The handler
/// must be made before any of these sockets binds. Belongs to one thread.
class ZapHandler {
 public:
  struct Question {
    ZapRequest request;
    std::string asker, id;  ///< libzmq's names, for the reply
  };

  explicit ZapHandler(zmq::context_t& context);
  zmq::socket_t& socket() { return socket_; }

  /// Returns the next question, or nullopt if there is none.
  std::optional<Question> take();
  /// Answers a question. A refused peer does not try again. If a question is never answered, libzmq
  /// closes the peer's connection after kHandshakeMs (net/curve.h), and the peer tries again.
  void reply(const Question& question, const ZapAnswer& answer);

 private:
  zmq::socket_t socket_;
};

/// Returns the name with which the message's sender was admitted, or "" over ipc.
std::string key_name_of(zmq::message_t& message);
/// Returns the address from which the message's sender is connected over TCP.
std::string peer_address(zmq::message_t& message);

}  // namespace heddle::net
