#include "external/heddle_dialect.h"

#include <algorithm>
#include <map>

#include "common/text.h"
#include "core/policy/own_options.h"
#include "core/policy/placement_loop.h"
#include "core/policy/registry.h"
#include "core/scenario/advance_reservations.h"
#include "core/scenario/draw.h"
#include "core/scenario/quantity_text.h"
#include "core/scenario/words.h"
#include "wire/forms.h"
#include "wire/record.h"

namespace heddle::external {
namespace {

using wire::Fields;
using wire::Json;
using wire::JsonText;

using EventTypes = wire::Alternatives<decltype(Event::what)>;

constexpr std::size_t kMostActions = 1'000'000;
constexpr std::size_t kMostNotes = 10'000;
constexpr std::string_view kActions[] = {Launch::kName,  Reserve::kName, Unreserve::kName,
                                         Suspend::kName, Resume::kName,  Kill::kName,
                                         KillJob::kName, WakeAt::kName};
constexpr const char* kLeftOut = "left_out";
constexpr std::string_view kOffers[] = {"fitting", "all"};

/// Fields of the journal that a note must not have, and subjects of Heddle's own notes.
constexpr std::string_view kOwnKeys[] = {"type", "t",         "step",    "now",    "wall",
                                         "crc",  "launch_ms", "stop_ms", "report", "incarnation"};
constexpr std::string_view kOwnSubjects[] = {"dress.",    "reduce.",     "placement.",
                                             "capacity.", "estimation.", "external."};

/// Events that a program does not get unless it asks for them.
constexpr std::string_view kUnwanted[] = {
    NodeHeartbeat::kName, ContainerStarted::kName, InputsRead::kName, PartDone::kName,
    InputLost::kName,     ActionRefused::kName,    Wake::kName,       PolicyReplied::kName};

/// Writes a field for each resource.
void put_amounts(JsonText& json, const Resources& resources, const CountNames& counted) {
  each(resources, counted, [&](const std::string& name, auto amount) { json.field(name, amount); });
}

void put_resources(JsonText& json, const char* key, const Resources& resources,
                   const CountNames& counted) {
  json.key(key).open('{');
  put_amounts(json, resources, counted);
  json.close('}');
}

/// Writes the amounts of the resources that the cluster has as a whole. None: writes nothing.
void put_cluster_wide(JsonText& json, const char* key, const Resources& amounts,
                      const CountNames& counted) {
  if (!any_cluster_wide(counted)) return;
  json.key(key).open('{');
  for (std::size_t i = 0; i < counted.size(); ++i)
    if (counted[i].scope == CountScope::kCluster) json.field(counted[i].name, amounts.counts[i]);
  json.close('}');
}

/// Writes a field with a list for each resource of which there are devices, such as {gpu: […]}.
/// None: writes nothing. `put`: writes the list of a resource's devices.
template <class Put>
void put_devices(JsonText& json, const char* key, const Counts& counts, const CountNames& counted,
                 const Put& put) {
  if (!counts.has_devices()) return;
  json.key(key).open('{');
  for (std::size_t i = 0; i < counted.size(); ++i) {
    if (!counts.has_devices(i)) continue;
    json.key(counted[i].name);
    put(counts.devices(i));
  }
  json.close('}');
}

/// Writes what is free of each device of a node.
void put_free_devices(JsonText& json, const Counts& free, const CountNames& counted) {
  put_devices(json, "free_devices", free, counted, [&](std::span<const std::int32_t> devices) {
    json.list(devices, [&](std::int32_t share) { json.add(Thousandths(share)); });
  });
}

/// Writes the numbers of the devices that a container holds.
void put_held_devices(JsonText& json, const Counts& held, const CountNames& counted) {
  put_devices(json, "devices", held, counted, [&](std::span<const std::int32_t> devices) {
    json.list(numbers_of(devices), [&](int device) { json.add(device); });
  });
}

void put_where(JsonText& json, const Where& where) {
  if (where.empty()) return;
  json.key("where").list(where, [&](const LabelRule& rule) {
    json.open('{').field("label", rule.label);
    json.key("values").list(rule.values, [&](const std::string& value) { json.add(value); });
    json.field("forbids", rule.forbids).close('}');
  });
}

void put_phase(JsonText& json, const PhaseId& phase) { describe(wire::FieldWriter{json}, phase); }

void put_nodes(JsonText& json, const ClusterSpec& cluster) {
  const std::vector<NodeSpec>& nodes = cluster.nodes;
  json.key("nodes").open('[');
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    json.open('{').field("node", i).field("name", nodes[i].name).field("rack", nodes[i].rack);
    json.field("speed", nodes[i].speed);
    put_resources(json, "allowance", nodes[i].allowance, cluster.resources);
    if (!nodes[i].labels.empty()) {
      json.key("labels").open('{');
      for (const auto& [label, value] : nodes[i].labels) json.field(label, value);
      json.close('}');
    }
    json.close('}');
  }
  json.close(']');
}

/// Writes which nodes are reserved, when, and the jobs that can use them then.
void put_reservations(JsonText& json, const Scenario& scenario) {
  if (scenario.reservations.empty()) return;
  const AdvanceReservations reservations(scenario);
  json.key("reservations").open('[');
  for (std::size_t i = 0; i < scenario.reservations.size(); ++i) {
    const ReservationSpec& one = scenario.reservations[i];
    json.open('{').field("name", one.name);
    json.key("nodes").list(one.nodes, [&](NodeId node) { json.add(node.value); });
    json.key("times_s").list(times_of(one), [&](const auto& time) {
      json.open('[').add(time.first).add(time.second).close(']');
    });
    std::vector<std::int64_t> jobs;
    for (std::int64_t job = 0; job < std::ssize(scenario.jobs); ++job)
      if (reservations.open_to(i, JobId{job})) jobs.push_back(job);
    json.key("jobs").list(jobs, [&](std::int64_t job) { json.add(job); });
    json.close('}');
  }
  json.close(']');
}

void put_queues(JsonText& json, const Scenario& scenario) {
  json.key("queues").open('[');
  for (const QueueSpec& queue : scenario.queues) {
    json.open('{').field("name", queue.name).field("parent", queue.parent);
    json.field("capacity", queue.capacity).field("max_capacity", queue.max_capacity);
    json.field("user_limit", queue.user_limit).field("weight", queue.weight);
    put_resources(json, "min", queue.min, scenario.cluster.resources);
    json.close('}');
  }
  json.close(']');
}

/// Returns the time that the task takes with the cores that its phase requests, without data.
EmuTime duration_of(const Scenario& scenario, PhaseId phase, int task) {
  return ideal_time(draw_work(scenario, {phase, task}),
                    scenario.jobs[phase.job.value].phases[phase.phase].request.cores, 1.0, false);
}

void put_phases(JsonText& json, const Scenario& scenario, JobId job, bool durations) {
  json.key("phases").open('[');
  const std::vector<PhaseSpec>& phases = scenario.jobs[job.value].phases;
  for (int i = 0; i < std::ssize(phases); ++i) {
    const PhaseSpec& phase = phases[i];
    json.open('{').field("phase", i).field("name", phase.name);
    json.field("kind", word_of(phase.kind)).field("tasks", phase.tasks);
    put_amounts(json, phase.request, scenario.cluster.resources);
    json.field("gang", phase.gang);
    json.key("after").list(phase.after, [&](int before) { json.add(before); });
    json.key("prefer").list(phase.prefer, [&](NodeId node) { json.add(node.value); });
    put_where(json, phase.where);
    if (durations) {
      json.key("durations_s").open('[');
      for (int task = 0; task < phase.tasks; ++task)
        json.add(duration_of(scenario, {job, i}, task));
      json.close(']');
    }
    json.close('}');
  }
  json.close(']');
}

void put_jobs(JsonText& json, const Scenario& scenario, bool durations) {
  json.key("jobs").open('[');
  for (std::int64_t i = 0; i < std::ssize(scenario.jobs); ++i) {
    const JobSpec& job = scenario.jobs[i];
    json.open('{').field("job", i).field("name", job.name).field("queue", job.queue);
    json.field("user", job.user).field("priority", job.priority).field("weight", job.weight);
    if (job.walltime) json.field("walltime_s", *job.walltime);
    put_phases(json, scenario, JobId{i}, durations);
    json.close('}');
  }
  json.close(']');
}

void put_node(JsonText& json, const View& view, NodeId id, const CountNames& counted) {
  const Node& node = view.cluster.node(id);
  json.open('{').field("node", id.value).field("alive", node.alive);
  put_resources(json, "free", view.cluster.free(id), counted);
  put_resources(json, "total", view.cluster.total(id), counted);
  put_free_devices(json, view.cluster.free(id).counts, counted);
  if (node.reservation) {
    json.key("reserved").open('{');
    put_phase(json, node.reservation->phase);
    json.close('}');
  }
  json.close('}');
}

void put_request(JsonText& json, const Request* request, PhaseId phase, const CountNames& counted) {
  json.open('{');
  put_phase(json, phase);
  json.field("pending", request ? request->pending : 0);
  if (request) {
    json.field("kind", word_of(request->kind));
    put_amounts(json, request->resources, counted);
    json.field("priority", request->priority).field("submitted", request->submit);
    json.field("gang", request->gang).field("early", request->early);
  }
  json.close('}');
}

/// Writes whose container it is, and where it is or was.
void put_task(JsonText& json, const Container& container) {
  put_phase(json, container.task.phase);
  json.field("task", container.task.index).field("attempt", container.attempt);
  json.field("node", container.node.value);
}

void put_container(JsonText& json, const Container& container, const CountNames& counted) {
  constexpr std::string_view kStates[] = {"allocated", "running", "suspended"};
  json.open('{').field("container", container.id.value);
  put_task(json, container);
  if (container.started_at) json.field("started", *container.started_at);
  put_amounts(json, container.resources, counted);
  put_held_devices(json, container.resources.counts, counted);
  json.key("state").word(kStates[static_cast<std::size_t>(container.state)]);
  json.close('}');
}

void put_ended(JsonText& json, const Ended& ended) {
  json.open('{').field("container", ended.container.id.value);
  put_task(json, ended.container);
  json.key("outcome").word(wire::name_of(ended.outcome));
  if (ended.container.started_at) json.field("started", *ended.container.started_at);
  json.field("ended", ended.at).close('}');
}

/// Writes an event. An event of a container also says whose it is, because the container may have
/// ended before the program was told of it.
void put_event(JsonText& json, const Event& event, const View& view,
               const std::map<ContainerId, const Container*>& ended) {
  json.open('{');
  wire::put(json, event);
  std::visit(
      [&](const auto& what) {
        if constexpr (requires { what.container.value; }) {
          const Container* container = view.cluster.container(what.container);
          if (const auto gone = ended.find(what.container); gone != ended.end())
            container = gone->second;
          if (container) put_task(json, *container);
        }
      },
      event.what);
  json.close('}');
}

void put_held_back(JsonText& json, const HeldBack& held) {
  json.open('{');
  put_phase(json, held.phase);
  json.field("by", held.by);
  if (!held.nodes.empty())
    json.key("nodes").list(held.nodes, [&](NodeId node) { json.add(node.value); });
  json.close('}');
}

/// Reads the node, job and phase of actions, which must exist.
class Names {
 public:
  explicit Names(const Scenario& scenario) : scenario_(scenario) {}

