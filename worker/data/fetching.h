#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <zmq.hpp>

#include "common/fd.h"
#include "worker/data/links.h"
#include "worker/data/pacer.h"
#include "worker/data/scratch.h"
#include "worker/data/transfer.h"

namespace heddle::worker {

/// What the parts of one data service share.
struct DataNode {
  NodeId self;
  Pacer pacer;
  Scratch scratch;
  std::unique_ptr<Links> links;
  std::int64_t chunk = 0;
  real::Duration silence{};
  std::uint64_t streams = 0;  ///< named so far
};

/// Brings objects, or stretches of them, to this node: from itself (only the disk's pace) or from
/// other nodes (the network's too), and writes them if wanted.
class Fetching {
 public:
  /// An error, or "" and who had it.
  using Done = std::function<void(const std::string& error, NodeId from)>;

  explicit Fetching(DataNode* node) : node_(*node) {}

  /// `into`: a file for what comes, if it is to be kept.
  void start(const DataFetch& fetch, std::optional<Fd> into, Done done, real::Time now);
  /// Forgets a fetch of a task's.
  void cancel(std::uint64_t ticket);

  // What happens; each is false if it is none of a fetch's business. `data` is moved from if it is.
  bool passed(const Pacer::Passed& chunk, real::Time now);
  bool answered(NodeId peer, const DataMessage& message, zmq::message_t& data, real::Time now);

  void peer_gone(NodeId peer, const std::string& why, real::Time now);
  /// Looks for sources that are silent. To be called a few times within DataNode::silence.
  void check(real::Time now);
  bool empty() const { return fetches_.empty(); }

 private:
  struct Fetch {
    Transfer transfer;
    Done done;
    std::optional<Fd> into;
    std::uint64_t stream = 0;  ///< what the present source is asked for
    Silence silence;
  };
  using Fetches = std::map<std::uint64_t, Fetch>;
  struct Chunk {
    std::uint64_t fetch = 0, stream = 0;
    Transfer::Stretch stretch;
    bool here = false;    ///< read on this node; false: it has come over the network
    zmq::message_t data;  ///< if it is to be written
  };

  void next_stream(Fetches::value_type& entry);
  void go_on(std::uint64_t id, real::Time due, real::Time now);
  Result<void> ask(std::uint64_t id, Fetch& fetch, Transfer::Stretch stretch, real::Time due,
                   real::Time now);
  Result<void> take(std::uint64_t id, Fetch& fetch, const DataMessage& chunk, zmq::message_t& data,
                    real::Time now);
  Result<void> read_here(Fetch& fetch, const Chunk& chunk);
  void source_failed(std::uint64_t id, const std::string& why, real::Time now);
  void finish(std::uint64_t id, const std::string& error, NodeId from);

  DataNode& node_;
  Fetches fetches_;
  std::map<std::uint64_t, std::uint64_t> by_stream_;
  std::map<std::uint64_t, Chunk> chunks_;  ///< in the pacer, by its names
};

}  // namespace heddle::worker
