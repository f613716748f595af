#include "worker/data/storing.h"

#include "tests/fuzz/data_bench.h"
#include "tests/fuzz/targets.h"

namespace heddle::fuzz {
namespace {

using namespace std::chrono_literals;
using namespace heddle::worker;

constexpr std::size_t kMostStores = 16;

class StoringSession {
 public:
  /// Makes one thing happen.
  void step(Bytes& bytes) {
    switch (bytes.below(8)) {
      case 0:
      case 1:
        start(bytes);
        break;
      case 2:
        cancel(bytes);
        break;
      case 3:
        storing_.peer_gone(NodeId{static_cast<std::int64_t>(bytes.below(4))});
        break;
      case 4:
        bench_.node().scratch.set_full(bytes.below(2) == 0);
        break;
      default:
        answer(bytes);
    }
    bench_.pass(time_from(bytes), storing_);
    storing_.check(bench_.now());
  }
  bool any() const { return !stores_.empty(); }

  void end() {
    bench_.node().scratch.set_full(false);
    bench_.settle(storing_);
    for (std::int64_t peer = 0; peer < 4; ++peer) storing_.peer_gone(NodeId{peer});
    bench_.settle(storing_);
    require(storing_.empty(), "copies by those who are gone end");
    std::map<std::string, std::string> files = bench_.files();
    for (const Store& store : stores_) {
      const std::string name = file_of(store.wanted.object);
      require(store.ends <= 1, "a store ends once");
      require(store.ends == 1 || store.cancelled, "a store ends unless it is cancelled");
      const bool there = store.ends == 1 && store.written && store.wanted.kept && !store.removed;
      require(files.contains(name) == there, "what is kept is there, and nothing else");
      if (there)
        require(files[name] == content_of(store.wanted.object, store.wanted.size),
                "what is kept is whole");
      files.erase(name);
    }
    require(files.empty(), "no other file is there");
  }

 private:
  struct Store {
    DataStore wanted;
    int ends = 0;
    bool cancelled = false;
    bool removed = false;  ///< by a cancel before the store's end
    bool written = false;
  };

  void start(Bytes& bytes) {
    static constexpr std::int64_t kSizes[] = {0, 1, kChunk, 3 * kChunk + 1};
    if (stores_.size() == kMostStores) return;
    const std::size_t index = stores_.size();
    Store& store = stores_.emplace_back();
    store.wanted.ticket = index;
    store.wanted.object = (bytes.below(8) == 7 ? 0 : kFile) | (0x100 + index);
    store.wanted.size = kSizes[bytes.below(std::size(kSizes))];
    store.wanted.kept = bytes.below(2) == 0;
    for (std::uint64_t i = bytes.below(4); i > 0; --i)
      store.wanted.copies.push_back(NodeId{static_cast<std::int64_t>(bytes.below(4))});
    storing_.start(store.wanted, bench_.now());
  }

  void ended(std::uint64_t ticket, const std::string& error) {
    Store& store = stores_[ticket];
    ++store.ends;
    // An error of another node's copy does not affect the file here.
    store.written = error.empty() || error.starts_with("node ");
  }

  void cancel(Bytes& bytes) {
    if (stores_.empty()) return;
    Store& store = stores_[bytes.below(stores_.size())];
    storing_.cancel(store.wanted.ticket);
    store.cancelled = true;
    store.removed |= store.ends == 0;
  }

  void answer(Bytes& bytes) {
    const DataMessage message = message_from(bytes, {kFile | 0x100});
    const zmq::message_t data = message_on_wire(message, bytes);
    const std::string_view text = data.to_string_view();
    if (decode(text)) storing_.answered(message.node, message, text.substr(kHeader), bench_.now());
  }

  DataBench bench_;
  std::vector<Store> stores_;  ///< by ticket
  Storing storing_{&bench_.node(), [this](std::uint64_t ticket, const std::string& error) {
                     ended(ticket, error);
                   }};
};

}  // namespace

bool storing(std::string_view input) {
  StoringSession session;
  for (Bytes bytes(input); !bytes.empty();) session.step(bytes);
  session.end();
  return session.any();
}

}  // namespace heddle::fuzz
