#include "worker/data/storing.h"

#include <algorithm>
#include <array>
#include <utility>

#include "worker/data/content.h"

namespace heddle::worker {
namespace {

using Kind = DataMessage::Kind;

}  // namespace

void Storing::start(const DataStore& store, real::Time now) {
  if (!is_file(store.object)) return done_(store.ticket, "a block can't be written");
  // The object belongs to the task that writes it. If the task has written it before, no task reads
  // the old data any more.
  node_.scratch.remove(store.object);
  auto file = node_.scratch.create(store.object);
  if (!file) return done_(store.ticket, file.error().text);
  std::uint64_t id = ++node_.streams;
  Store& made = stores_[id];
  made.wanted = store;
  made.file = std::move(file).value();
  if (store.size > 0)
    write(id, made, now);
  else
    copy(id, made, now);
}

void Storing::cancel(std::uint64_t ticket) {
  std::erase_if(stores_, [&](const auto& store) {
    if (store.second.wanted.ticket != ticket) return false;
    node_.scratch.remove(store.second.wanted.object);
    std::erase_if(copies_, [&](const auto& copy) { return copy.second.store == store.first; });
    return true;
  });
}

std::int64_t Storing::next_chunk(const Store& store) const {
  return std::min(node_.chunk, store.wanted.size - store.written);
}

/// Passes the next chunk to the pacer. `due` is when the disk is ready for the chunk according to
/// the schedule.
void Storing::write(std::uint64_t id, const Store& store, real::Time due) {
  chunks_[node_.pacer.pass({"", id}, next_chunk(store), Route::kDisk, {due, due})] = id;
}

Result<void> Storing::wrote_chunk(Store& store) {
  std::array<char, kMaxChunk> bytes;
  auto size = static_cast<std::size_t>(next_chunk(store));
  fill_content(store.wanted.object, store.written, bytes.data(), size);
  HEDDLE_TRY(
      node_.scratch.write(store.file, store.wanted.object, store.written, bytes.data(), size));
  store.written += static_cast<std::int64_t>(size);
  return {};
}

bool Storing::passed(const Pacer::Passed& passed, real::Time now) {
  const auto chunk = chunks_.extract(passed.chunk);
  if (!chunk) return false;
  const std::uint64_t id = chunk.mapped();
  auto found = stores_.find(id);
  if (found == stores_.end()) return true;  // cancelled
  Store& store = found->second;
  if (auto wrote = wrote_chunk(store); !wrote) {
    store.error = wrote.error().text;
    finish(id);
  } else if (store.written < store.wanted.size) {
    write(id, store, passed.span.end);
  } else {
    copy(id, store, now);
  }
  return true;
}

void Storing::copy(std::uint64_t id, Store& store, real::Time now) {
  store.file.reset();
  for (NodeId node : store.wanted.copies) {
    if (node == node_.self) continue;
    const DataMessage message{.kind = Kind::kCopy,
                              .kept = store.wanted.kept,
                              .node = node_.self,
                              .stream = ++node_.streams,
                              .object = store.wanted.object,
                              .size = store.wanted.size};
    if (!node_.links->send(node, message)) continue;  // the node is lost
    copies_.emplace(message.stream, Copy{id, node, Silence(node_.silence, now)});
    ++store.copies;
  }
  if (store.copies == 0) finish(id);
}

void Storing::copy_ended(std::uint64_t stream, const std::string& error) {
  auto copy = copies_.find(stream);
  std::uint64_t id = copy->second.store;
  Store& store = stores_.at(id);
  if (!error.empty() && store.error.empty())
    store.error = node_name(copy->second.on) + ": " + error;
  copies_.erase(copy);
  if (--store.copies == 0) finish(id);
}

void Storing::finish(std::uint64_t id) {
  const auto finished = stores_.extract(id);
  const Store& store = finished.mapped();
  bool written = store.written == store.wanted.size;
  if (!written || !store.wanted.kept) node_.scratch.remove(store.wanted.object);
  done_(store.wanted.ticket, store.error);
}

bool Storing::answered(NodeId peer, const DataMessage& message, std::string_view body,
                       real::Time now) {
  auto copy = copies_.find(message.stream);
  if (copy == copies_.end()) return false;
  if (copy->second.on != peer) return true;
  if (message.kind == Kind::kCopied)
    copy_ended(message.stream, std::string(body));
  else if (message.kind == Kind::kRefused)
    copy_ended(message.stream, "");  // the node does not expect it, for example after a restart
  else if (message.kind == Kind::kPong && !copy->second.silence.pong(message.size, now))
    copy_ended(message.stream, "");  // the node was restarted, and the copy is lost
  return true;
}

void Storing::peer_gone(NodeId peer) {
  std::vector<std::uint64_t> theirs;
  for (const auto& [stream, copy] : copies_)
    if (copy.on == peer) theirs.push_back(stream);
  for (std::uint64_t stream : theirs) copy_ended(stream, "");
}

void Storing::check(real::Time now) {
  std::vector<std::uint64_t> silent;
  for (auto& [stream, copy] : copies_) {
    auto verdict = copy.silence.check(now);
    if (verdict == Silence::Verdict::kGiveUp) silent.push_back(stream);
    if (verdict != Silence::Verdict::kPing) continue;
    (void)node_.links->send(copy.on, {.kind = Kind::kPing, .stream = stream});
  }
  for (std::uint64_t stream : silent) copy_ended(stream, "");
}

}  // namespace heddle::worker
