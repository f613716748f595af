#include "worker/data/fetching.h"

#include <algorithm>
#include <array>
#include <utility>

#include "worker/data/content.h"

namespace heddle::worker {
namespace {

using Kind = DataMessage::Kind;

/// Number of chunks that are requested in advance. At 50 MB/s, these chunks take 20 ms. On a busy
/// host, the services and sockets of both nodes can need this time to get CPU. The requests wait at
/// the source, so the chunks take no memory while they wait.
constexpr int kWindow = 16;

/// Checks a chunk. `said` is the checksum that the sender has sent.
Result<void> verify(std::uint64_t object, std::int64_t offset, std::string_view bytes,
                    std::uint64_t said) {
  if (checksum(bytes.data(), bytes.size()) != said)
    return aborted_error("its data was damaged on the way");
  if (content_checksum(object, offset, bytes.size()) != said)
    return aborted_error("its copy of the data is damaged");
  return {};
}

}  // namespace

void Fetching::start(const DataFetch& fetch, std::optional<Fd> into, Done done, real::Time now) {
  if (fetch.size == 0 && !fetch.from.empty()) return done("", fetch.from.front());
  std::uint64_t id = ++node_.streams;
  fetches_.emplace(id, Fetch{Transfer(fetch, node_.chunk, kWindow), std::move(done),
                             std::move(into), id, Silence(node_.silence, now)});
  by_stream_[id] = id;
  proceed(id, now, now);
}

void Fetching::cancel(std::uint64_t ticket) {
  std::erase_if(fetches_, [&](const auto& entry) {
    if (entry.second.into || entry.second.transfer.wanted().ticket != ticket) return false;
    by_stream_.erase(entry.second.stream);
    return true;
  });
}

void Fetching::finish(std::uint64_t id, const std::string& error, NodeId from) {
  const auto fetch = fetches_.extract(id);
  by_stream_.erase(fetch.mapped().stream);
  fetch.mapped().done(error, from);
}

void Fetching::next_stream(Fetches::value_type& entry) {
  by_stream_.erase(entry.second.stream);
  entry.second.stream = ++node_.streams;
  by_stream_[entry.second.stream] = entry.first;
}

void Fetching::source_failed(std::uint64_t id, const std::string& why, real::Time now) {
  auto found = fetches_.find(id);
  found->second.transfer.failed(why);
  next_stream(*found);  // further chunks of the failed source belong to no fetch
  proceed(id, now, now);
}

/// Requests as many chunks as the window allows. `due` is when the schedule has planned these
/// requests.
void Fetching::proceed(std::uint64_t id, real::Time due, real::Time now) {
  auto found = fetches_.find(id);
  Fetch& fetch = found->second;
  while (fetch.transfer.source()) {
    if (!fetch.transfer.waiting()) fetch.silence.heard(now);
    auto stretch = fetch.transfer.ask();
    if (!stretch) return;
    auto asked = ask(id, fetch, *stretch, due, now);
    if (asked) continue;
    fetch.transfer.failed(asked.error().text);
    next_stream(*found);
  }
  finish(id, fetch.transfer.error(), NodeId{});
}

Result<void> Fetching::ask(std::uint64_t id, Fetch& fetch, Transfer::Stretch stretch,
                           real::Time due, real::Time now) {
  NodeId source = *fetch.transfer.source();
  if (source == node_.self) {
    auto chunk = node_.pacer.pass({"", id}, stretch.size, Route::kDisk, {due, due});
    chunks_[chunk] = {id, fetch.stream, stretch, true, {}};
    return {};
  }
  return node_.links->send(source, {.kind = Kind::kAsk,
                                    .stream = fetch.stream,
                                    .object = fetch.transfer.wanted().object,
                                    .offset = stretch.offset,
                                    .size = stretch.size,
                                    .late = std::clamp(now - due, real::Duration(0), kCatchUp)});
}

bool Fetching::answered(NodeId peer, const DataMessage& message, zmq::message_t& data,
                        real::Time now) {
  auto stream = by_stream_.find(message.stream);
  if (stream == by_stream_.end()) return false;
  std::uint64_t id = stream->second;
  Fetch& fetch = fetches_.at(id);
  if (fetch.transfer.source() != peer) return true;
  if (message.kind == Kind::kChunk) {
    auto taken = take(id, fetch, message, data, now);
    if (!taken) source_failed(id, taken.error().text, now);
  } else if (message.kind == Kind::kRefused) {
    source_failed(id, std::string(data.to_string_view().substr(kHeader)), now);
  } else if (message.kind == Kind::kPong && fetch.transfer.waiting() &&
             !fetch.silence.pong(message.size, now)) {
    source_failed(id, "has lost the request", now);
  }
  return true;
}

Result<void> Fetching::take(std::uint64_t id, Fetch& fetch, const DataMessage& chunk,
                            zmq::message_t& data, real::Time now) {
  Transfer::Stretch stretch{chunk.offset, chunk.size};
  HEDDLE_TRY(verify(fetch.transfer.wanted().object, chunk.offset,
                    data.to_string_view().substr(kHeader), chunk.checksum));
  HEDDLE_TRY(fetch.transfer.came(stretch));
  fetch.silence.heard(now);
  real::Time end = now - std::min(chunk.late, kCatchUp);
  auto route = fetch.into ? Route::kNetworkInDisk : Route::kNetworkIn;
  auto name = node_.pacer.pass({"", id}, chunk.size, route, {end - chunk.took, end});
  if (!fetch.into) data.rebuild();
  chunks_[name] = {id, fetch.stream, stretch, false, std::move(data)};
  return {};
}

Result<void> Fetching::read_here(Fetch& fetch, const Chunk& chunk) {
  std::array<char, kMaxChunk> bytes;
  auto size = static_cast<std::size_t>(chunk.stretch.size);
  std::uint64_t object = fetch.transfer.wanted().object;
  HEDDLE_TRY(node_.scratch.read(object, chunk.stretch.offset, bytes.data(), size));
  HEDDLE_TRY(
      verify(object, chunk.stretch.offset, {bytes.data(), size}, checksum(bytes.data(), size)));
  return fetch.transfer.came(chunk.stretch);
}

bool Fetching::passed(const Pacer::Passed& passed, real::Time now) {
  const auto found = chunks_.extract(passed.chunk);
  if (!found) return false;
  Chunk& chunk = found.mapped();
  auto entry = fetches_.find(chunk.fetch);
  if (entry == fetches_.end()) return true;  // cancelled
  Fetch& fetch = entry->second;
  if (chunk.here) {
    if (chunk.stream != fetch.stream) return true;  // requested before the source failed
    if (auto read = read_here(fetch, chunk); !read) {
      source_failed(chunk.fetch, read.error().text, now);
      return true;
    }
  } else if (fetch.into) {
    auto wrote = node_.scratch.write(*fetch.into, fetch.transfer.wanted().object,
                                     chunk.stretch.offset, chunk.data.data<char>() + kHeader,
                                     static_cast<std::size_t>(chunk.stretch.size));
    if (!wrote) {
      finish(chunk.fetch, wrote.error().text, NodeId{});
      return true;
    }
  }
  fetch.transfer.passed(chunk.stretch.size);
  if (fetch.transfer.complete())
    finish(chunk.fetch, "", *fetch.transfer.source());
  else
    proceed(chunk.fetch, passed.span.end, now);
  return true;
}

void Fetching::peer_gone(NodeId peer, const std::string& why, real::Time now) {
  std::vector<std::uint64_t> theirs;
  for (const auto& [id, fetch] : fetches_)
    if (fetch.transfer.source() == peer && !fetch.transfer.all_came()) theirs.push_back(id);
  for (std::uint64_t id : theirs) source_failed(id, why, now);
}

void Fetching::check(real::Time now) {
  std::vector<std::uint64_t> silent;
  for (auto& [id, fetch] : fetches_) {
    NodeId source = fetch.transfer.source().value_or(NodeId{});
    if (source == node_.self || !fetch.transfer.waiting()) continue;
    auto verdict = fetch.silence.check(now);
    if (verdict == Silence::Verdict::kGiveUp) silent.push_back(id);
    if (verdict != Silence::Verdict::kPing) continue;
    // If the ping can't be sent, the source stays silent.
    (void)node_.links->send(source, {.kind = Kind::kPing, .stream = fetch.stream});
  }
  for (std::uint64_t id : silent) source_failed(id, "is silent", now);
}

}  // namespace heddle::worker
