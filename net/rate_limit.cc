#include "net/rate_limit.h"

#include <algorithm>

namespace heddle::net {
namespace {

constexpr const char* kOthers = "";

}  // namespace

double RateLimit::left_in(const Bucket& bucket, real::Time now) const {
  const double passed = std::chrono::duration<double>(now - bucket.at).count();
  return std::min(burst_, bucket.left + rate_ * std::max(passed, 0.0));
}

bool RateLimit::take(const std::string& who, real::Time now, double amount) {
  if (!buckets_.contains(who) && buckets_.size() >= most_)
    std::erase_if(buckets_,
                  [&](const auto& entry) { return left_in(entry.second, now) >= burst_; });
  const bool own = buckets_.contains(who) || buckets_.size() < most_;
  Bucket& bucket = buckets_.try_emplace(own ? who : kOthers, Bucket{burst_, now}).first->second;
  const double left = left_in(bucket, now);
  const bool enough = left >= amount;
  bucket = {enough ? left - amount : left, std::max(bucket.at, now)};
  return enough;
}

}  // namespace heddle::net
