#pragma once

#include <functional>
#include <map>
#include <string>
#include <zmq.hpp>

namespace heddle {

/// What libzmq asks about a peer that has shown that its key is its own (RFC 27).
struct ZapRequest {
  std::string version;
  std::string domain;      ///< of the socket it has come to
  std::string address;     ///< of the peer, without a port
  std::string mechanism;   ///< "CURVE", "NULL", "PLAIN"
  std::string public_key;  ///< Z85; "" without CURVE
};

/// Whom the sockets of a context let in: by domain, names by public key.
using Guests = std::map<std::string, std::map<std::string, std::string>>;

struct ZapAnswer {
  std::string name;  ///< of a peer that is let in
  std::string why;   ///< it is not; "": it is
};
/// Lets in who is listed for that domain and speaks CURVE, nobody else.
ZapAnswer decide(const ZapRequest& request, const Guests& guests);

/// Answers libzmq's questions about who wants to come in, for all sockets of one context. Made
/// before any of them binds. Belongs to the thread that calls answer().
class ZapHandler {
 public:
  /// Whom it refuses tries again if it may have been too early (kLater), else is told for good.
  enum class Refusal { kLater, kForGood };

  ZapHandler(zmq::context_t& context, Refusal refusal);
  zmq::socket_t& socket() { return socket_; }

  /// Answers one question; false if there is none. `ask` is asked who the peer is.
  bool answer(const std::function<ZapAnswer(const ZapRequest&)>& ask);

 private:
  zmq::socket_t socket_;
  Refusal refusal_;
};

/// The name by which that message's sender was let in; "" over ipc.
std::string guest_name(zmq::message_t& message);

}  // namespace heddle
