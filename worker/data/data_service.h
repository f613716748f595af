#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/ids.h"
#include "common/result.h"
#include "common/units.h"
#include "net/curve.h"

namespace heddle::worker {

/// What a data service is and may do. All sizes and rates are real: bytes of the host per second of
/// the host.
struct DataOptions {
  NodeId node;
  std::string bind;    ///< endpoint to listen on: ipc://path or tcp://address:port
  int listening = -1;  ///< a socket that listens there already, if there is one; stays the caller's
  std::string scratch;  ///< an existing directory of its own for what tasks hand over
  double disk_bytes_per_s = 0;
  double network_bytes_per_s = 0;  ///< each way
  double silence_s = 3;            ///< a node not heard of for so long is given up
  /// Of this service, as the one who is asked and the one who asks; tcp:// goes not without.
  std::optional<net::CurveServer> curve = {};
};

/// To bring bytes [offset, offset + size) of an object to this node. A block (top bit of the object
/// clear) can be had of every node named; its contents follow from its name.
struct DataFetch {
  std::uint64_t ticket = 0;  ///< the caller's; comes back in DataDone
  std::uint64_t object = 0;
  std::int64_t offset = 0;
  std::int64_t size = 0;
  std::vector<NodeId> from;  ///< tried in order
};

/// To write an object here, and copies of it on other nodes.
struct DataStore {
  std::uint64_t ticket = 0;
  std::uint64_t object = 0;
  std::int64_t size = 0;
  bool kept = true;  ///< false: dropped, here and there, once all is written
  std::vector<NodeId> copies;
};

/// A copy that another node will ask this one to make (DataStore::copies there).
struct DataExpect {
  std::uint64_t object = 0;
  std::int64_t size = 0;
  bool kept = true;
  NodeId from;  ///< who will ask, and has the object
  friend bool operator==(const DataExpect&, const DataExpect&) = default;
};

struct DataDone {
  std::uint64_t ticket = 0;
  std::string error;  ///< a sentence; "" if all went well
  NodeId from;        ///< of a fetch: who had it
};

/// The data service of one node: a thread of its own, with its own sockets, which serves what other
/// nodes ask for, brings what this node's tasks need, and stores what they hand over. Bytes really
/// move, in chunks, each object checked at the receiver by length and checksum; a source that is
/// lost, silent or wrong is given up for the next. What moves is paced by the disk of the node that
/// has it and by the network of both ends, shared fairly among all that goes on there; what is read
/// on its own node needs no network.
///
/// Other nodes are not trusted: they get what is here, but write nothing that was not announced
/// (expect), and what is held or done for each of them is bounded. A node that does not read what
/// it has asked for waits for itself alone.
class DataService {
 public:
  /// Errors: the endpoint or the scratch directory can't be used.
  static Result<std::unique_ptr<DataService>> start(const DataOptions& options);
  virtual ~DataService() = default;

  /// What is bound; with the port that the system has chosen for tcp://address:*.
  virtual std::string endpoint() const = 0;
  /// Where the other nodes' services are, by node; empty: not there (any more). With it those
  /// services' public keys: over TCP who has none of them is not let in.
  virtual void peers(const std::vector<std::string>& endpoints,
                     const std::vector<std::string>& keys) = 0;
  virtual void fetch(const DataFetch& fetch) = 0;
  virtual void store(const DataStore& store) = 0;
  /// Announces a copy. No other copies are made here: one that is asked for and not announced
  /// within DataOptions::silence_s is refused.
  virtual void expect(const DataExpect& copy) = 0;
  /// Nobody waits for it any more; no DataDone comes, unless it is under way already.
  virtual void cancel(std::uint64_t ticket) = 0;
  /// A kept object that nobody reads any more is removed.
  virtual void drop(std::uint64_t object) = 0;

  // Faults that a scenario asks for.
  /// No message comes or goes.
  virtual void cut_off(bool cut) = 0;
  /// Nothing can be written here; what is written just now is an error as well.
  virtual void disk_full(bool full) = 0;

  /// Readable when take() has something to give.
  virtual int fd() const = 0;
  virtual std::vector<DataDone> take() = 0;
  /// Lines for the log about those who were not let in, or asked for what they may not have.
  virtual std::vector<std::string> take_refusals() = 0;
  /// Real CPU time so far, of its thread and of ZeroMQ's.
  virtual double cpu_s() const = 0;
};

}  // namespace heddle::worker
