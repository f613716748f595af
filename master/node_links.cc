#include "master/node_links.h"

#include <algorithm>
#include <iterator>

#include "net/peer_name.h"

namespace heddle::master {
namespace {

constexpr const char* kGivenUp = "this worker was given up; it must register again";
/// If a node's worker has been silent for this time, another worker can say hello for the node.
constexpr real::Duration kSilentlyDead = std::chrono::seconds(2);
/// Limits of the hellos for one node, per second and at once. The limits are low because each hello
/// can add lines to the journal.
constexpr double kHellos = 1, kHellosAtOnce = 10;
/// Limits of the heartbeats of one node, per period and at once.
constexpr double kBeats = 4, kBeatsAtOnce = 20;

/// Returns how many heartbeats per second of one node are accepted.
double most_beats(const Scenario& scenario) {
  const Scale scale{scenario.emulation.time_scale.value_or(1), 1, 1, 1};
  const std::chrono::duration<double> period = scale.to_real(scenario.cluster.heartbeat);
  return kBeats / std::max(period.count(), 0.01);  // workers never send faster
}

std::string number_of(NodeId node) { return std::to_string(node.value); }

}  // namespace

NodeLinks::NodeLinks(const Scenario& scenario, std::string run, real::Duration timeout,
                     std::string clock)
    : scenario_(scenario),
      run_(std::move(run)),
      timeout_(timeout),
      clock_(std::move(clock)),
      hosts_(scenario),
      links_(scenario.cluster.nodes.size()),
      hellos_(kHellos, kHellosAtOnce, links_.size() + 1),
      heartbeat_limit_(most_beats(scenario), kBeatsAtOnce, links_.size() + 1) {}

NodeLinks::Heard NodeLinks::hello(const std::string& identity, const wire::Hello& hello,
                                  real::Time now) {
  Heard heard;
  auto refuse = [&](std::string text, bool fatal = true) {
    heard.replies.emplace_back(wire::ErrorMessage{std::move(text), fatal});
    return heard;
  };
  if (std::string why = objection_to(hello); !why.empty()) return refuse(std::move(why));
  const Result<NodeId> node = node_for(hello, now);
  // If the worker names no node, it can ask again, because a worker that counts as alive can turn
  // out to be dead.
  if (!node) return refuse(node.error().text, !hello.node.empty());
  const NodeId id = *node;
  Link& link = links_[id.value];
  const bool again = link.known() && link.incarnation == hello.incarnation;
  auto give_up = [&](const std::string& why) {
    heard.replies.emplace_back(wire::Rejoin{why, hello.incarnation});
    return heard;
  };
  // The hello of the worker's next incarnation has arrived before this hello, or this incarnation
  // was given up.
  if (!again && link.former.contains(hello.incarnation)) return give_up(kGivenUp);
  // The key is compared only with the key of a live worker, because the journal does not contain
  // the keys of returning workers.
  if (again && link.state == State::kAlive &&
      net::key_of_peer(identity) != net::key_of_peer(link.identity))
    return refuse("the worker of this incarnation has another key", false);
  // The journal is incomplete, because the worker has done more than the journal records.
  if (again && (hello.last_command >= link.next_command || hello.last_report > link.last_report)) {
    heard.lost = id;
    heard.why_lost = "its worker has done more than the journal records";
    return give_up(heard.why_lost);
  }
  if (std::string why = objection(id, identity, hello, again, now); !why.empty())
    return refuse(std::move(why), false);
  if (link.known() && !again) heard.lost = id;
  set_identity(id, identity);
  if (!again) renew(link, hello.incarnation);
  (again ? heard.again : heard.registered) = id;
  link.returned |= link.state == State::kReturning;
  // While a worker is alive, the address and the key of its data service do not change, because its
  // peers know them.
  if (!again || link.state == State::kReturning) {
    link.data = hello.data;
    link.data_key = hello.data_key;
  }
  link.state = State::kAlive;
  keep_alive(link, now);
  look_at_ = std::min(look_at_.value_or(link.expires), link.expires);
  know_host(id, hello);
  return heard;
}

std::string NodeLinks::objection(NodeId node, const std::string& identity, const wire::Hello& hello,
                                 bool again, real::Time now) {
  const Link& link = links_[node.value];
  const std::string name = "node " + scenario_.cluster.nodes[node.value].name;
  // A second worker for a node is a mistake if the first worker still sends messages. If the first
  // worker was silent for two seconds, it is assumed to have died and to be restarted as this
  // worker.
  if (link.state == State::kAlive && !again && link.identity != identity &&
      ran(now) - link.last_heard < kSilentlyDead)
    return name + " has a worker already" +
           (hosts_.host(node).empty() ? "" : ", on host " + hosts_.host(node));
  const auto has_its_data_key = [&](const Link& other) {
    return &other != &link && other.state == State::kAlive && other.data_key == hello.data_key &&
           other.identity != identity;
  };
  if (!hello.data_key.empty() && std::any_of(links_.begin(), links_.end(), has_its_data_key))
    return "the data service of another node already has the key of this worker's data service";
  if (!hellos_.take(number_of(node), now)) return "too many hellos for " + name;
  return "";
}

std::string NodeLinks::objection_to(const wire::Hello& hello) const {
  const std::string remedy =
      "; all hosts need the same version of Heddle; this master has " + std::string(HEDDLE_VERSION);
  if (hello.protocol != wire::kProtocol)
    return "the worker speaks protocol " + std::to_string(hello.protocol) +
           ", but this master speaks " + std::to_string(wire::kProtocol) + remedy;
  if (!hello.version.empty() && hello.version != HEDDLE_VERSION)
    return "the worker has version " + hello.version + remedy;
  if (!hello.run.empty() && hello.run != run_)
    return "this master serves run " + run_ + ", not run " + hello.run;
  return "";
}

Result<NodeId> NodeLinks::node_for(const wire::Hello& hello, real::Time now) const {
  auto free = [&](NodeId node) {
    const Link& link = links_[node.value];
    if (link.state == State::kWaiting || link.state == State::kLost) return true;
    // The node's worker is assumed to have died and to be restarted on the same host.
    return link.state == State::kAlive && hosts_.on_host_of(node, hello) &&
           ran(now) - link.last_heard >= kSilentlyDead;
  };
  // The worker already has a node, so whether the node fits does not matter.
  for (const Link& link : links_)
    if (link.known() && link.incarnation == hello.incarnation) return node_of(link);
  const auto& nodes = scenario_.cluster.nodes;
  if (!hello.node.empty()) {
    auto spec = std::find_if(nodes.begin(), nodes.end(),
                             [&](const NodeSpec& node) { return node.name == hello.node; });
    if (spec == nodes.end()) return usage_error("the scenario has no node " + hello.node);
    const NodeId node{spec - nodes.begin()};
    HEDDLE_TRY(hosts_.check(node, hello, free));
    return node;
  }
  return hosts_.choose(hello, free);
}

void NodeLinks::know_host(NodeId node, const wire::Hello& hello) {
  hosts_.take(node, hello);
  std::optional<ClockOffset>& clock = links_[node.value].clock;
  const bool ours = hello.clock.empty() || hello.clock == clock_;
  if (ours)
    clock.reset();
  else if (!clock)
    clock.emplace();
}

std::optional<ClockEstimate> NodeLinks::clock_offset(NodeId node, real::Time now) const {
  const std::optional<ClockOffset>& clock = links_[node.value].clock;
  return clock ? clock->at(now) : ClockEstimate{};
}

NodeLinks::Link* NodeLinks::find(const std::string& identity, std::uint64_t incarnation) {
  const auto found = by_identity_.find(identity);
  if (found == by_identity_.end()) return nullptr;
  Link& link = links_[found->second.value];
  return link.state == State::kAlive && link.incarnation == incarnation ? &link : nullptr;
}

void NodeLinks::set_identity(NodeId node, const std::string& identity) {
  std::string& known = links_[node.value].identity;
  if (auto former = by_identity_.find(known);
      former != by_identity_.end() && former->second == node)
    by_identity_.erase(former);
  known = identity;
  by_identity_[identity] = node;
}

void NodeLinks::renew(Link& link, std::uint64_t incarnation) {
  Link former = std::exchange(link, Link{});
  link.identity = former.identity;
  link.worker_cpu_s = former.worker_cpu_s;
  link.data_cpu_s = former.data_cpu_s;
  link.former = std::move(former.former);
  if (former.state != State::kWaiting) link.former.insert(former.incarnation);
  link.incarnation = incarnation;
}

NodeLinks::Link* NodeLinks::reconnected(const std::string& identity, std::uint64_t incarnation) {
  const auto found = std::ranges::find_if(links_, [&](const Link& link) {
    const bool same_key = net::key_of_peer(link.identity) == net::key_of_peer(identity);
    return link.incarnation == incarnation &&
           (link.state == State::kReturning || (link.state == State::kAlive && same_key));
  });
  return found == links_.end() ? nullptr : &*found;
}

NodeLinks::Heard NodeLinks::unknown_sender(const std::string& identity, std::uint64_t incarnation) {
  Heard heard;
  if (reconnected(identity, incarnation))
    heard.replies.emplace_back(wire::Introduce{incarnation});
  else
    heard.replies.emplace_back(wire::Rejoin{kGivenUp, incarnation});
  return heard;
}

NodeLinks::Heard NodeLinks::reports(const std::string& identity, const wire::Reports& reports,
                                    real::Time now) {
  Link* link = find(identity, reports.incarnation);
  if (!link) return unknown_sender(identity, reports.incarnation);
  keep_alive(*link, now);
  Heard heard;
  heard.sender = node_of(*link);
  heard.reports = fresh(*link, reports.reports);
  return heard;
}

NodeLinks::Link* NodeLinks::hear(const std::string& identity, const wire::Heartbeat& heartbeat,
                                 real::Time now, Heard& heard) {
  Link* link = find(identity, heartbeat.incarnation);
  if (!link) {
    // A worker that was given up says whether it was silent because its machine is slow.
    const auto known = by_identity_.find(identity);
    if (known != by_identity_.end() &&
        links_[known->second.value].former.contains(heartbeat.incarnation))
      delays_.note(heartbeat.late, ran(now));
    heard = unknown_sender(identity, heartbeat.incarnation);
    return nullptr;
  }
  // If a heartbeat arrives twice, or after a newer heartbeat, its list of containers is outdated.
  const bool newer = heartbeat.sequence > link->last_heartbeat &&
                     heartbeat_limit_.take(number_of(node_of(*link)), now);
  if (newer) delays_.note(heartbeat.late, ran(now));
  keep_alive(*link, now);
  if (!newer) return nullptr;
  link->last_heartbeat = heartbeat.sequence;
  link->silence = timeout(now);
  link->worker_cpu_s = heartbeat.worker_cpu_s;
  link->data_cpu_s = heartbeat.data_cpu_s;
  if (link->clock && heartbeat.echo)
    link->clock->add({heartbeat.echo->master_ns, heartbeat.echo->received_ns,
                      heartbeat.monotonic_ns, now.time_since_epoch().count()});
  acknowledge_commands(*link, heartbeat.last_command);
  heard.heartbeat = heard.sender = node_of(*link);
  return link;
}

NodeLinks::Heard NodeLinks::hold(const std::string& identity, const wire::Heartbeat& heartbeat,
                                 real::Time now) {
  Heard heard;
  hear(identity, heartbeat, now, heard);
  return heard;
}

NodeLinks::Heard NodeLinks::heartbeat(const std::string& identity, const wire::Heartbeat& heartbeat,
                                      real::Time now) {
  Heard heard;
  Link* link = hear(identity, heartbeat, now, heard);
  if (!link) return heard;
  heard.reports = fresh(*link, heartbeat.reports);
  std::vector<ContainerId> there, new_there;
  for (const ContainerUse& use : heartbeat.containers) there.push_back(use.container);
  std::ranges::sort(there);
  std::ranges::set_difference(there, link->launched, std::back_inserter(new_there));
  if (!std::ranges::all_of(new_there, [&](ContainerId id) { return link->given.contains(id); })) {
    heard.lost = heard.sender;
    heard.why_lost = "its worker has a container that the master did not launch there";
    heard.heartbeat.reset();
    heard.replies.emplace_back(wire::Rejoin{heard.why_lost, heartbeat.incarnation});
    return heard;
  }
  std::ranges::set_difference(link->launched, there, std::back_inserter(heard.vanished));
  for (ContainerId id : heard.vanished) {
    link->given.erase(id);
    link->launched.erase(id);
  }
  return heard;
}

NodeLinks::Heard NodeLinks::probed(const std::string& identity, const wire::Probed& probed,
                                   real::Time now) {
  return reports(identity, {probed.incarnation, {}}, now);
}

NodeLinks::Heard NodeLinks::goodbye(const std::string& identity, const wire::Goodbye& goodbye) {
  Heard heard;
  Link* link = find(identity, goodbye.incarnation);
  if (!link) link = reconnected(identity, goodbye.incarnation);
  if (!link) return heard;
  link->worker_cpu_s = goodbye.worker_cpu_s;
  link->data_cpu_s = goodbye.data_cpu_s;
  heard.lost = node_of(*link);
  return heard;
}

std::vector<wire::Report> NodeLinks::fresh(Link& link, const std::vector<wire::Report>& reports) {
  std::vector<wire::Report> fresh;
  for (const wire::Report& report : reports) {
    if (report.number != link.last_report + 1) continue;
    link.last_report = report.number;
    if (std::holds_alternative<ContainerEnded>(report.what))
      link.launched.erase(report.container());
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
  if (!look_at_ || ran(now) < *look_at_) return nodes;
  look_at_.reset();
  const real::Duration limit = timeout(now);
  for (Link& link : links_) {
    if (link.state != State::kAlive) continue;
    // A delay that another worker has reported since then is also a reason to wait for this one.
    link.expires = std::max(link.expires, link.last_heard + limit);
    if (ran(now) >= link.expires) nodes.push_back(node_of(link));
    look_at_ = std::min(look_at_.value_or(link.expires), link.expires);
  }
  return nodes;
}

void NodeLinks::keep_alive(Link& link, real::Time now) {
  link.last_heard = ran(now);
  // The limit can become shorter. A worker that was promised a longer one may still use it.
  link.expires = std::max(link.expires, ran(now) + timeout(now));
}

void NodeLinks::mark_lost(NodeId node) {
  Link& link = links_[node.value];
  if (link.state != State::kWaiting) link.former.insert(link.incarnation);
  link.state = State::kLost;
  link.unacknowledged.clear();
  link.launched.clear();
  link.given.clear();
}

void NodeLinks::recover_registration(NodeId node, std::uint64_t incarnation) {
  Link& link = links_[node.value];
  renew(link, incarnation);
  link.state = State::kAlive;
}

void NodeLinks::recover_report(NodeId node, std::int64_t number, ContainerId container,
                               bool ended) {
  Link& link = links_[node.value];
  if (link.state != State::kAlive) return;
  link.last_report = number;
  // A worker that reports about a container has carried out all commands up to its launch.
  for (const wire::Command& command : link.unacknowledged) {
    const auto* launch = std::get_if<wire::LaunchCommand>(&command.what);
    if (!launch || launch->container != container) continue;
    acknowledge_commands(link, command.number);
    break;
  }
  if (ended) link.launched.erase(container);
}

void NodeLinks::await_return(real::Time now) {
  for (Link& link : links_) {
    if (link.state != State::kAlive) continue;
    link.state = State::kReturning;
    link.last_heard = ran(now);
  }
}

void NodeLinks::command(NodeId node, decltype(wire::Command::what) what) {
  Link& link = links_[node.value];
  if (const auto* launch = std::get_if<wire::LaunchCommand>(&what))
    link.given.insert(launch->container);
  link.unacknowledged.push_back({link.next_command++, std::move(what)});
}

wire::HeartbeatReply NodeLinks::reply(NodeId node, std::int64_t sequence) const {
  const Link& link = links_[node.value];
  return {link.incarnation,
          sequence,
          link.last_report,
          {link.unacknowledged.begin(), link.unacknowledged.end()},
          0,
          link.silence};
}

wire::Commands NodeLinks::commands_now(NodeId node) const {
  const Link& link = links_[node.value];
  return {link.incarnation, {link.unacknowledged.begin(), link.unacknowledged.end()}};
}

std::vector<NodeId> NodeLinks::nodes(State state) const {
  std::vector<NodeId> nodes;
  for (const Link& link : links_)
    if (link.state == state) nodes.push_back(node_of(link));
  return nodes;
}

wire::Peers NodeLinks::peers() const {
  wire::Peers peers;
  bool keys = false;
  for (const Link& link : links_) {
    const bool alive = link.state == State::kAlive;
    peers.data.push_back(alive ? link.data : "");
    peers.keys.push_back(alive ? link.data_key : "");
    keys = keys || !peers.keys.back().empty();
  }
  if (!keys) peers.keys.clear();
  return peers;
}

double NodeLinks::sum(double Link::*cpu_s) const {
  double sum = 0;
  for (const Link& link : links_) sum += link.*cpu_s;
  return sum;
}

}  // namespace heddle::master
