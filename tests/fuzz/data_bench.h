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
inline constexpr std::uint64_t kFile = 1ULL << 63;  ///< the bit of objects that are files

/// A data service without its thread, whose sockets are cut off: what others say is handed in, what
/// is said to them goes nowhere. The directory is empty. One at a time.
class DataBench {
 public:
  DataBench();
  ~DataBench();
  DataBench(const DataBench&) = delete;
  DataBench& operator=(const DataBench&) = delete;

  worker::DataNode& node() { return node_; }
  real::Time now() const { return now_; }

  /// An object that is whole.
  void put(std::uint64_t object, std::int64_t size) const;
  /// Names and contents of the files that are there.
  std::map<std::string, std::string> files() const;
  /// Lets time pass: chunks that have passed the disk or the network by then go to the parts.
  template <class... Parts>
  void pass(real::Duration time, Parts&... parts) {
    now_ += time;
    while (auto chunk = node_.pacer.take(now_)) (parts.passed(*chunk, now_) || ...);
  }
  /// Until nothing is on its way.
  template <class... Parts>
  void settle(Parts&... parts) {
    while (auto next = node_.pacer.next())
      pass(std::max(*next - now_, real::Duration(0)), parts...);
  }

 private:
  worker::DataNode node_;
  real::Time now_{std::chrono::hours(1)};
};

/// Any message, more often one that makes sense: of the objects, offsets and streams that are used
/// here, with the right checksum.
worker::DataMessage message_from(Bytes& bytes, const std::vector<std::uint64_t>& objects);
/// Some time, from nothing to more than the silence after which a peer is given up.
real::Duration time_from(Bytes& bytes);
/// As it comes from the wire: with a body, right or not, where its kind has one.
zmq::message_t message_on_wire(const worker::DataMessage& message, Bytes& bytes);

/// The name of the object's file.
std::string file_of(std::uint64_t object);
std::string content_of(std::uint64_t object, std::int64_t size);

}  // namespace heddle::fuzz
