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

/// State that the parts of one data service share.
struct DataNode {
  NodeId self;
  Pacer pacer;
  Scratch scratch;
  std::unique_ptr<Links> links;
  std::int64_t chunk = 0;
  real::Duration silence{};
  std::uint64_t streams = 0;  ///< number of the last stream
};

/// Brings objects or parts of objects to this node, and writes them to a file if the caller wants
/// that. Data from this node is paced only by the disk. Data from other nodes is paced by the
/// network, too.
class Fetching {
 public:
  /// Function that gets the result of a fetch. `error` is "" on success, and `from` is then the
  /// node that supplied the object.
  using Done = std::function<void(const std::string& error, NodeId from)>;

  explicit Fetching(DataNode* node) : node_(*node) {}

  /// Starts a fetch. Writes the bytes to the file `into`, if there is one.
  void start(const DataFetch& fetch, std::optional<Fd> into, Done done, real::Time now);
  /// Forgets a fetch that a task has requested.
  void cancel(std::uint64_t ticket);

  // Handle events. They return false if the event belongs to no fetch. If they return true, `data`
  // can have been moved.
  bool passed(const Pacer::Passed& chunk, real::Time now);
  bool answered(NodeId peer, const DataMessage& message, zmq::message_t& data, real::Time now);

  void peer_gone(NodeId peer, const std::string& why, real::Time now);
  /// Gives up sources that are silent. Call check() a few times within DataNode::silence.
  void check(real::Time now);
  bool empty() const { return fetches_.empty(); }

 private:
  struct Fetch {
    Transfer transfer;
    Done done;
    std::optional<Fd> into;
    std::uint64_t stream = 0;  ///< name of the requests to the current source
    Silence silence;
  };
  using Fetches = std::map<std::uint64_t, Fetch>;
  struct Chunk {
    std::uint64_t fetch = 0, stream = 0;
    Transfer::Stretch stretch;
    bool here = false;    ///< true: read on this node; false: from another node
    zmq::message_t data;  ///< set if the chunk is to be written
  };

  void next_stream(Fetches::value_type& entry);
  void proceed(std::uint64_t id, real::Time due, real::Time now);
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
  std::map<std::uint64_t, Chunk> chunks_;  ///< chunks in the pacer, by the pacer's names
};

}  // namespace heddle::worker
