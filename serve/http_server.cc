#include "serve/http_server.h"

#include <fmt/core.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <cerrno>
#include <list>
#include <optional>

namespace heddle::serve {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
/// TCP or a Unix socket.
using Stream = asio::generic::stream_protocol;

const char* phrase_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
  }
  return "";
}

std::string text_of(beast::string_view view) { return {view.data(), view.size()}; }

template <class Header>
Request request_of(const Header& header) {
  Request request;
  request.method = text_of(header.method_string());
  request.target = text_of(header.target());
  if (header.count(http::field::host) == 1) request.host = text_of(header[http::field::host]);
  for (auto [it, end] = header.equal_range(http::field::cookie); it != end; ++it)
    request.cookie += (request.cookie.empty() ? "" : "; ") + text_of(it->value());
  request.authorization = text_of(header[http::field::authorization]);
  request.if_none_match = text_of(header[http::field::if_none_match]);
  return request;
}

class Connection;

/// The open connections. Those that can be closed to make room are in the order in which they are
/// closed: those that get a refusal, and then those that wait for a request, the longest first.
struct Connections {
  std::list<std::weak_ptr<Connection>> closable = {};
  std::size_t open = 0;
};

/// A connection. It lives as long as one of its operations.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Stream::socket socket, const Handler& handler, Connections& all)
      : stream_(std::move(socket)), handler_(handler), all_(all) {
    ++all_.open;
  }
  ~Connection() { --all_.open; }

  void read() {
    parser_.emplace();
    parser_->header_limit(kLongestHeader);
    place_ = all_.closable.insert(all_.closable.end(), weak_from_this());
    // The limit is for the whole operation. Sending one byte after the other does not extend it.
    stream_.expires_after(std::chrono::seconds(kHeaderSeconds));
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](beast::error_code error, std::size_t) {
                              self->on_read(error);
                            });
  }
  void close() { stream_.close(); }

 private:
  void on_read(beast::error_code error) {
    all_.closable.erase(place_);
    if (error) return on_error(error);
    const auto& header = parser_->get();
    keep_alive_ = header.keep_alive() && parser_->is_done();
    head_ = header.method() == http::verb::head;
    stream_.expires_after(std::chrono::seconds(kResponseSeconds));
    // The response is for another thread to make. Only this thread uses the connection.
    handler_(request_of(header), [self = shared_from_this()](Response response) {
      asio::post(self->stream_.get_executor(), [self, response = std::move(response)] {
        self->write(response, self->keep_alive_);
      });
    });
  }

  void on_error(beast::error_code error) {
    head_ = false;
    if (error == http::error::header_limit || error == http::error::buffer_overflow)
      return write(plain_response(431, "the header of the request is too long"), false);
    const bool malformed = error.category() == make_error_code(http::error::bad_target).category();
    if (malformed && error != http::error::end_of_stream && error != http::error::partial_message)
      write(plain_response(400, "not an HTTP request"), false);
  }

  void write(const Response& response, bool keep_alive) {
    const bool refused = response.status / 100 == 4;
    if (refused) place_ = all_.closable.insert(all_.closable.begin(), weak_from_this());
    keep_alive = keep_alive && !refused;
    stream_.expires_after(std::chrono::seconds(refused ? kRefusalSeconds : kResponseSeconds));
    header_ = header_of(response, keep_alive);
    body_ = head_ || !response.body ? std::make_shared<const std::string>() : response.body;
    const std::array<asio::const_buffer, 2> parts = {asio::buffer(header_), asio::buffer(*body_)};
    asio::async_write(
        stream_, parts,
        [self = shared_from_this(), keep_alive, refused](beast::error_code error, std::size_t) {
          if (refused) self->all_.closable.erase(self->place_);
          self->body_.reset();
          if (!error && keep_alive) return self->read();
          beast::error_code ignored;
          self->stream_.socket().shutdown(Stream::socket::shutdown_send, ignored);
        });
  }

  beast::basic_stream<Stream> stream_;
  const Handler& handler_;
  Connections& all_;
  beast::flat_buffer buffer_{kLongestHeader};
  std::optional<http::request_parser<http::empty_body>> parser_;
  std::list<std::weak_ptr<Connection>>::iterator place_;
  bool keep_alive_ = false, head_ = false;
  std::string header_;
  std::shared_ptr<const std::string> body_;
};

