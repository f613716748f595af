#include "worker/data/serving.h"

#include "tests/fuzz/data_bench.h"
#include "tests/fuzz/targets.h"

namespace heddle::fuzz {
namespace {

using namespace std::chrono_literals;
using namespace heddle::worker;

/// A file that a task here has handed over, one that is not there, and a block.
constexpr std::uint64_t kOwn = kFile | 1, kMissing = kFile | 2, kBlock = 7;
constexpr std::int64_t kOwnSize = 3 * kChunk + 100;

class Session {
 public:
  Session() { bench_.put(kOwn, kOwnSize); }

  /// One thing that happens. True: a message was understood.
  bool step(Bytes& bytes) {
    bool understood = false;
    const std::string asker(1, static_cast<char>('a' + bytes.below(3)));
    switch (bytes.below(4)) {
      case 0: {  // whatever
        const std::string_view data = bytes.text(bytes.below(kHeader + 16));
        understood = bool(decode(data));
        serving_.asked(asker, data, bench_.now());
        break;
      }
      case 1:
      case 2: {
        const zmq::message_t data = message_on_wire(message_from(bytes, kObjects), bytes);
        understood = bool(decode(data.to_string_view()));
        serving_.asked(asker, data.to_string_view(), bench_.now());
        break;
      }
      default:
        answer(bytes);
    }
    bench_.pass(time_from(bytes), fetching_, serving_);
    fetching_.check(bench_.now());
    return understood;
  }

  void end() {
    bench_.settle(fetching_, serving_);
    for (std::int64_t peer = 0; peer < 5; ++peer)
      fetching_.peer_gone(NodeId{peer}, "is gone", bench_.now());
    bench_.settle(fetching_, serving_);
    require(fetching_.empty(), "copies of those who are gone end");
    for (const auto& [name, content] : bench_.files())
      require(name == file_of(kOwn) || name == file_of(kMissing) || name == file_of(kFile | kBlock),
              "files are named by their objects");
  }

 private:
  /// To a copy that is under way.
  void answer(Bytes& bytes) {
    const DataMessage message = message_from(bytes, kObjects);
    zmq::message_t data = message_on_wire(message, bytes);
    if (decode(data.to_string_view()))
      fetching_.answered(message.node, message, data, bench_.now());
  }

  static inline const std::vector<std::uint64_t> kObjects = {kOwn, kMissing, kBlock};
  DataBench bench_;
  Fetching fetching_{&bench_.node()};
  Serving serving_{&bench_.node(), &fetching_};
};

}  // namespace

bool serving(std::string_view input) {
  Session session;
  bool any = false;
  for (Bytes bytes(input); !bytes.empty();) any |= session.step(bytes);
  session.end();
  return any;
}

}  // namespace heddle::fuzz
