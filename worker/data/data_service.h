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

/// Identity and resources of a data service. All sizes and rates are real: bytes of the host per
/// second of the host.
struct DataOptions {
  NodeId node;
  std::string bind;     ///< endpoint to listen on: ipc://path or tcp://address:port
  int listening = -1;   ///< a socket that listens there already, else -1; stays the caller's
  std::string scratch;  ///< an existing directory for what tasks store, for this service alone
  double disk_bytes_per_s = 0;
  double network_bytes_per_s = 0;  ///< in each direction
  double silence_s = 3;            ///< a node that is silent for so long is given up
  /// Keys of this service as a server and as a client; required for tcp://.
  std::optional<net::CurveServer> curve = {};
};

/// Request to bring bytes [offset, offset + size) of an object to this node. Every node in `from`
/// can supply a block (top bit of the object clear), since its contents follow from its name.
struct DataFetch {
  std::uint64_t ticket = 0;  ///< chosen by the caller; comes back in DataDone
  std::uint64_t object = 0;
  std::int64_t offset = 0;
  std::int64_t size = 0;
  std::vector<NodeId> from;  ///< tried in order
};

/// Request to write an object here, and copies of it on other nodes.
struct DataStore {
  std::uint64_t ticket = 0;
  std::uint64_t object = 0;
  std::int64_t size = 0;
  bool kept = true;  ///< false: removed everywhere once all is written
  std::vector<NodeId> copies;
};

/// A copy that another node will ask this one to make (DataStore::copies there).
struct DataExpect {
  std::uint64_t object = 0;
  std::int64_t size = 0;
  bool kept = true;
  NodeId from;  ///< the node that will ask and has the object
  friend bool operator==(const DataExpect&, const DataExpect&) = default;
};

struct DataDone {
  std::uint64_t ticket = 0;
  std::string error;  ///< a sentence; "" on success
  NodeId from;        ///< of a fetch: the node that had the object
};

/// The data service of one node: a thread with its own sockets. It serves what other nodes ask for,
/// fetches what this node's tasks need, and stores what they write. Bytes really move, in chunks,
/// and the receiver checks each object by length and checksum. If a source is lost, silent or
/// wrong, the next one is asked. The disk of the node that has the object and the network of both
/// ends pace a transfer, and are shared fairly among all transfers there. Reads from the own node
/// need no network.
///
/// Other nodes are not trusted. They may read what is here, but can write only what was announced
/// (expect), and what is held or done for each of them is bounded. A node that does not read its
/// answers delays only itself.
class DataService {
 public:
  /// Starts the service. Errors: the endpoint or the scratch directory can't be used.
  static Result<std::unique_ptr<DataService>> start(const DataOptions& options);
  virtual ~DataService() = default;

  /// Returns the bound endpoint, for tcp://address:* with the port that the system chose.
  virtual std::string endpoint() const = 0;
  /// Sets the endpoints of the other nodes' services, by node; empty: none (any more). `keys`: the
  /// public keys of those services. Over TCP, connections without one of these keys are refused.
  virtual void peers(const std::vector<std::string>& endpoints,
                     const std::vector<std::string>& keys) = 0;
  virtual void fetch(const DataFetch& fetch) = 0;
  virtual void store(const DataStore& store) = 0;
  /// Announces a copy that another node will ask this service to make. The service makes no copy
  /// that is not announced. It refuses a request whose copy is not announced within
  /// DataOptions::silence_s after the request.
  virtual void expect(const DataExpect& copy) = 0;
  /// Cancels a request. No DataDone comes for it, unless one is under way already.
  virtual void cancel(std::uint64_t ticket) = 0;
  /// Removes a kept object that nobody reads any more.
  virtual void drop(std::uint64_t object) = 0;

  // Faults that a scenario asks for.
  /// No message comes or goes while `cut`.
  virtual void cut_off(bool cut) = 0;
  /// Nothing can be written here while `full`; a write that is under way fails as well.
  virtual void disk_full(bool full) = 0;

  /// Returns a descriptor that is readable while take() has something.
  virtual int fd() const = 0;
  virtual std::vector<DataDone> take() = 0;
  /// Returns log lines about peers that were refused or asked for what they may not have.
  virtual std::vector<std::string> take_refusals() = 0;
  /// Returns the real CPU time of its thread and of ZeroMQ's so far.
  virtual double cpu_s() const = 0;
};

}  // namespace heddle::worker
