// First in, first out, as an external policy in C++: what `fifo` does.
// The program needs cppzmq and nlohmann-json, and nothing of Heddle.
//   heddle simulate scenarios/quickstart.yaml --policy exec:build/bin/heddle-example-fifo

#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>
#include <zmq.hpp>

using Json = nlohmann::json;

namespace {

/// The requests of phases of jobs, in the order of priority, submission, job, early reduces first,
/// and phase.
class Requests {
 public:
  void update(const Json& step) {
    for (const Json& request : step["requests"]) {
      const std::pair<int, int> phase{request["job"], request["phase"]};
      if (const auto old = keys_.find(phase); old != keys_.end()) order_.erase(old->second);
      keys_.erase(phase);
      if (request["pending"] == 0) continue;
      const Key key{-request["priority"].get<int>(), request["submitted"], phase.first,
                    !request["early"].get<bool>(), phase.second};
      keys_[phase] = key;
      order_.insert(key);
    }
  }
  Json order() const {
    Json order = Json::array();
    for (const Key& key : order_)
      order.push_back(Json::array({std::get<2>(key), std::get<4>(key)}));
    return order;
  }

 private:
  using Key = std::tuple<int, double, int, bool, int>;
  std::map<std::pair<int, int>, Key> keys_;  ///< by job and phase
  std::set<Key> order_;
};

}  // namespace

int main(int argc, char** argv) {
  const char* endpoint = std::getenv("HEDDLE_POLICY_ENDPOINT");
  if (endpoint == nullptr && argc == 2) endpoint = argv[1];
  zmq::context_t context;
  zmq::socket_t socket(context, zmq::socket_type::rep);
  if (endpoint == nullptr || ::zmq_bind(socket.handle(), endpoint) != 0) {
    std::fprintf(stderr,
                 "heddle-example-fifo: expected an endpoint to listen at, such as "
                 "tcp://127.0.0.1:5555\n");
    return 2;
  }
  for (Requests requests;;) {
    zmq::message_t message;
    if (!socket.recv(message)) continue;
    const Json request = Json::parse(message.to_string_view());
    Json reply = {{"request", request.value("request", 0)}, {"actions", Json::array()}};
    if (request["type"] == "hello") {
      requests = {};
      reply = {{"request", 0}, {"protocol", 1}};
    } else if (request["type"] != "bye") {
      requests.update(request);
      // Heddle places containers by this order. It does not depend on what jobs hold.
      reply["place"] = {{"order", requests.order()}, {"fixed", true}};
    }
    const std::string text = reply.dump();
    socket.send(zmq::buffer(text));
  }
}
