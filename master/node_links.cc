#include "master/node_links.h"

#include <algorithm>

namespace heddle {

NodeLinks::NodeLinks(const Scenario& scenario, std::string run, real::Duration timeout)
    : scenario_(scenario),
      run_(std::move(run)),
      timeout_(timeout),
      links_(scenario.cluster.nodes.size()) {}

NodeLinks::Heard NodeLinks::hello(const std::string& identity, const wire::Hello& hello,
                                  real::Time now) {
  Heard heard;
  auto refuse = [&](std::string text, bool fatal = true) {
    heard.replies.emplace_back(wire::ErrorMessage{std::move(text), fatal});
    return heard;
  };
  if (hello.protocol != wire::kProtocol)
    return refuse("protocol " + std::to_string(hello.protocol) + " is not this master's " +
                  std::to_string(wire::kProtocol));
  if (hello.run != run_) return refuse("this is run " + run_ + ", not " + hello.run);
  const auto& nodes = scenario_.cluster.nodes;
  auto spec = std::find_if(nodes.begin(), nodes.end(),
                           [&](const NodeSpec& node) { return node.name == hello.node; });
  if (spec == nodes.end()) return refuse("the scenario has no node " + hello.node);
  NodeId id{spec - nodes.begin()};
  Link& link = links_[id.value];
  bool again = link.state == State::kAlive && link.incarnation == hello.incarnation;
  if (link.state == State::kAlive && !again) {
    // Another worker for a node whose worker still speaks is a mistake; one that fell silent for
    // two seconds has died and been started anew.
    if (link.identity != identity && now - link.last_heard < std::chrono::seconds(2))
      return refuse("node " + hello.node + " has a worker already", false);
    heard.lost = id;
  }
  if (!again) {
    const Link former = std::exchange(link, Link{});
    link.worker_cpu_s = former.worker_cpu_s;
    link.data_cpu_s = former.data_cpu_s;
    link.state = State::kAlive;
    link.incarnation = hello.incarnation;
    link.data = hello.data;
    heard.registered = id;
  }
  link.identity = identity;
  link.last_heard = now;
  return heard;
}

NodeLinks::Link* NodeLinks::find(const std::string& identity, std::uint64_t incarnation,
                                 NodeId* node) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    Link& link = links_[i];
    if (link.state != State::kAlive || link.identity != identity) continue;
    if (link.incarnation != incarnation) return nullptr;
    *node = NodeId{static_cast<std::int64_t>(i)};
    return &link;
  }
  return nullptr;
}

NodeLinks::Heard NodeLinks::stranger() {
  Heard heard;
  heard.replies.emplace_back(wire::Rejoin{"this worker was given up; say hello anew"});
  return heard;
}

NodeLinks::Heard NodeLinks::reports(const std::string& identity, const wire::Reports& reports,
                                    real::Time now) {
  NodeId node;
  Link* link = find(identity, reports.incarnation, &node);
  if (!link) return stranger();
  link->last_heard = now;
  Heard heard;
  heard.reports = fresh(*link, reports.reports);
  return heard;
}

NodeLinks::Heard NodeLinks::heartbeat(const std::string& identity, const wire::Heartbeat& heartbeat,
                                      real::Time now) {
  NodeId node;
  Link* link = find(identity, heartbeat.incarnation, &node);
  if (!link) return stranger();
  link->last_heard = now;
  link->worker_cpu_s = heartbeat.worker_cpu_s;
  link->data_cpu_s = heartbeat.data_cpu_s;
  acknowledge_commands(*link, heartbeat.last_command);
  Heard heard;
  heard.heartbeat = node;
  heard.reports = fresh(*link, heartbeat.reports);
  std::set<ContainerId> there;
  for (const ContainerUse& use : heartbeat.containers) there.insert(use.container);
  for (auto it = link->launched.begin(); it != link->launched.end();) {
    if (there.contains(*it)) {
      ++it;
      continue;
    }
    heard.vanished.push_back(*it);
    it = link->launched.erase(it);
  }
  return heard;
}

NodeLinks::Heard NodeLinks::goodbye(const std::string& identity, const wire::Goodbye& goodbye) {
  Heard heard;
  NodeId node;
  Link* link = find(identity, goodbye.incarnation, &node);
  if (!link) return heard;
  link->worker_cpu_s = goodbye.worker_cpu_s;
  link->data_cpu_s = goodbye.data_cpu_s;
  heard.lost = node;
  return heard;
}

std::vector<wire::Report> NodeLinks::fresh(Link& link, const std::vector<wire::Report>& reports) {
  std::vector<wire::Report> fresh;
  for (const wire::Report& report : reports) {
    if (report.number != link.last_report + 1) continue;
    link.last_report = report.number;
    if (report.kind == wire::ReportKind::kEnded) link.launched.erase(report.container);
    fresh.push_back(report);
  }
  return fresh;
}

void NodeLinks::acknowledge_commands(Link& link, std::int64_t last) {
  while (!link.unacknowledged.empty() && link.unacknowledged.front().number <= last) {
    const auto* launch = std::get_if<wire::LaunchCommand>(&link.unacknowledged.front().what);
    if (launch) link.launched.insert(launch->container);
    link.unacknowledged.pop_front();
  }
}

std::vector<NodeId> NodeLinks::expired(real::Time now) {
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < links_.size(); ++i)
    if (links_[i].state == State::kAlive && now - links_[i].last_heard >= timeout_)
      nodes.push_back(NodeId{static_cast<std::int64_t>(i)});
  return nodes;
}

std::optional<real::Time> NodeLinks::next_expiry() const {
  std::optional<real::Time> next;
  for (const Link& link : links_) {
    if (link.state != State::kAlive) continue;
    real::Time at = link.last_heard + timeout_;
    if (!next || at < *next) next = at;
  }
  return next;
}

void NodeLinks::mark_lost(NodeId node) {
  Link& link = links_[node.value];
  link.state = State::kLost;
  link.unacknowledged.clear();
  link.launched.clear();
}

void NodeLinks::command(NodeId node, decltype(wire::Command::what) what) {
  Link& link = links_[node.value];
  link.unacknowledged.push_back({link.next_command++, std::move(what)});
}

wire::HeartbeatReply NodeLinks::reply(NodeId node, std::int64_t sequence) const {
  const Link& link = links_[node.value];
  return {link.incarnation,
          sequence,
          link.last_report,
          {link.unacknowledged.begin(), link.unacknowledged.end()}};
}

wire::Commands NodeLinks::commands_now(NodeId node) const {
  const Link& link = links_[node.value];
  return {link.incarnation, {link.unacknowledged.begin(), link.unacknowledged.end()}};
}

int NodeLinks::count(State state) const {
  return static_cast<int>(std::count_if(links_.begin(), links_.end(),
                                        [&](const Link& link) { return link.state == state; }));
}

std::vector<std::string> NodeLinks::waiting_nodes() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < links_.size(); ++i)
    if (links_[i].state == State::kWaiting) names.push_back(scenario_.cluster.nodes[i].name);
  return names;
}

wire::Peers NodeLinks::peers() const {
  wire::Peers peers;
  for (const Link& link : links_)
    peers.data.push_back(link.state == State::kAlive ? link.data : "");
  return peers;
}

double NodeLinks::workers_cpu_s() const {
  double sum = 0;
  for (const Link& link : links_) sum += link.worker_cpu_s;
  return sum;
}

double NodeLinks::data_cpu_s() const {
  double sum = 0;
  for (const Link& link : links_) sum += link.data_cpu_s;
  return sum;
}

}  // namespace heddle
