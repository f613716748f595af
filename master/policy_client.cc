#include "master/policy_client.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/host_clock.h"

namespace heddle::master {
namespace {

constexpr std::chrono::milliseconds kFarewell{500};
constexpr const char* kEnded = "the program has ended";

}  // namespace

Result<std::unique_ptr<PolicyClient>> PolicyClient::connect(const std::string& endpoint,
                                                            std::optional<pid_t> pid,
                                                            real::Duration limit) {
  Fd pidfd;
  if (pid) {
    pidfd = Fd(static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0)));
    if (!pidfd) return aborted_error(kEnded);
  }
  Result<std::unique_ptr<external::Link>> link = external::Link::connect(endpoint);
  if (!link) return std::move(link).error();
  return std::unique_ptr<PolicyClient>(new PolicyClient(*std::move(link), std::move(pidfd), limit));
}

std::optional<Error> PolicyClient::ended() const {
  pollfd item{pidfd(), POLLIN, 0};
  if (item.fd < 0 || ::poll(&item, 1, 0) <= 0) return std::nullopt;
  return aborted_error(kEnded);
}

void PolicyClient::send(const std::string& request, real::Time now) {
  if (!link_->send(request)) broken_ = aborted_error("the request could not be sent");
  deadline_ = now + limit_;
}

std::optional<std::string> PolicyClient::receive() {
  if (!deadline_) return std::nullopt;
  std::optional<std::string> reply = link_->receive();
  if (reply) deadline_.reset();
  return reply;
}

std::optional<Error> PolicyClient::failure(real::Time now) const {
  if (broken_) return broken_;
  if (std::optional<Error> why = ended()) return why;
  if (!deadline_ || now < *deadline_) return std::nullopt;
  return external::no_reply(limit_);
}

Result<std::string> PolicyClient::exchange(const std::string& request) {
  return link_->exchange(request, limit_, pidfd(), [this] { return ended(); });
}

void PolicyClient::farewell(const std::vector<std::string>& messages) {
  if (messages.empty()) return;
  const real::Time until = real::now() + kFarewell;
  while (deadline_ && real::now() < until && !ended() && !receive()) {
    zmq::pollitem_t item{handle(), 0, ZMQ_POLLIN, 0};
    zmq::poll(&item, 1, std::chrono::milliseconds(20));
  }
  if (deadline_ || broken_) return;
  for (const std::string& message : messages)
    if (ended() || !link_->exchange(message, std::min<real::Duration>(kFarewell, limit_), pidfd(),
                                    [this] { return ended(); }))
      return;
}

}  // namespace heddle::master
