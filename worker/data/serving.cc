#include "worker/data/serving.h"

#include <algorithm>
#include <utility>

#include "worker/data/content.h"

namespace heddle::worker {
namespace {

using Kind = DataMessage::Kind;

zmq::message_t words(Kind kind, std::uint64_t stream, const std::string& text) {
  return to_wire({.kind = kind, .stream = stream}, std::string_view(text).substr(0, kMaxText));
}

DataExpect announcement_of(const DataMessage& wanted) {
  return {wanted.object, wanted.size, wanted.kept, wanted.node};
}

std::string words_of(const DataMessage& wanted) {
  return "a copy of " + object_name(wanted.object) + " of " + std::to_string(wanted.size) +
         " bytes";
}

}  // namespace

void Serving::asked(const Links::Received& received, real::Time now) {
  const std::string& asker = received.asker;
  const std::string peer = received.node ? node_name(*received.node) : asker;
  if (!rates_.take(peer, now))
    return node_.links->refused(received.node ? peer : "a node", "it asks too often", now);
  auto refuse = [&](std::uint64_t stream, const std::string& why) {
    send(asker, words(Kind::kRefused, stream, why), now);
  };
  auto message = decode(received.message.to_string_view());
  if (!message) return refuse(0, message.error().text);
  if (message->kind == Kind::kPing) {
    const auto owed = owed_.find({asker, message->stream});
    return send(asker,
                to_wire({.kind = Kind::kPong,
                         .stream = message->stream,
                         .size = owed == owed_.end() ? 0 : owed->second}),
                now);
  }
  if (message->kind == Kind::kCopy) return copy({asker, peer, *message, {}}, received.node, now);
  if (message->kind != Kind::kAsk)
    return refuse(message->stream, "an answer to a request that this node did not send");
  if (!chunks_held_.add(peer))
    return refuse(message->stream, "too many requests wait for their chunks");
  chunk({asker, peer, *message}, now);
}

void Serving::chunk(Asked asked, real::Time now) {
  const Flow flow{asked.asker, asked.chunk.stream};
  owe(flow);
  real::Time due = now - std::min(asked.chunk.late, kCatchUp);
  auto name = node_.pacer.pass(flow, asked.chunk.size, Route::kDiskNetworkOut, {due, due});
  chunks_.emplace(name, std::move(asked));
}

void Serving::paid(const Flow& flow) {
  auto owed = owed_.find(flow);
  if (--owed->second == 0) owed_.erase(owed);
}

bool Serving::passed(const Pacer::Passed& passed, real::Time now) {
  auto found = chunks_.extract(passed.chunk);
  if (!found) return false;
  Unsent one{std::move(found.mapped()), passed.span, {}};
  const std::string asker = one.asked->asker;
  send(asker, std::move(one), now);
  return true;
}

void Serving::send(const std::string& asker, zmq::message_t message, real::Time now) {
  auto before = unsent_.find(asker);
  // Drop messages without a chunk if the asker does not read.
  if (before != unsent_.end() && before->second.size() >= kMostOwed / 4) return;
  send(asker, Unsent{std::nullopt, {}, std::move(message)}, now);
}

void Serving::send(const std::string& asker, Unsent one, real::Time now) {
  auto before = unsent_.find(asker);
  if (before == unsent_.end()) {
    if (try_to_send(asker, one, now) != Links::Sent::kFull) return forget(one);
    before = unsent_.try_emplace(asker).first;
  }
  before->second.push_back(std::move(one));
}

Links::Sent Serving::try_to_send(const std::string& asker, Unsent& one, real::Time now) {
  if (one.message.size() > 0) return node_.links->answer(asker, one.message);
  DataMessage chunk = one.asked->chunk;
  auto size = static_cast<std::size_t>(chunk.size);
  one.message.rebuild(kHeader + size);
  char* body = one.message.data<char>() + kHeader;
  auto read = node_.scratch.read(chunk.object, chunk.offset, body, size);
  if (read) {
    chunk.kind = Kind::kChunk;
    chunk.took = one.span.end - one.span.begin;
    chunk.late = std::max(now - one.span.end, real::Duration(0));
    chunk.checksum = checksum(body, size);
    encode(chunk, one.message.data<char>());
  } else {
    one.message = words(Kind::kRefused, chunk.stream, read.error().text);
  }
  return node_.links->answer(asker, one.message);
}

void Serving::forget(const Unsent& one) {
  if (!one.asked) return;
  paid({one.asked->asker, one.asked->chunk.stream});
  chunks_held_.remove(one.asked->peer);
}

void Serving::work(real::Time now) {
  while (!to_make_.empty() && open_ < kMostOpen) {
    const Copy next = std::move(to_make_.front());
    to_make_.pop_front();
    make_copy(next, now);
  }
  for (auto it = unsent_.begin(); it != unsent_.end();) {
    auto& [asker, queue] = *it;
    auto sent = Links::Sent::kSent;
    while (!queue.empty() && sent != Links::Sent::kFull) {
      // Nothing more is sent to an asker that is gone.
      if (sent != Links::Sent::kGone) sent = try_to_send(asker, queue.front(), now);
      if (sent == Links::Sent::kFull) break;
      forget(queue.front());
      queue.pop_front();
    }
    it = queue.empty() ? unsent_.erase(it) : std::next(it);
  }
}

// Copies ------------------------------------------------------------------------------------------

void Serving::copy(Copy copy, const std::optional<NodeId>& node, real::Time now) {
  const DataMessage& wanted = copy.wanted;
  if (node && *node != wanted.node)
    return refuse(copy, "only " + node_name(wanted.node) + " may ask for it", now);
  if (announced_.take(announcement_of(wanted))) {
    owe({copy.asker, wanted.stream});
    to_make_.push_back(std::move(copy));
    return;
  }
  // The announcement of the master can still arrive.
  if (!unannounced_held_.add(copy.peer))
    return refuse(copy, "too many requests for copies that the master has not announced", now);
  owe({copy.asker, wanted.stream});
  copy.until = now + node_.silence;
  unannounced_.push_back(std::move(copy));
}

void Serving::refuse(const Copy& copy, const std::string& why, real::Time now) {
  node_.links->refused(node_name(copy.wanted.node), words_of(copy.wanted) + ": " + why, now);
  send(copy.asker, words(Kind::kRefused, copy.wanted.stream, why), now);
}

void Serving::expect(const DataExpect& copy) {
  announced_.add(copy);
  auto early = std::find_if(unannounced_.begin(), unannounced_.end(),
                            [&](const Copy& one) { return announcement_of(one.wanted) == copy; });
  if (early == unannounced_.end()) return;
  announced_.take(copy);
  unannounced_held_.remove(early->peer);
  to_make_.push_back(std::move(*early));
  unannounced_.erase(early);
}

void Serving::check(real::Time now) {
  for (; !unannounced_.empty() && now >= unannounced_.front().until; unannounced_.pop_front()) {
    const Copy& late = unannounced_.front();
    unannounced_held_.remove(late.peer);
    paid({late.asker, late.wanted.stream});
    refuse(late, "the master has not announced it", now);
  }
}

void Serving::make_copy(const Copy& copy, real::Time now) {
  auto file = node_.scratch.create(copy.wanted.object);
  if (!file) return copy_ended(copy, file.error().text, now);
  ++open_;
  auto done = [this, copy](const std::string& error, NodeId) {
    --open_;
    if (!copy.wanted.kept || !error.empty()) node_.scratch.remove(copy.wanted.object);
    copy_ended(copy, error, std::chrono::steady_clock::now());
  };
  const DataFetch fetch{
      .object = copy.wanted.object, .size = copy.wanted.size, .from = {copy.wanted.node}};
  fetching_.start(fetch, std::move(file).value(), done, now);
}

void Serving::copy_ended(const Copy& copy, const std::string& error, real::Time now) {
  paid({copy.asker, copy.wanted.stream});
  send(copy.asker, words(Kind::kCopied, copy.wanted.stream, error), now);
}

}  // namespace heddle::worker