  const CountNames& counted() const { return scenario_.cluster.resources; }
  const PhaseSpec& spec(PhaseId id) const {
    return scenario_.jobs[id.job.value].phases[static_cast<std::size_t>(id.phase)];
  }
  const NodeSpec& spec(NodeId id) const { return scenario_.cluster.nodes[id.value]; }
  NodeId node(const Fields& fields) const {
    return {below(fields, "node", std::ssize(scenario_.cluster.nodes), "node")};
  }
  NodeId node(const Json& number, const std::string& where) const {
    const std::int64_t count = std::ssize(scenario_.cluster.nodes);
    if (!number.is_number_integer() || number < 0 || number >= count)
      throw wire::BadField{where + ": expected a node from 0 to " + std::to_string(count - 1) +
                           ", got " + number.dump()};
    return {number.get<std::int64_t>()};
  }
  JobId job(const Fields& fields) const {
    return {below(fields, "job", std::ssize(scenario_.jobs), "job")};
  }
  PhaseId phase(const Fields& fields) const {
    const JobId id = job(fields);
    const std::int64_t phases = std::ssize(scenario_.jobs[id.value].phases);
    return {id, static_cast<int>(below(fields, "phase", phases, "phase"))};
  }

 private:
  static std::int64_t below(const Fields& fields, const char* key, std::int64_t count,
                            const std::string& what) {
    const std::int64_t value = fields.integer(key, 0, wire::kMaxInteger);
    if (value >= count)
      fields.bad(key, "a " + what + " from 0 to " + std::to_string(count - 1) + ", got " +
                          std::to_string(value));
    return value;
  }
  const Scenario& scenario_;
};

/// Reads which devices of its node a container shall hold, such as {gpu: [0, 3]}.
void read_devices(const Fields& fields, const Names& names, Launch& launch) {
  if (launch.resources == Resources{}) launch.resources = names.spec(launch.phase).request;
  Counts& counts = launch.resources.counts;
  for (std::size_t i = 0; i < names.counted().size(); ++i) {
    const std::string& name = names.counted()[i].name;
    if (!fields.has(name.c_str())) continue;
    const std::size_t most = names.spec(launch.node).capacity.counts.devices(i).size();
    const std::int64_t each = std::min(counts[i].count(), kWholeDevice);
    Counts::Devices devices(most);
    for (const Json& number : fields.array(name.c_str(), most)) {
      if (!number.is_number_integer() || number < 0 || number >= most)
        fields.bad(name.c_str(), "devices of node " + names.spec(launch.node).name +
                                     ", which has " + std::to_string(most) + ", got " +
                                     number.dump());
      devices[number.get<std::size_t>()] = static_cast<std::int32_t>(each);
    }
    Counts chosen;
    chosen.set_devices(i, devices);
    if (chosen[i] != counts[i])
      fields.bad(name.c_str(), "as many devices as the amount, " + print_count(counts[i]));
    counts.set_devices(i, std::move(devices));
  }
}

Action read_action(const Fields& fields, const Names& names) {
  using Others = std::variant<Reserve, Unreserve, Suspend, Resume, Kill, KillJob, WakeAt>;
  Action action;
  const std::string_view type = kActions[fields.word("type", kActions)];
  if (type == Launch::kName) {
    Launch launch{.phase = names.phase(fields), .node = names.node(fields)};
    if (fields.has("cores") || fields.has("memory"))
      launch.resources = wire::resources_from(fields, names.counted());
    if (fields.has("devices")) read_devices(fields.object("devices"), names, launch);
    action.what = std::move(launch);
  } else {
    const auto check_names = [&](const auto& what) {
      if constexpr (requires { what.phase; }) (void)names.phase(fields);
      if constexpr (requires { what.node; }) (void)names.node(fields);
      if constexpr (requires { what.job; }) (void)names.job(fields);
      action.what = what;
    };
    std::visit(check_names, *wire::read_alternative<Others>(type, fields));
  }
  if (fields.has("reason")) action.reason = fields.text("reason");
  return action;
}

/// Reads nodes, which must exist. `where`: the path of the list.
std::vector<NodeId> read_nodes(const Json& list, const std::string& where, const Names& names) {
  if (!list.is_array()) throw wire::BadField{where + ": expected a list of nodes"};
  std::vector<NodeId> nodes;
  for (const Json& number : list)
    nodes.push_back(names.node(number, where + "[" + std::to_string(nodes.size()) + "]"));
  return nodes;
}

/// Reads [job, phase] or [job, phase, [node…]].
Rank read_rank(const Json& json, const std::string& where, const Names& names) {
  if (!json.is_array() || json.size() < 2 || json.size() > 3)
    throw wire::BadField{where + ": expected [job, phase] or [job, phase, [nodes]]"};
  const Json phase = {{"job", json[0]}, {"phase", json[1]}};
  Rank rank{names.phase(Fields(phase, where))};
  if (json.size() == 3) rank.nodes = read_nodes(json[2], where + "[2]", names);
  return rank;
}

Ranking read_ranking(const Fields& fields, const Names& names) {
  Ranking ranking;
  if (fields.has("reason")) ranking.reason = fields.text("reason");
  if (fields.has("fixed")) ranking.fixed = fields.flag("fixed");
  for (const Json& rank : fields.array("order", kMostActions))
    ranking.ranks.push_back(
        read_rank(rank, "reply.place.order[" + std::to_string(ranking.ranks.size()) + "]", names));
  return ranking;
}

PolicyNote read_note(const Fields& fields, const Json& json) {
  PolicyNote note{fields.name("about"), {}};
  for (const std::string_view own : kOwnSubjects)
    if (note.about.starts_with(own))
      fields.bad("about", "another subject than those of Heddle's own policies, got " + note.about);
  for (const auto& [key, value] : json.items()) {
    if (key == "about") continue;
    if (std::find(std::begin(kOwnKeys), std::end(kOwnKeys), key) != std::end(kOwnKeys))
      fields.bad(key.c_str(), "another name, because lines of the journal have this field");
    // The journal writes these names without escapes.
    if (!valid_name(key))
      fields.bad("about", "values whose names have only letters, digits, . _ -");
    if (value.is_number_integer())
      note.values.emplace_back(key, value.get<std::int64_t>());
    else if (value.is_number())
      note.values.emplace_back(key, value.get<double>());
    else if (value.is_string())
      note.values.emplace_back(key, value.get<std::string>());
    else
      fields.bad(key.c_str(), "a number or a text");
  }
  return note;
}

Json parse_reply(std::string_view text) {
  Json json = wire::parse_json(text);
  if (json.is_discarded()) throw wire::BadField{"the reply is no JSON"};
  if (!json.is_object()) throw wire::BadField{"the reply is no JSON object"};
  return json;
}

}  // namespace

