#include "worker/data/fetching.h"

#include "tests/fuzz/data_bench.h"
#include "tests/fuzz/targets.h"
#include "worker/data/content.h"

namespace heddle::fuzz {
namespace {

using namespace std::chrono_literals;
using namespace heddle::worker;

constexpr std::size_t kMostFetches = 16;

class FetchingSession {
 public:
  FetchingSession() { bench_.put(kOwn, 2 * kChunk); }

  /// Makes one thing happen.
  void step(Bytes& bytes) {
    switch (bytes.below(8)) {
      case 0:
        start(bytes);
        break;
      case 1:
        cancel(bytes);
        break;
      case 2:
        fetching_.peer_gone(NodeId{static_cast<std::int64_t>(bytes.below(4))}, "is gone",
                            bench_.now());
        break;
      case 3:
      case 4:
      case 5:
        answer_next(bytes);
        break;
      default:
        answer(message_from(bytes, kObjects), bytes);
    }
    bench_.pass(time_from(bytes), fetching_);
    fetching_.check(bench_.now());
  }
  bool any() const { return !fetches_.empty(); }

  void end() {
    bench_.settle(fetching_);
    for (int source = 0; source < 4; ++source) {
      for (std::int64_t peer = 0; peer < 4; ++peer)
        fetching_.peer_gone(NodeId{peer}, "is gone", bench_.now());
      bench_.settle(fetching_);
    }
    require(fetching_.empty(), "what nobody has ends");
    for (const Fetch& fetch : fetches_) {
      require(fetch.ends <= 1, "a fetch ends once");
      require(fetch.ends == 1 || fetch.cancelled, "a fetch ends unless it is cancelled");
    }
    require(bench_.files()[file_of(kOwn)] == content_of(kOwn, 2 * kChunk),
            "what is read is not changed");
  }

 private:
  struct Fetch {
    DataFetch wanted;
    std::uint64_t stream = 0;
    std::int64_t came = 0;  ///< bytes of which an answer was tried, at least
    int ends = 0;
    bool cancelled = false, kept = false;
  };

  void start(Bytes& bytes) {
    static constexpr std::int64_t kSizes[] = {0, 1, kChunk, 2 * kChunk, 40 * kChunk, 1LL << 50};
    if (fetches_.size() == kMostFetches) return;
    const std::size_t index = fetches_.size();
    Fetch& fetch = fetches_.emplace_back();
    fetch.wanted.ticket = index;
    fetch.wanted.object = kObjects[bytes.below(kObjects.size())];
    fetch.wanted.offset = static_cast<std::int64_t>(bytes.below(3)) * kChunk;
    fetch.wanted.size = kSizes[bytes.below(std::size(kSizes))];
    for (std::uint64_t i = bytes.below(4); i > 0; --i)
      fetch.wanted.from.push_back(NodeId{static_cast<std::int64_t>(bytes.below(4))});
    // For a block of petabytes, this node would ask itself forever.
    if (fetch.wanted.size > 40 * kChunk) std::erase(fetch.wanted.from, NodeId{0});
    std::optional<Fd> into;
    if (bytes.below(4) == 0) into = *bench_.node().scratch.create(kFile | (0x100 + index));
    fetch.kept = into.has_value();
    fetching_.start(
        fetch.wanted, std::move(into),
        [this, index](const std::string&, NodeId) { ++fetches_[index].ends; }, bench_.now());
    fetches_[index].stream = bench_.node().streams;
  }

  void cancel(Bytes& bytes) {
    if (fetches_.empty()) return;
    const std::size_t index = bytes.below(fetches_.size());
    fetching_.cancel(index);
    fetches_[index].cancelled |= !fetches_[index].kept;
  }

  /// Answers with the chunk that a fetch waits for, as far as the test knows.
  void answer_next(Bytes& bytes) {
    if (fetches_.empty()) return;
    Fetch& fetch = fetches_[bytes.below(fetches_.size())];
    DataMessage chunk;
    chunk.kind = DataMessage::Kind::kChunk;
    chunk.stream = bytes.below(4) == 0 ? bench_.node().streams : fetch.stream;
    chunk.object = fetch.wanted.object;
    chunk.offset = fetch.wanted.offset + fetch.came;
    chunk.size = std::min(kChunk, fetch.wanted.size - fetch.came);
    if (chunk.size <= 0 || fetch.wanted.from.empty()) return;
    chunk.checksum =
        content_checksum(chunk.object, chunk.offset, static_cast<std::size_t>(chunk.size));
    fetch.came += chunk.size;
    chunk.node = fetch.wanted.from[bytes.below(fetch.wanted.from.size())];
    answer(chunk, bytes);
  }

  void answer(const DataMessage& message, Bytes& bytes) {
    zmq::message_t data = message_on_wire(message, bytes);
    if (decode(data.to_string_view()))
      fetching_.answered(message.node, message, data, bench_.now());
  }

  static constexpr std::uint64_t kOwn = kFile | 1, kOther = kFile | 2, kBlock = 7;
  static inline const std::vector<std::uint64_t> kObjects = {kOwn, kOther, kBlock};
  DataBench bench_;
  Fetching fetching_{&bench_.node()};
  std::vector<Fetch> fetches_;  ///< by ticket
};

}  // namespace

bool fetching(std::string_view input) {
  FetchingSession session;
  for (Bytes bytes(input); !bytes.empty();) session.step(bytes);
  session.end();
  return session.any();
}

}  // namespace heddle::fuzz
