#include "worker/data/serving.h"

#include <set>
#include <string>

#include "tests/fuzz/data_bench.h"
#include "tests/fuzz/targets.h"

namespace heddle::fuzz {
namespace {

using namespace std::chrono_literals;
using namespace heddle::worker;

class ServingSession {
 public:
  ServingSession() { bench_.put(kOwn, kOwnSize); }

  /// Makes one thing happen. Returns true if it was a message that was understood.
  bool step(Bytes& bytes) {
    bool understood = false;
    switch (bytes.below(5)) {
      case 0:  // arbitrary bytes
        understood = ask(bytes, zmq::message_t(bytes.text(bytes.below(kHeader + 16))));
        break;
      case 1:
      case 2: {
        DataMessage message = message_from(bytes, kObjects);
        understood = ask(bytes, message_on_wire(message, bytes));
        break;
      }
      case 3:
        announce(bytes);
        break;
      default:
        answer(bytes);
    }
    bench_.pass(time_from(bytes), fetching_, serving_);
    fetching_.check(bench_.now());
    serving_.check(bench_.now());
    serving_.work(bench_.now());
    return understood;
  }

  void end() {
    bench_.settle(fetching_, serving_);
    for (std::int64_t peer = 0; peer < 5; ++peer)
      fetching_.peer_gone(NodeId{peer}, "is gone", bench_.now());
    bench_.settle(fetching_, serving_);
    require(fetching_.empty(), "copies of those who are gone end");
    for (const auto& [name, content] : bench_.files())
      require(name == file_of(kOwn) || announced_.contains(name),
              "only copies that were announced are made");
  }

 private:
  /// Passes in a request of a peer with or without a key.
  bool ask(Bytes& bytes, zmq::message_t message) {
    Links::Received asked;
    const std::uint64_t asker = bytes.below(6);
    asked.asker = std::string(1, static_cast<char>('a' + asker % 3));
    if (asker >= 3) asked.node = NodeId{static_cast<std::int64_t>(asker - 2)};
    asked.message = std::move(message);
    const bool understood = bool(decode(asked.message.to_string_view()));
    serving_.asked(asked, bench_.now());
    return understood;
  }
  /// Announces a copy, as the master does.
  void announce(Bytes& bytes) {
    const DataMessage copy = message_from(bytes, kObjects);
    serving_.expect({copy.object | kFile, copy.size, copy.kept, copy.node});
    announced_.insert(file_of(copy.object | kFile));
  }
  /// Passes in an answer to a copy under way.
  void answer(Bytes& bytes) {
    const DataMessage message = message_from(bytes, kObjects);
    zmq::message_t data = message_on_wire(message, bytes);
    if (decode(data.to_string_view()))
      fetching_.answered(message.node, message, data, bench_.now());
  }

  /// A file that a task here has handed over, a file that does not exist, and a block.
  static constexpr std::uint64_t kOwn = kFile | 1, kMissing = kFile | 2, kBlock = 7;
  static constexpr std::int64_t kOwnSize = 3 * kChunk + 100;
  static inline const std::vector<std::uint64_t> kObjects = {kOwn, kMissing, kBlock};
  std::set<std::string> announced_;  ///< file names
  DataBench bench_;
  Fetching fetching_{&bench_.node()};
  Serving serving_{&bench_.node(), &fetching_};
};

}  // namespace

bool serving(std::string_view input) {
  ServingSession session;
  bool any = false;
  for (Bytes bytes(input); !bytes.empty();) any |= session.step(bytes);
  session.end();
  return any;
}

}  // namespace heddle::fuzz