HeddleDialect::HeddleDialect(const Scenario& scenario) : scenario_(scenario) {
  for (std::size_t i = 0; i < wants_.size(); ++i)
    wants_[i] = std::find(std::begin(kUnwanted), std::end(kUnwanted), EventTypes::kNames[i]) ==
                std::end(kUnwanted);
}

std::string HeddleDialect::hello(const View&) {
  JsonText json;
  json.open('{').field("type", "hello").field("protocol", kProtocolVersion).field("request", 0);
  json.field("heddle_version", HEDDLE_VERSION).field("scenario", scenario_.name);
  json.field("seed", scenario_.seed);
  json.key("cluster").open('{').field("heartbeat_s", scenario_.cluster.heartbeat);
  json.field("dispatch", word_of(scenario_.cluster.dispatch));
  json.field("max_am_share", value(scenario_.policy, kMaxAmShare));
  json.field("reserve", value(scenario_.policy, kReserve));
  const CountNames& counted = scenario_.cluster.resources;
  if (!counted.empty())
    json.key("resources").list(counted, [&](const CountedResource& one) { json.add(one.name); });
  put_cluster_wide(json, "cluster_wide", cluster_wide(counted), counted);
  put_nodes(json, scenario_.cluster);
  json.close('}');
  put_queues(json, scenario_);
  put_reservations(json, scenario_);
  put_jobs(json, scenario_, value(scenario_.policy, kPolicySees) == PolicySees::kDurations);
  if (const auto own = own_options(scenario_.policy); !own.empty()) {
    json.key("options").open('{');
    for (const auto& [name, value] : own) json.field(name, value);
    json.close('}');
  }
  json.close('}');
  return json.take();
}

