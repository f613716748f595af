#include "worker/transfers.h"

#include <utility>

namespace heddle::worker {
namespace {

/// Most that there is of an object, in real bytes; a master may name more at any scale.
constexpr double kMostBytes = 4e18;

std::int64_t real_bytes(const Scale& scale, EmuBytes size) {
  const bool fits = static_cast<double>(size.count()) * scale.data < kMostBytes;
  return fits ? scale.data_to_real(size).count() : static_cast<std::int64_t>(kMostBytes);
}

}  // namespace

void Transfers::begin(const BeginRead& begun) {
  const DataRead& read = begun.read;
  // Offsets are converted, not sizes: neighbouring stretches of an object meet.
  const std::int64_t from = real_bytes(scale_, read.offset);
  const std::int64_t to = real_bytes(scale_, read.offset + read.size);
  under_way_[++last_ticket_] = {begun.container, read};
  service_.fetch({last_ticket_, read.object, from, to - from, read.from});
}

void Transfers::begin(const BeginWrite& begun, const std::string& job) {
  const DataWrite& write = begun.write;
  if (write.kept) kept_[job].push_back(write.object);
  under_way_[++last_ticket_] = {begun.container, write};
  service_.store(
      {last_ticket_, write.object, real_bytes(scale_, write.size), write.kept, write.copies});
}

void Transfers::expect(const wire::ExpectCommand& copy) {
  service_.expect({copy.object, real_bytes(scale_, copy.size), copy.kept, copy.from});
}

void Transfers::drop(ContainerId container) {
  for (auto it = under_way_.begin(); it != under_way_.end();) {
    if (it->second.container != container) {
      ++it;
      continue;
    }
    service_.cancel(it->first);
    it = under_way_.erase(it);
  }
  moved_.erase(container);
}

void Transfers::forget(const std::string& job) {
  auto kept = kept_.find(job);
  if (kept == kept_.end()) return;
  for (std::uint64_t object : kept->second) service_.drop(object);
  kept_.erase(kept);
}

std::vector<Transfers::Ended> Transfers::take() {
  std::vector<Ended> ended;
  for (DataDone& done : service_.take()) {
    auto it = under_way_.find(done.ticket);
    if (it == under_way_.end()) continue;  // cancelled when it was done already
    if (done.error.empty()) count(it->second, done.from);
    ended.push_back({it->second.container, std::move(it->second.what), std::move(done.error)});
    under_way_.erase(it);
  }
  return ended;
}

void Transfers::count(const Transfer& transfer, NodeId from) {
  Moved& moved = moved_[transfer.container];
  if (const auto* read = std::get_if<DataRead>(&transfer.what))
    (from == here_ ? moved.read_local : moved.read_remote) += read->size;
  else
    moved.written += std::get<DataWrite>(transfer.what).size;
}

Transfers::Moved Transfers::moved(ContainerId container) const {
  auto it = moved_.find(container);
  return it == moved_.end() ? Moved{} : it->second;
}

DataOptions data_options(const wire::Welcome& welcome, const std::string& bind,
                         const std::string& scratch) {
  DataOptions options;
  options.node = welcome.node;
  options.bind = bind;
  options.scratch = scratch;
  options.disk_bytes_per_s = welcome.scale.data_rate_to_real(welcome.spec.disk_bytes_per_s);
  options.network_bytes_per_s =
      welcome.scale.data_rate_to_real(welcome.spec.network_bits_per_s / 8);
  return options;
}

}  // namespace heddle::worker