/// Accepts connections to a socket one after the other.
class Accepting {
 public:
  Accepting(asio::io_context& context, const Door& door, Connections& all)
      : acceptor_(context, Stream(door.family, 0), door.socket),
        pause_(context),
        handler_(door.handler),
        all_(all) {}

  void accept() {
    acceptor_.async_accept([this](beast::error_code error, Stream::socket socket) {
      if (error) return wait();
      if (all_.open < kMostConnections || drop_one())
        std::make_shared<Connection>(std::move(socket), handler_, all_)->read();
      accept();
    });
  }

 private:
  /// Waits before the next try, because the process has no descriptors left.
  void wait() {
    pause_.expires_after(std::chrono::milliseconds(100));
    pause_.async_wait([this](beast::error_code) { accept(); });
  }
  /// Closes the first connection that can be closed. Returns false if there is none.
  bool drop_one() {
    if (all_.closable.empty()) return false;
    if (const std::shared_ptr<Connection> first = all_.closable.front().lock()) first->close();
    // The closed connection leaves the list when its operation has ended.
    all_.closable.splice(all_.closable.end(), all_.closable, all_.closable.begin());
    return true;
  }

  asio::basic_socket_acceptor<Stream> acceptor_;
  asio::steady_timer pause_;
  const Handler handler_;
  Connections& all_;
};

}  // namespace

Response plain_response(int status, const std::string& sentence) {
  Response response;
  response.status = status;
  response.body =
      std::make_shared<const std::string>(std::to_string(status) + ": " + sentence + "\n");
  return response;
}

std::string header_of(const Response& response, bool keep_alive) {
  std::string text = fmt::format("HTTP/1.1 {} {}\r\n", response.status, phrase_of(response.status));
  const std::size_t size = response.body ? response.body->size() : 0;
  if (response.status != 304)
    text += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", response.type, size);
  text +=
      "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'; base-uri 'none'; "
      "form-action 'none'";
  if (!response.script.empty())
    text += "; connect-src 'self'; img-src data: blob:; style-src 'unsafe-inline'; script-src " +
            response.script;
  text +=
      "\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n"
      "X-Frame-Options: DENY\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n";
  if (response.status == 405) text += "Allow: GET, HEAD\r\n";
  if (response.status == 503) text += "Retry-After: 2\r\n";
  // A browser asks whether its copy of the data is still right. It keeps no copy of pages.
  text += response.etag.empty()
              ? "Cache-Control: no-store\r\n"
              : "Cache-Control: private, no-cache\r\nETag: " + response.etag + "\r\n";
  if (!response.cookie.empty()) text += "Set-Cookie: " + response.cookie + "\r\n";
  text += keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return text;
}

Result<Listener> listen_on(int port) {
  const std::string what = "listen on 127.0.0.1:" + std::to_string(port);
  Listener listener{Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)), port};
  if (!listener.socket) return system_error(what, errno);
  const int fd = listener.socket.get(), on = 1;
  // Without this, a port stays unusable for a minute after a server has used it.
  (void)::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* place = reinterpret_cast<sockaddr*>(&address);
  if (::bind(fd, place, size) < 0 || ::listen(fd, SOMAXCONN) < 0 ||
      ::getsockname(fd, place, &size) < 0) {
    if (errno == EADDRINUSE)
      return usage_error("--port " + std::to_string(port) +
                         ": another program listens on this port of 127.0.0.1; expected a free "
                         "port, or no --port, so that a free one is chosen");
    return system_error(what, errno);
  }
  listener.port = ntohs(address.sin_port);
  return listener;
}

void serve_http(const std::vector<Door>& doors, int signals) {
  // Threads that make responses can hold connections for longer than this function takes.
  auto& all = *new Connections;
  auto& context = *new asio::io_context(1);
  auto& stop = *new asio::posix::stream_descriptor(context, signals);
  stop.async_wait(asio::posix::stream_descriptor::wait_read,
                  [&](beast::error_code) { context.stop(); });
  for (const Door& door : doors) (new Accepting(context, door, all))->accept();
  context.run();
}

}  // namespace heddle::serve