bool HeddleDialect::due(const View& view, std::span<const Event> events) const {
  const bool wake = std::any_of(events.begin(), events.end(), [](const Event& event) {
    return std::holds_alternative<Wake>(event.what);
  });
  // Requests can also change with time.
  if (wake && !view.changed_jobs.empty() && !view.cluster.wanted_sizes().empty()) return true;
  const auto due_here = [&](NodeId node) { return due_at(view, node); };
  if (view.anywhere && !view.changed_jobs.empty() && !view.cluster.wanted_sizes().empty())
    return std::any_of(view.cluster.nodes().begin(), view.cluster.nodes().end(),
                       [&](const Node& node) { return due_at(view, node.id); });
  if (view.anywhere)
    return std::any_of(view.changed_nodes.begin(), view.changed_nodes.end(), due_here);
  return std::any_of(view.offers.begin(), view.offers.end(), due_here);
}

bool HeddleDialect::due_at(const View& view, NodeId node) const {
  const auto& sizes = view.cluster.wanted_sizes();
  if (!view.cluster.node(node).alive || sizes.empty()) return false;
  // A gang also takes other nodes than the one that reports.
  if ((all_offers_ || view.cluster.gang_requests() > 0) && !view.anywhere) return true;
  return std::any_of(sizes.begin(), sizes.end(),
                     [&](const auto& size) { return size.first.fits_in(view.cluster.free(node)); });
}

