#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/fd.h"
#include "common/result.h"
#include "serve/request.h"

namespace heddle::serve {

// Limits of the server. A client that exceeds a limit loses its own connection only.
inline constexpr std::size_t kMostConnections = 256;
inline constexpr std::size_t kLongestHeader = 16 * 1024;  ///< bytes
inline constexpr int kHeaderSeconds = 5;      ///< for a whole header, also the first byte of it
inline constexpr int kResponseSeconds = 300;  ///< for making and sending a response
inline constexpr int kRefusalSeconds = 5;     ///< for sending a response with a status of 4xx

struct Response {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::shared_ptr<const std::string> body = {};
  std::string etag = {};    ///< "": none
  std::string cookie = {};  ///< value of Set-Cookie; "": none
  std::string script = {};  ///< source of the scripts that may run (CSP); "": no page
};

/// Returns a response that consists of one sentence.
Response plain_response(int status, const std::string& sentence);

/// Returns the lines before the body, with the empty line at their end. They forbid browsers to
/// store the response, to show it in other sites' pages and to run scripts other than
/// `Response::script`.
std::string header_of(const Response& response, bool keep_alive);

/// Receives a response. Any thread can call it, at most once.
using Respond = std::function<void(Response)>;
/// Answers a request now or later. The server calls it in one thread.
using Handler = std::function<void(const Request&, Respond)>;

/// A socket that listens on 127.0.0.1.
struct Listener {
  Fd socket;
  int port = 0;
};
/// Opens the socket. If `port` is 0, the kernel chooses a free port. Error (kUsage): the port is in
/// use.
Result<Listener> listen_on(int port);

/// A listening socket, and what answers its requests.
struct Door {
  int socket = -1;
  int family = 0;  ///< AF_INET or AF_UNIX
  Handler handler;
};

/// Answers requests until there is something to read from `signals`. One thread reads, parses and
/// writes for all connections. A connection is closed after a response with a status of 4xx,
/// because a client without the token gets no other responses. If there are more than
/// kMostConnections, a connection that gets such a response is closed. If there is none, the
/// connection that has been waiting for a request for the longest time is closed. Request bodies
/// are not read.
/// REQUIRES: after this function has returned, the process ends by _exit(). Other threads can still
/// make responses then.
void serve_http(const std::vector<Door>& doors, int signals);

}  // namespace heddle::serve
