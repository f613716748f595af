#pragma once

#include <map>
#include <string>

namespace heddle {

/// A reply of an HTTP server.
struct Reply {
  int status = 0;  ///< 0: the connection was closed or refused
  std::map<std::string, std::string> fields;
  std::string body;
};

/// A connection to a port of 127.0.0.1.
class HttpConnection {
 public:
  explicit HttpConnection(int port);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  /// Sends bytes. Returns false if the server has closed the connection.
  bool send(const std::string& bytes) const;
  /// Reads a reply with its body. Waits at most 30 s. REQUIRES: one request is not answered yet.
  Reply reply(bool head = false);
  /// Waits until the server closes the connection. Returns false after 30 s.
  bool closed_by_server() const;

 private:
  int socket_ = -1;
  std::string received_;
};

/// Requests a target in a connection of its own. `fields` are whole lines, with their ends.
Reply http_get(int port, const std::string& target, const std::string& fields = "",
               const std::string& method = "GET");

}  // namespace heddle