std::string HeddleDialect::request(std::int64_t number, const View& view, const News& news) {
  const CountNames& counted = scenario_.cluster.resources;
  JsonText json;
  json.open('{').field("type", news.again ? "again" : "step").field("request", number);
  json.field("now", view.now);
  json.key("events").open('[');
  std::map<ContainerId, const Container*> ended;
  for (const Ended& each : news.ended) ended.emplace(each.container.id, &each.container);
  for (const Container& container : news.gone) ended.emplace(container.id, &container);
  for (const Event& event : news.events) put_event(json, event, view, ended);
  json.close(']').key("nodes").open('[');
  for (const NodeId node : news.nodes) put_node(json, view, node, counted);
  json.close(']').key("requests").open('[');
  for (const JobId job : news.jobs) {
    const auto requests = view.cluster.requests(job);
    for (int i = 0; i < std::ssize(requests); ++i)
      put_request(json, requests[i], {job, i}, counted);
  }
  json.close(']').key("containers").open('[');
  for (const ContainerId id : news.containers)
    put_container(json, *view.cluster.container(id), counted);
  json.close(']').key("ended").open('[');
  for (const Ended& each : news.ended) put_ended(json, each);
  json.close(']').key("held_back").open('[');
  for (const HeldBack& held : news.held_back) put_held_back(json, held);
  json.close(']');
  put_cluster_wide(json, "cluster_free", view.cluster.total_free(), counted);
  json.field("anywhere", view.anywhere).key("offers").open('[');
  for (const NodeId node : news.offers) json.add(node.value);
  json.close(']');
  if (news.left_out.notes + news.left_out.actions > 0) {
    json.key(kLeftOut).open('{').field("notes", news.left_out.notes);
    json.field("actions", news.left_out.actions).close('}');
  }
  json.close('}');
  return json.take();
}

