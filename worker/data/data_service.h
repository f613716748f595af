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

/// Identity and resources of a data service. All sizes and rates are real, not emulated: bytes of
/// the host, and seconds of the host.
struct DataOptions {
  NodeId node;
  std::string bind;     ///< endpoint to listen on: ipc://path or tcp://address:port
  int listening = -1;   ///< the caller's socket that listens at `bind`, or -1
  std::string scratch;  ///< existing directory for files of tasks, only for this service
  double disk_bytes_per_s = 0;
  double network_bytes_per_s = 0;  ///< in each direction
  double silence_s = 3;            ///< a node is given up after this silence
  /// Keys of this service as a server and as a client; required for tcp://.
  std::optional<net::CurveServer> curve = {};
};

/// Request to bring bytes [offset, offset + size) of an object to this node. If the object is a
/// block (content.h), every node in `from` can supply it, because the contents of a block follow
/// from its name.
struct DataFetch {
  std::uint64_t ticket = 0;  ///< number that the caller chooses; DataDone has the same
  std::uint64_t object = 0;
  std::int64_t offset = 0;
  std::int64_t size = 0;
  std::vector<NodeId> from;  ///< the nodes to ask, in order
};

/// Request to write an object on this node, and copies of it on other nodes.
struct DataStore {
  std::uint64_t ticket = 0;
  std::uint64_t object = 0;
  std::int64_t size = 0;
  bool kept = true;  ///< false: remove it everywhere after writing
  std::vector<NodeId> copies;
};

/// A copy that another node will ask this node to make (DataStore::copies on that node).
struct DataExpect {
  std::uint64_t object = 0;
  std::int64_t size = 0;
  bool kept = true;
  NodeId from;  ///< the node that has the object and will ask
  friend bool operator==(const DataExpect&, const DataExpect&) = default;
};

struct DataDone {
  std::uint64_t ticket = 0;
  std::string error;  ///< a sentence; "" on success
  NodeId from;        ///< after a fetch: the node that supplied the object
};

/// The data service of one node: a thread with its own sockets. It sends data that other nodes ask
/// for, fetches data that this node's tasks need, and stores data that they write. Data really
/// moves, in chunks, and the receiver checks the length and the checksum of each chunk. If a source
/// is lost, is silent or sends wrong data, the service asks the next source. A transfer is paced by
/// the disk of the node that has the object, and by the network of both nodes. All transfers of a
/// node share its disk and its network fairly. Reads from the own node need no network.
///
/// Other nodes are not trusted. They can read everything that this node has, but they can write
/// only announced copies (expect). The memory and the work for each of them are bounded. A node
/// that does not read its answers delays only itself.
class DataService {
 public:
  /// Starts the service. Errors: the endpoint or the scratch directory can't be used.
  static Result<std::unique_ptr<DataService>> start(const DataOptions& options);
  virtual ~DataService() = default;

  /// Returns the endpoint to which the service is bound. For tcp://address:*, it contains the port
  /// that the system has chosen.
  virtual std::string endpoint() const = 0;
  /// Sets the endpoints of the other nodes' services, by node. An empty endpoint means that the
  /// node has no service at present. `keys` contains the public keys of these services. Over TCP,
  /// connections without one of these keys are refused.
  virtual void peers(const std::vector<std::string>& endpoints,
                     const std::vector<std::string>& keys) = 0;
  virtual void fetch(const DataFetch& fetch) = 0;
  virtual void store(const DataStore& store) = 0;
  /// Announces a copy that another node will ask this service to make. The service makes no copy
  /// that is not announced. It refuses a request whose copy is not announced within
  /// DataOptions::silence_s after the request.
  virtual void expect(const DataExpect& copy) = 0;
  /// Cancels a request. take() then returns no DataDone for it, unless the request was already
  /// done.
  virtual void cancel(std::uint64_t ticket) = 0;
  /// Removes a kept object. Called when no task needs the object any more.
  virtual void drop(std::uint64_t object) = 0;

  // Faults that a scenario asks for.
  /// While `cut` is true, the service sends no messages and ignores all that arrive.
  virtual void cut_off(bool cut) = 0;
  /// While `full` is true, all writes on this node fail, also writes that have begun before.
  virtual void disk_full(bool full) = 0;

  /// Returns a descriptor that is readable while take() has something to return.
  virtual int fd() const = 0;
  virtual std::vector<DataDone> take() = 0;
  /// Returns log lines about peers that were refused, or that asked for data or copies without
  /// permission.
  virtual std::vector<std::string> take_refusals() = 0;
  /// Returns the real CPU time of the service's thread and of ZeroMQ's thread so far.
  virtual double cpu_s() const = 0;
};

}  // namespace heddle::worker
