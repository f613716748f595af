#include "worker/data/pacer.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace heddle::worker {

void Resource::add(const Flow& flow, std::uint64_t chunk, std::int64_t bytes, Span arrival) {
  // Forget tags that no longer matter, such as those of flows that have ended.
  if (finish_tags_.size() > 2 * queue_.size() + 64)
    std::erase_if(finish_tags_, [&](const auto& entry) { return entry.second <= tag_; });
  std::int64_t& finish = finish_tags_[flow];
  std::int64_t start = std::max(tag_, finish);
  finish = start + bytes;
  queue_.emplace(std::pair(start, arrivals_++), Waiting{chunk, bytes, arrival});
}

std::optional<real::Time> Resource::due() const {
  if (queue_.empty()) return std::nullopt;
  return std::max(free_at_, queue_.begin()->second.arrival.begin);
}

std::pair<std::uint64_t, Span> Resource::serve(real::Time now) {
  assert(!queue_.empty());
  const auto head = queue_.extract(queue_.begin());
  tag_ = head.key().first;
  const Waiting& chunk = head.mapped();
  real::Time begin = std::max({free_at_, chunk.arrival.begin, now - kCatchUp});
  auto takes = std::llround(ns_per_byte_ * static_cast<double>(chunk.bytes));
  free_at_ = begin + real::Duration(takes);
  return {chunk.chunk, {begin, std::max(free_at_, chunk.arrival.end)}};
}

Pacer::Pacer(double disk_bytes_per_s, double network_bytes_per_s)
    : disk_(disk_bytes_per_s), out_(network_bytes_per_s), in_(network_bytes_per_s) {}

std::uint64_t Pacer::pass(const Flow& flow, std::int64_t bytes, Route route, Span arrival) {
  std::uint64_t chunk = ++named_;
  bool received = route == Route::kNetworkIn || route == Route::kNetworkInDisk;
  Resource* then = nullptr;
  if (route == Route::kDiskNetworkOut) then = &out_;
  if (route == Route::kNetworkInDisk) then = &disk_;
  chunks_.emplace(chunk, OnItsWay{flow, bytes, then});
  (received ? in_ : disk_).add(flow, chunk, bytes, arrival);
  return chunk;
}

Resource* Pacer::earliest() {
  Resource* first = nullptr;
  for (Resource* resource : {&disk_, &out_, &in_}) {
    auto due = resource->due();
    if (due && (!first || *due < *first->due())) first = resource;
  }
  return first;
}

std::optional<Pacer::Passed> Pacer::take(real::Time now) {
  while (true) {
    Resource* resource = earliest();
    // A leaving chunk goes first, because its flow can add another chunk to the resource that the
    // chunk has left.
    if (!leaving_.empty() && (!resource || leaving_.begin()->first.first <= *resource->due())) {
      auto first = leaving_.begin();
      if (first->first.first > now) return std::nullopt;
      Passed passed{first->first.second, first->second};
      leaving_.erase(first);
      return passed;
    }
    if (!resource || *resource->due() > now) return std::nullopt;
    auto [chunk, span] = resource->serve(now);
    auto on_its_way = chunks_.find(chunk);
    if (Resource* then = std::exchange(on_its_way->second.then, nullptr)) {
      then->add(on_its_way->second.flow, chunk, on_its_way->second.bytes, span);
    } else {
      chunks_.erase(on_its_way);
      leaving_.emplace(std::pair(span.end, chunk), span);
    }
  }
}

std::optional<real::Time> Pacer::next() const {
  std::optional<real::Time> next;
  auto sooner = [&](std::optional<real::Time> time) {
    if (time && (!next || *time < *next)) next = time;
  };
  for (const Resource* resource : {&disk_, &out_, &in_}) sooner(resource->due());
  if (!leaving_.empty()) sooner(leaving_.begin()->first.first);
  return next;
}

}  // namespace heddle::worker