std::string HeddleDialect::farewell(EmuTime now, std::string_view status) {
  JsonText json;
  json.open('{').field("type", "bye").field("now", now).field("status", status).close('}');
  return json.take();
}

Result<Reply> HeddleDialect::read(std::int64_t number, std::string_view text, EmuTime now,
                                  bool) const {
  try {
    Json json = parse_reply(text);
    const Fields fields(json, "reply");
    Reply reply;
    reply.now = now;
    reply.recorded = text;
    if (fields.integer("request", 0, wire::kMaxInteger) != number)
      fields.bad("request", std::to_string(number) + ", the number of the request");
    if (fields.has("error"))
      return aborted_error("the program failed:\n" + fields.text("error", kLongestError));
    if (number == 0) {
      if (fields.integer("protocol", 0, wire::kMaxInteger) != kProtocolVersion)
        fields.bad("protocol", std::to_string(kProtocolVersion));
      if (fields.has("events"))
        for (const Json& name : fields.array("events", std::size(EventTypes::kNames)))
          if (!name.is_string() ||
              std::find(std::begin(EventTypes::kNames), std::end(EventTypes::kNames),
                        name.get<std::string>()) == std::end(EventTypes::kNames))
            fields.bad("events", "names of events such as container_ended, got " + name.dump());
      if (fields.has("offers")) fields.word("offers", kOffers);
      return reply;
    }
    if (fields.has("now")) reply.now = std::max(now, wire::time_field(fields, "now"));
    if (fields.has("took_us")) reply.took_us = fields.number("took_us", 0, 1e15);
    const Names names(scenario_);
    const std::vector<Json>& actions = fields.array("actions", kMostActions);
    for (std::size_t i = 0; i < actions.size(); ++i) {
      const Fields action(actions[i], "reply.actions[" + std::to_string(i) + "]");
      reply.actions.push_back({reply.now, read_action(action, names)});
    }
    if (fields.has("again")) reply.again = fields.flag("again");
    if (fields.has("place")) {
      const Fields place = fields.object("place");
      reply.ranking = read_ranking(place, names);
      const Json& offers = json["place"];
      if (offers.contains("offers"))
        reply.offers = read_nodes(offers["offers"], "reply.place.offers", names);
    }
    if (fields.has("notes"))
      for (const Json& note : fields.array("notes", kMostNotes))
        reply.notes.push_back(read_note(Fields(note, "reply.notes"), note));
    if (fields.has(kLeftOut)) {
      const Fields left_out = fields.object(kLeftOut);
      reply.left_out = {left_out.integer("notes", 0, wire::kMaxInteger),
                        left_out.integer("actions", 0, wire::kMaxInteger)};
    }
    if (json.erase("took_us") > 0) reply.recorded = json.dump();
    return reply;
  } catch (const wire::BadField& bad) {
    return aborted_error(bad.text);
  } catch (const nlohmann::json::exception& wrong) {
    return aborted_error(std::string("the reply is wrong: ") + wrong.what());
  }
}

