#pragma once

#include <map>
#include <optional>
#include <string>
#include <zmq.hpp>

namespace heddle::net {

/// What libzmq asks about a peer that has shown that its key is its own (RFC 27).
struct ZapRequest {
  std::string version;
  std::string domain;      ///< of the socket it has come to
  std::string address;     ///< of the peer, without a port
  std::string mechanism;   ///< "CURVE", "NULL", "PLAIN"
  std::string public_key;  ///< Z85; "" without CURVE
};

/// Whom the sockets of a context let in: by domain, names by public key.
using AllowList = std::map<std::string, std::map<std::string, std::string>>;

struct ZapAnswer {
  std::string name;  ///< of a peer that is let in
  std::string why;   ///< it is not; "": it is
};
/// Lets in who is listed for that domain and speaks CURVE, nobody else.
ZapAnswer decide(const ZapRequest& request, const AllowList& allow_list);

/// Libzmq's questions about who wants to come in, for all sockets of one context. Made before any
/// of them binds. One thread's.
class ZapHandler {
 public:
  struct Question {
    ZapRequest request;
    std::string asker, id;  ///< for the reply
  };

  explicit ZapHandler(zmq::context_t& context);
  zmq::socket_t& socket() { return socket_; }

  /// The next one; nothing if there is none.
  std::optional<Question> take();
  /// One who is refused does not try again. One whose question is never answered is cut off when
  /// the time for handshakes is over, and may.
  void reply(const Question& question, const ZapAnswer& answer);

 private:
  zmq::socket_t socket_;
};

/// The name by which that message's sender was let in; "" over ipc.
std::string key_name_of(zmq::message_t& message);
/// The address that the message's sender speaks from, over TCP.
std::string peer_address(zmq::message_t& message);

}  // namespace heddle::net
