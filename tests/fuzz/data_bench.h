#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <zmq.hpp>

#include "tests/fuzz/bytes.h"
#include "worker/data/fetching.h"

namespace heddle::fuzz {

inline constexpr std::int64_t kChunk = 4096;
inline constexpr std::uint64_t kFile = 1ULL << 63;  ///< the bit that marks objects that are files

/// A data service without its thread and without connections. The test passes in the messages of
/// other services, and the messages that this service sends are dropped. The directory is empty at
/// the start. Only one DataBench can exist at a time.
class DataBench {
 public:
  DataBench();
  ~DataBench();
  DataBench(const DataBench&) = delete;
  DataBench& operator=(const DataBench&) = delete;

  worker::DataNode& node() { return node_; }
  real::Time now() const { return now_; }

  /// Writes the file of a complete object.
  void put(std::uint64_t object, std::int64_t size) const;
  /// Returns the names and contents of the files in the directory.
  std::map<std::string, std::string> files() const;
  /// Lets `time` pass. Chunks that have passed the disk or the network in this time are passed to
  /// the parts.
  template <class... Parts>
  void pass(real::Duration time, Parts&... parts) {
    now_ += time;
    while (auto chunk = node_.pacer.take(now_)) (parts.passed(*chunk, now_) || ...);
  }
  /// Lets time pass until no chunk waits to pass the disk or the network.
  template <class... Parts>
  void settle(Parts&... parts) {
    while (auto next = node_.pacer.next())
      pass(std::max(*next - now_, real::Duration(0)), parts...);
  }

 private:
  worker::DataNode node_;
  real::Time now_{std::chrono::hours(1)};
};

/// Returns a message made from the input. Most messages make sense: they have the right checksum,
/// and objects, offsets and streams that the tests use.
worker::DataMessage message_from(Bytes& bytes, const std::vector<std::uint64_t>& objects);
/// Returns a time from zero to more than DataOptions::silence_s, after which a silent peer counts
/// as lost.
real::Duration time_from(Bytes& bytes);
/// Encodes a message for the wire. If the message's kind has a body, adds one, which can be wrong.
zmq::message_t message_on_wire(const worker::DataMessage& message, Bytes& bytes);

/// Returns the name of the object's file.
std::string file_of(std::uint64_t object);
std::string content_of(std::uint64_t object, std::int64_t size);

}  // namespace heddle::fuzz