std::string HeddleDialect::with_offers(std::string_view recorded,
                                       const std::set<NodeId>& offers) const {
  Json json = parse_reply(recorded);
  const auto place = json.find("place");
  if (place == json.end()) return std::string(recorded);
  (*place)["offers"] = Json::array();
  for (const NodeId node : offers) (*place)["offers"].push_back(node.value);
  return json.dump();
}

std::string HeddleDialect::shortened(std::string_view recorded, std::size_t notes,
                                     std::size_t actions) const {
  Json json = parse_reply(recorded);
  json.erase(kLeftOut);
  Json left_out;
  for (const auto& [key, most] : {std::pair{"notes", notes}, {"actions", actions}}) {
    std::size_t count = 0;
    if (const auto list = json.find(key); list != json.end() && list->size() > most) {
      count = list->size() - most;
      list->erase(list->begin() + static_cast<std::ptrdiff_t>(most), list->end());
    }
    left_out[key] = count;
  }
  if (left_out["notes"] != 0 || left_out["actions"] != 0) json[kLeftOut] = std::move(left_out);
  return json.dump();
}

void HeddleDialect::take(std::int64_t number, std::string_view text) {
  if (number > 0) return;
  const Json json = parse_reply(text);
  const Fields fields(json, "reply");
  if (fields.has("events")) {
    wants_.fill(false);
    for (const Json& name : fields.array("events", wants_.size()))
      for (std::size_t i = 0; i < wants_.size(); ++i)
        wants_[i] = wants_[i] || EventTypes::kNames[i] == name.get<std::string>();
  }
  if (fields.has("offers")) all_offers_ = fields.word("offers", kOffers) == 1;
}

}  // namespace heddle::external
