#include "master/policy_exchange.h"

#include <utility>

#include "core/policy/registry.h"

namespace heddle::master {

std::string PolicyExchange::about(const std::string& what) const {
  return "policy " + policy_text(scenario_.policy) + ": " + what;
}

std::string PolicyExchange::failure() const {
  if (!policy_ || policy_->failure().empty()) return "";
  return about(policy_->failure());
}

const PolicyExchange::Request* PolicyExchange::make_request(const ClusterState& cluster, EmuTime at,
                                                            real::Time now) {
  if (!policy_ || !policy_->due(at)) return nullptr;
  asked_ = policy_->take_request(cluster, at);
  asked_at_ = now;
  return &*asked_;
}

std::optional<PolicyExchange::Request> PolicyExchange::take_request() {
  return std::exchange(asked_, std::nullopt);
}

Result<std::string> PolicyExchange::read(const Request& request, const std::string& reply,
                                         real::Time now) {
  Result<external::Reply> read = policy_->check(request, reply);
  if (!read) return aborted_error(about(request.name() + ": " + read.error().text));
  round_trips_.add(now - asked_at_, read->took_us);
  return std::move(read->recorded);
}

std::string PolicyExchange::silence(const std::string& why) const {
  return about((asked_ ? asked_->name() + ": " : "") + why);
}

void PolicyExchange::put_overhead(wire::Json& overhead) const {
  if (policy_) round_trips_.put(overhead);
}

std::vector<std::string> PolicyExchange::farewell(const ClusterState& cluster, EmuTime at,
                                                  std::string_view status) {
  if (!policy_) return {};
  return policy_->farewell(cluster, at, status);
}

void PolicyExchange::recover(const PolicyReplied& recorded) {
  if (reply_ && !policy_->same(reply_->recorded, recorded.reply)) {
    policy_->discard(*reply_);
    if (difference_.empty())
      difference_ = "the policy's reply to request " + std::to_string(recorded.request) +
                    " is not the recorded one; the recorded one counts";
  }
  reply_.reset();
  asked_.reset();
}

Result<void> PolicyExchange::repeat_request(const ClusterState& cluster, EmuTime at) {
  const Request* request = make_request(cluster, at, {});
  if (!request || !options_.ask) return {};
  Result<std::string> reply = options_.ask(request->text);
  if (!reply) return aborted_error(about(reply.error().text));
  Result<external::Reply> read = policy_->check(*request, *reply);
  if (!read) return aborted_error(about(read.error().text));
  reply_ = *std::move(read);
  return {};
}

std::optional<std::string> PolicyExchange::take_last_reply() {
  std::optional<external::Reply> reply = std::exchange(reply_, std::nullopt);
  return reply ? std::optional(std::move(reply->recorded)) : std::nullopt;
}

}  // namespace heddle::master
