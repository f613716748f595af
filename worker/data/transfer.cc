#include "worker/data/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace heddle::worker {

std::string object_name(std::uint64_t object) { return fmt::format("object {:016x}", object); }
std::string node_name(NodeId node) { return fmt::format("node {}", node.value); }

Transfer::Transfer(DataFetch fetch, std::int64_t chunk, int window)
    : fetch_(std::move(fetch)), chunk_(chunk), ahead_(chunk * window) {}

std::optional<NodeId> Transfer::source() const {
  if (source_ == fetch_.from.size()) return std::nullopt;
  return fetch_.from[source_];
}

std::int64_t Transfer::chunk_at(std::int64_t done) const {
  return std::min(chunk_, fetch_.size - done);
}

std::optional<Transfer::Stretch> Transfer::ask() {
  std::int64_t size = chunk_at(asked_);
  if (size == 0 || asked_ + size > passed_ + ahead_) return std::nullopt;
  return Stretch{fetch_.offset + std::exchange(asked_, asked_ + size), size};
}

Result<void> Transfer::came(Stretch stretch) {
  if (!waiting() || stretch.offset != fetch_.offset + came_ || stretch.size != chunk_at(came_))
    return aborted_error("sent data that was not requested");
  came_ += stretch.size;
  return {};
}

void Transfer::failed(const std::string& reason) {
  if (!reasons_.empty()) reasons_ += "; ";
  reasons_ += node_name(fetch_.from[source_++]) + ": " + reason;
  asked_ = came_;
}

std::string Transfer::error() const {
  return object_name(fetch_.object) +
         " cannot be read: " + (reasons_.empty() ? "no node has it" : reasons_);
}

void Silence::heard(real::Time now) {
  heard_ = now;
  pinged_ = false;
}

Silence::Verdict Silence::check(real::Time now) {
  if (now - heard_ >= limit_) return Verdict::kGiveUp;
  if (pinged_ || now - heard_ < limit_ / 3) return Verdict::kNone;
  pinged_ = true;
  return Verdict::kPing;
}

bool Silence::pong(std::int64_t owes, real::Time now) {
  // Since the ping, an answer of the peer has arrived, so the peer is alive.
  if (!pinged_) return true;
  if (owes == 0) return false;
  heard(now);
  return true;
}

}  // namespace heddle::worker
