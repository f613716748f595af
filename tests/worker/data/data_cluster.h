#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/net/stranger.h"
#include "tests/support/temporary_directory.h"
#include "worker/data/content.h"
#include "worker/data/data_service.h"

namespace heddle::worker {

struct Rates {
  double disk = 0, network = 0;  ///< bytes per second
};

/// Several data services in one process. Each service has a separate directory.
class DataCluster {
 public:
  explicit DataCluster(const std::vector<Rates>& nodes, double silence_s = 30, bool tcp = false) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      DataOptions options;
      options.node = NodeId{static_cast<std::int64_t>(i)};
      options.bind = tcp ? "tcp://127.0.0.1:*" : "ipc://" + root_.path() + "/" + std::to_string(i);
      options.scratch = scratch(static_cast<int>(i));
      options.disk_bytes_per_s = nodes[i].disk;
      options.network_bytes_per_s = nodes[i].network;
      options.silence_s = silence_s;
      if (tcp) options.curve = net::CurveServer{*net::make_key_pair()};
      if (tcp) pairs_.push_back(options.curve->own);
      keys_.push_back(tcp ? options.curve->own.public_key : "");
      std::filesystem::create_directory(options.scratch);
      auto service = DataService::start(options);
      if (!service) {
        ADD_FAILURE() << service.error().text;
        std::abort();
      }
      services_.push_back(std::move(service).value());
      endpoints_.push_back(services_.back()->endpoint());
    }
    tell();
  }

  DataService& operator[](int node) { return *services_[static_cast<std::size_t>(node)]; }
  std::string scratch(int node) const { return root_ / ("scratch" + std::to_string(node)); }
  std::string file(int node, std::uint64_t object) const {
    char name[17];
    std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(object));
    return scratch(node) + "/" + name;
  }
  std::size_t files(int node) const {
    auto all = std::filesystem::directory_iterator(scratch(node));
    return static_cast<std::size_t>(
        std::distance(std::filesystem::begin(all), std::filesystem::end(all)));
  }
  /// Sends a message to the service of node `node` over TCP, with the key of node `holder`. Returns
  /// the answer.
  std::string answer_to(int holder, int node, const std::string& text) {
    const auto who = static_cast<std::size_t>(holder), whom = static_cast<std::size_t>(node);
    net::Stranger stranger(endpoints_[whom], zmq::socket_type::dealer,
                           net::CurveClient{pairs_[who], keys_[whom]});
    stranger.send(text);
    return stranger.receive();
  }
  void end(int node) { services_[static_cast<std::size_t>(node)].reset(); }
  /// Sets the node's endpoint and passes it to all services.
  void tell(int node, const std::string& endpoint) {
    endpoints_[static_cast<std::size_t>(node)] = endpoint;
    tell();
  }

  void fetch(int node, std::uint64_t ticket, std::uint64_t object, std::int64_t size,
             const std::vector<int>& from) {
    DataFetch fetch;
    fetch.ticket = ticket;
    fetch.object = object;
    fetch.size = size;
    for (int source : from) fetch.from.push_back(NodeId{source});
    (*this)[node].fetch(fetch);
  }
  void store(int node, std::uint64_t ticket, std::uint64_t object, std::int64_t size, bool kept,
             const std::vector<int>& copies = {}) {
    DataStore store{ticket, object, size, kept, {}};
    for (int copy : copies) store.copies.push_back(NodeId{copy});
    for (int copy : copies)
      if (services_[static_cast<std::size_t>(copy)])
        (*this)[copy].expect({object, size, kept, NodeId{node}});
    (*this)[node].store(store);
  }

  /// Returns the node's next `count` results, by ticket. If they do not arrive within 30 s, the
  /// test fails and there are fewer results.
  std::map<std::uint64_t, DataDone> wait(int node, std::size_t count = 1) {
    std::map<std::uint64_t, DataDone> results;
    while (results.size() < count && readable(node, 30'000))
      for (DataDone& done : (*this)[node].take()) results[done.ticket] = done;
    EXPECT_EQ(results.size(), count);
    return results;
  }
  bool readable(int node, int ms) {
    pollfd waits{(*this)[node].fd(), POLLIN, 0};
    return ::poll(&waits, 1, ms) > 0;
  }

 private:
  void tell() {
    for (auto& service : services_)
      if (service) service->peers(endpoints_, keys_);
  }
  tests::TemporaryDirectory root_;  // outlives the services
  std::vector<std::unique_ptr<DataService>> services_;
  std::vector<std::string> endpoints_, keys_;
  std::vector<net::KeyPair> pairs_;
};

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  }

 private:
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

inline constexpr std::uint64_t kFile = 1ULL << 63;  ///< name of the first file

}  // namespace heddle::worker
