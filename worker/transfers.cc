#include "worker/transfers.h"

#include <algorithm>
#include <utility>

namespace heddle::worker {
namespace {

/// Largest size of an object in real bytes. If a master names a larger size, this size is used
/// instead.
constexpr double kMostBytes = 4e18;

std::int64_t real_bytes(const Scale& scale, EmuBytes size) {
  const bool fits = static_cast<double>(size.count()) * scale.data < kMostBytes;
  return fits ? scale.data_to_real(size).count() : static_cast<std::int64_t>(kMostBytes);
}

/// Returns the node that a read asks first, or no node.
NodeId source_of(const std::variant<DataRead, DataWrite>& what) {
  const auto* read = std::get_if<DataRead>(&what);
  return read && !read->from.empty() ? read->from.front() : NodeId{};
}

}  // namespace

void Transfers::begin(const BeginRead& begun, real::Time now) {
  const DataRead& read = begun.read;
  // Convert offsets, not sizes, so that neighboring stretches of an object meet.
  const std::int64_t from = real_bytes(scale_, read.offset);
  const std::int64_t to = real_bytes(scale_, read.offset + read.size);
  under_way_[++last_ticket_] = {begun.container, read, now};
  service_.fetch({last_ticket_, read.object, from, to - from, read.from});
}

void Transfers::begin(const BeginWrite& begun, const std::string& job, real::Time now) {
  const DataWrite& write = begun.write;
  if (write.kept) kept_[job].push_back(write.object);
  under_way_[++last_ticket_] = {begun.container, write, now};
  service_.store(
      {last_ticket_, write.object, real_bytes(scale_, write.size), write.kept, write.copies});
}

void Transfers::expect(const wire::ExpectCommand& copy) {
  service_.expect({copy.object, real_bytes(scale_, copy.size), copy.kept, copy.from});
}

void Transfers::drop(ContainerId container) {
  std::erase_if(under_way_, [&](const auto& transfer) {
    if (transfer.second.container != container) return false;
    service_.cancel(transfer.first);
    return true;
  });
  moved_.erase(container);
  past_.erase(container);
}

void Transfers::forget(const std::string& job) {
  if (const auto kept = kept_.extract(job))
    for (std::uint64_t object : kept.mapped()) service_.drop(object);
}

std::vector<Transfers::Ended> Transfers::take(real::Time now) {
  std::vector<Ended> ended;
  for (DataDone& done : service_.take()) {
    const auto transfer = under_way_.extract(done.ticket);
    if (!transfer) continue;  // was cancelled after it was done
    const bool succeeded = done.error.empty();
    if (succeeded) count(transfer.mapped(), done.from);
    if (std::vector<Past>& past = past_[transfer.mapped().container]; past.size() < kMaxTimes)
      past.push_back({transfer.mapped(), succeeded ? done.from : source_of(transfer.mapped().what),
                      now, succeeded});
    ended.push_back(
        {transfer.mapped().container, std::move(transfer.mapped().what), std::move(done.error)});
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

std::vector<TransferTime> Transfers::times(ContainerId container, real::Time since,
                                           real::Time until) const {
  std::vector<TransferTime> times;
  const auto add = [&](const Past& past) {
    const Transfer& transfer = past.transfer;
    TransferTime time;
    if (const auto* read = std::get_if<DataRead>(&transfer.what)) {
      time.size = read->size;
      if (past.from != NodeId{}) time.nodes = {past.from};
    } else {
      const auto& write = std::get<DataWrite>(transfer.what);
      time.write = true;
      time.size = write.size;
      time.nodes = write.copies;
    }
    const auto span = [&](real::Time from, real::Time to) {
      return scale_.to_emulated(std::max(to - from, real::Duration(0)));
    };
    time.begun = span(since, transfer.begun);
    time.took = span(transfer.begun, past.ended);
    time.done = past.done;
    if (time.size > EmuBytes(0) && times.size() < kMaxTimes) times.push_back(std::move(time));
  };
  if (const auto ended = past_.find(container); ended != past_.end())
    std::ranges::for_each(ended->second, add);
  for (const auto& [ticket, transfer] : under_way_)
    if (transfer.container == container) add({transfer, source_of(transfer.what), until, false});
  return times;
}

DataOptions data_options(const wire::Welcome& welcome, const std::string& bind,
                         const std::string& scratch) {
  const Scale& scale = welcome.scale;
  return {.node = welcome.node,
          .bind = bind,
          .scratch = scratch,
          .disk_bytes_per_s = scale.data_rate_to_real(welcome.spec.disk_bytes_per_s),
          .network_bytes_per_s = scale.data_rate_to_real(welcome.spec.network_bits_per_s / 8)};
}

}  // namespace heddle::worker
