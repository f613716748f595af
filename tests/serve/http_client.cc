#include "tests/serve/http_client.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

namespace heddle {
namespace {

constexpr int kLimitMs = 30'000;

/// Receives more bytes. Returns false at the end of the connection or after the limit.
bool receive(int socket, std::string& bytes) {
  pollfd wait{socket, POLLIN, 0};
  if (::poll(&wait, 1, kLimitMs) != 1) return false;
  char buffer[65536];
  const ssize_t n = ::recv(socket, buffer, sizeof buffer, 0);
  if (n <= 0) return false;
  bytes.append(buffer, static_cast<std::size_t>(n));
  return true;
}

}  // namespace

HttpConnection::HttpConnection(int port)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  (void)::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address);
}

HttpConnection::~HttpConnection() { ::close(socket_); }

bool HttpConnection::send(const std::string& bytes) const {
  return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == std::ssize(bytes);
}

Reply HttpConnection::reply(bool head) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  std::size_t end;
  while ((end = received_.find(kEnd)) == std::string::npos)
    if (!receive(socket_, received_)) return {};
  Reply reply;
  reply.status = std::atoi(received_.c_str() + std::string_view("HTTP/1.1 ").size());
  for (std::size_t at = received_.find("\r\n"); at < end;) {
    const std::size_t next = received_.find("\r\n", at + 2);
    const std::string line = received_.substr(at + 2, next - at - 2);
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) reply.fields[line.substr(0, colon)] = line.substr(colon + 2);
    at = next;
  }
  received_.erase(0, end + kEnd.size());
  const auto length = reply.fields.find("Content-Length");
  const std::size_t size = length == reply.fields.end() || head ? 0 : std::stoul(length->second);
  while (received_.size() < size)
    if (!receive(socket_, received_)) return {};
  reply.body = received_.substr(0, size);
  received_.erase(0, size);
  return reply;
}

bool HttpConnection::closed_by_server() const {
  pollfd wait{socket_, POLLIN, 0};
  char buffer[4096];
  while (::poll(&wait, 1, kLimitMs) == 1)
    if (::recv(socket_, buffer, sizeof buffer, 0) <= 0) return true;
  return false;
}

Reply http_get(int port, const std::string& target, const std::string& fields,
               const std::string& method) {
  HttpConnection connection(port);
  const std::string host = fields.find("Host: ") == std::string::npos ? "Host: 127.0.0.1\r\n" : "";
  connection.send(method + " " + target + " HTTP/1.1\r\n" + host + fields + "\r\n");
  return connection.reply(method == "HEAD");
}

}  // namespace heddle
