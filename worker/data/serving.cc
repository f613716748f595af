#include "worker/data/serving.h"

#include <algorithm>
#include <utility>

#include "worker/data/content.h"

namespace heddle::worker {
namespace {

using Kind = DataMessage::Kind;

/// What is asked for and not sent yet, at most: chunks, and copies.
constexpr std::size_t kMaxOwed = 1 << 16;

zmq::message_t say(Kind kind, std::uint64_t stream, const std::string& text) {
  DataMessage message;
  message.kind = kind;
  message.stream = stream;
  return to_wire(message, std::string_view(text).substr(0, kMaxText));
}

}  // namespace

void Serving::asked(const std::string& asker, std::string_view data, real::Time now) {
  auto refuse = [&](std::uint64_t stream, const std::string& why) {
    node_.links->answer(asker, say(Kind::kRefused, stream, why));
  };
  auto message = decode(data);
  if (!message) return refuse(0, message.error().text);
  if (message->kind == Kind::kPing) {
    DataMessage pong;
    pong.kind = Kind::kPong;
    pong.stream = message->stream;
    pong.size = owed({asker, message->stream});
    return node_.links->answer(asker, to_wire(pong));
  }
  if (message->kind != Kind::kAsk && message->kind != Kind::kCopy)
    return refuse(message->stream, "an answer to what was never asked");
  if (chunks_.size() + copies_.size() >= kMaxOwed)
    return refuse(message->stream, "too much is asked of it");
  if (message->kind == Kind::kCopy) return copy(asker, *message, now);
  real::Time due = now - std::min(message->late, kCatchUp);
  auto name =
      node_.pacer.pass({asker, message->stream}, message->size, Route::kDiskNetworkOut, {due, due});
  chunks_.emplace(name, Asked{asker, *message});
}

std::int64_t Serving::owed(const Flow& flow) const {
  auto chunks = std::count_if(chunks_.begin(), chunks_.end(), [&](const auto& entry) {
    return entry.second.asker == flow.peer && entry.second.chunk.stream == flow.transfer;
  });
  return chunks + static_cast<std::int64_t>(copies_.count(flow));
}

bool Serving::passed(const Pacer::Passed& passed, real::Time now) {
  auto found = chunks_.find(passed.chunk);
  if (found == chunks_.end()) return false;
  auto [asker, chunk] = std::move(found->second);
  chunks_.erase(found);
  auto size = static_cast<std::size_t>(chunk.size);
  zmq::message_t message(kHeader + size);
  char* body = message.data<char>() + kHeader;
  auto read = node_.scratch.read(chunk.object, chunk.offset, body, size);
  if (read) {
    chunk.kind = Kind::kChunk;
    chunk.took = passed.span.end - passed.span.begin;
    chunk.late = std::max(now - passed.span.end, real::Duration(0));
    chunk.checksum = checksum(body, size);
    encode(chunk, message.data<char>());
  } else {
    message = say(Kind::kRefused, chunk.stream, read.error().text);
  }
  node_.links->answer(asker, std::move(message));
  return true;
}

void Serving::copy(const std::string& asker, const DataMessage& wanted, real::Time now) {
  std::uint64_t object = wanted.object, stream = wanted.stream;
  auto file = node_.scratch.create(object);
  if (!file) return node_.links->answer(asker, say(Kind::kCopied, stream, file.error().text));
  auto ours = copies_.insert({asker, stream});
  auto done = [this, ours, object, kept = wanted.kept](const std::string& error, NodeId) {
    Flow flow = *ours;
    copies_.erase(ours);
    if (!kept || !error.empty()) node_.scratch.remove(object);
    node_.links->answer(flow.peer, say(Kind::kCopied, flow.transfer, error));
  };
  DataFetch fetch;
  fetch.object = object;
  fetch.size = wanted.size;
  fetch.from = {wanted.node};
  fetching_.start(fetch, std::move(file).value(), done, now);
}

}  // namespace heddle::worker
