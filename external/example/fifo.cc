// First in, first out, as an external policy in C++: what `fifo+reserve=false` does on heartbeats.
// The program needs cppzmq and nlohmann-json, and nothing of Heddle.
//   heddle simulate scenarios/quickstart.yaml --policy exec:build/bin/heddle-example-fifo

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>
#include <zmq.hpp>

using Json = nlohmann::json;

namespace {

/// The free resources of each node, and the request of each phase of a job.
struct Picture {
  std::map<int, std::pair<double, std::int64_t>> free;
  std::map<std::pair<int, int>, Json> requests;

  void update(const Json& step) {
    for (const Json& node : step["nodes"])
      free[node["node"]] = {node["free"]["cores"], node["free"]["memory"]};
    for (const Json& request : step["requests"]) {
      const std::pair<int, int> phase{request["job"], request["phase"]};
      if (request["pending"] > 0)
        requests[phase] = request;
      else
        requests.erase(phase);
    }
  }

  /// Launches what fits on the node, in the order of priority, submission, job and phase.
  void fill(int node, Json& actions) {
    std::map<std::tuple<int, double, int, int>, Json*> order;
    for (auto& [phase, request] : requests)
      order[{-request["priority"].get<int>(), request["submitted"], phase.first, phase.second}] =
          &request;
    auto& [cores, memory] = free[node];
    for (auto& [key, request] : order)
      for (Json& asked = *request;
           asked["pending"] > 0 && asked["cores"] <= cores && asked["memory"] <= memory;) {
        cores -= asked["cores"].get<double>();
        memory -= asked["memory"].get<std::int64_t>();
        asked["pending"] = asked["pending"].get<int>() - 1;
        actions.push_back(
            {{"type", "launch"}, {"job", asked["job"]}, {"phase", asked["phase"]}, {"node", node}});
      }
  }
};

}  // namespace

int main(int argc, char** argv) {
  const char* endpoint = std::getenv("HEDDLE_POLICY_ENDPOINT");
  if (endpoint == nullptr && argc < 2) return 2;
  zmq::context_t context;
  zmq::socket_t socket(context, zmq::socket_type::rep);
  socket.bind(endpoint != nullptr ? endpoint : argv[1]);
  for (Picture picture;;) {
    zmq::message_t message;
    if (!socket.recv(message)) continue;
    const Json request = Json::parse(message.to_string_view());
    Json reply = {{"request", request.value("request", 0)}, {"actions", Json::array()}};
    if (request["type"] == "hello") {
      picture = {};
      reply = {{"request", 0}, {"protocol", 1}};
    } else if (request["type"] == "step") {
      picture.update(request);
      for (const Json& node : request["offers"]) picture.fill(node, reply["actions"]);
    }
    const std::string text = reply.dump();
    socket.send(zmq::buffer(text));
  }
}
