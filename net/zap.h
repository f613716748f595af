#pragma once

#include <map>
#include <optional>
#include <string>
#include <zmq.hpp>

namespace heddle::net {

/// Question of libzmq about a peer that has proved that its key is its own (RFC 27).
struct ZapRequest {
  std::string version;
  std::string domain;      ///< of the socket to which the peer connects
  std::string address;     ///< of the peer, without a port
  std::string mechanism;   ///< "CURVE", "NULL", "PLAIN"
  std::string public_key;  ///< Z85; "" without CURVE
};

/// Peers that the sockets of a context admit: by domain, names by public key.
using AllowList = std::map<std::string, std::map<std::string, std::string>>;

struct ZapAnswer {
  std::string name;  ///< of an admitted peer
  std::string why;   ///< why the peer is refused; "": it is admitted
};
/// Admits a peer that is listed for that domain and speaks CURVE, and nobody else.
ZapAnswer decide(const ZapRequest& request, const AllowList& allow_list);

/// Receives libzmq's questions about peers that ask for admission, for all sockets of one context.
/// Must be made before any of them binds. Belongs to one thread.
class ZapHandler {
 public:
  struct Question {
    ZapRequest request;
    std::string asker, id;  ///< for the reply
  };

  explicit ZapHandler(zmq::context_t& context);
  zmq::socket_t& socket() { return socket_; }

  /// Returns the next question; nothing if there is none.
  std::optional<Question> take();
  /// Answers a question. A peer that is refused does not try again. A peer whose question is never
  /// answered is cut off when the time for handshakes is over, and may try again.
  void reply(const Question& question, const ZapAnswer& answer);

 private:
  zmq::socket_t socket_;
};

/// Returns the name under which the message's sender was admitted; "" over ipc.
std::string key_name_of(zmq::message_t& message);
/// Returns the address from which the message's sender speaks, over TCP.
std::string peer_address(zmq::message_t& message);

}  // namespace heddle::net
