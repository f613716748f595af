#include "external/link/link.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "common/own_endpoint.h"
#include "wire/forms.h"

namespace heddle::external {

using namespace std::chrono_literals;

Error no_reply(std::chrono::nanoseconds limit) {
  std::array<char, 32> seconds{};
  const double value = std::chrono::duration<double>(limit).count();
  const auto end = std::to_chars(seconds.data(), seconds.data() + seconds.size(), value).ptr;
  return aborted_error("no reply within " + std::string(seconds.data(), end) + " s");
}

Result<std::unique_ptr<Link>> Link::connect(const std::string& endpoint) {
  if (!is_own_endpoint(endpoint))
    return usage_error(endpoint + ": messages of policies have no keys; expected " +
                       std::string(kOwnEndpoints));
  std::unique_ptr<Link> link(new Link);
  link->socket_.set(zmq::sockopt::linger, 0);
  link->socket_.set(zmq::sockopt::maxmsgsize, std::int64_t{wire::kMaxPolicyReply});
  link->socket_.set(zmq::sockopt::reconnect_ivl, 10);
  try {
    link->socket_.connect(endpoint);
  } catch (const zmq::error_t& error) {
    return usage_error("connect to " + endpoint + ": " + error.what());
  }
  return link;
}

bool Link::send(const std::string& request) {
  return socket_.send(zmq::buffer(request), zmq::send_flags::dontwait).has_value();
}

std::optional<std::string> Link::receive() {
  zmq::message_t message;
  if (!socket_.recv(message, zmq::recv_flags::dontwait)) return std::nullopt;
  std::string text = message.to_string();
  while (socket_.get(zmq::sockopt::rcvmore)) (void)socket_.recv(message);
  return text;
}

Result<std::string> Link::exchange(const std::string& request, std::chrono::nanoseconds limit,
                                   int wake_fd,
                                   const std::function<std::optional<Error>()>& given_up) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point until = Clock::now() + limit;
  if (!send(request)) return aborted_error("the request could not be sent");
  for (;;) {
    if (std::optional<std::string> reply = receive()) return *std::move(reply);
    const Clock::time_point now = Clock::now();
    if (now >= until) return no_reply(limit);
    zmq::pollitem_t items[] = {{handle(), 0, ZMQ_POLLIN, 0}, {nullptr, wake_fd, ZMQ_POLLIN, 0}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now);
    try {
      zmq::poll(items, wake_fd < 0 ? 1 : 2,
                std::clamp<std::chrono::milliseconds>(left, 1ms, 100ms));
    } catch (const zmq::error_t& error) {
      if (error.num() != EINTR) throw;
    }
    if (items[0].revents) continue;
    if (std::optional<Error> why = given_up()) return *std::move(why);
  }
}

}  // namespace heddle::external
