#include "net/refusal_log.h"

#include <algorithm>

namespace heddle::net {
namespace {

constexpr const char* kOtherPeers = "others";

std::string line(const std::string& who, const std::string& why, std::int64_t silent) {
  const std::string text = "refused " + who + ": " + why;
  if (silent == 0) return text;
  return text + " (" + std::to_string(silent) + (silent == 1 ? " earlier try" : " earlier tries") +
         " not logged)";
}

}  // namespace

RefusalLog::RefusalLog(std::size_t most, real::Duration period) : most_(most), period_(period) {}

std::optional<std::string> RefusalLog::refused(const std::string& who, const std::string& why,
                                               real::Time now) {
  const bool known = entries_.contains(who);
  const std::string name = known || entries_.size() < most_ ? who : kOtherPeers;
  const auto [found, fresh] = entries_.try_emplace(name, Entry{why, now, 0});
  Entry& entry = found->second;
  if (!fresh && now - entry.logged < period_) {
    entry.why = why;
    ++entry.silent;
    return std::nullopt;
  }
  const std::string text = line(name, why, entry.silent);
  look_at_ = entries_.size() == 1 ? now + period_ : std::min(look_at_, now + period_);
  entry = {why, now, 0};
  return text;
}

std::vector<std::string> RefusalLog::on_time(real::Time now) {
  std::vector<std::string> lines;
  if (entries_.empty() || now < look_at_) return lines;
  look_at_ = now + period_;
  for (auto it = entries_.begin(); it != entries_.end();) {
    Entry& entry = it->second;
    if (now - entry.logged >= period_) {
      if (entry.silent == 0) {
        it = entries_.erase(it);
        continue;
      }
      lines.push_back(line(it->first, entry.why, entry.silent - 1));
      entry = {entry.why, now, 0};
    }
    look_at_ = std::min(look_at_, entry.logged + period_);
    ++it;
  }
  return lines;
}

}  // namespace heddle::net
