#include "report/why/reason.h"

#include <fmt/core.h>

#include "common/text.h"
#include "core/policy/registry.h"
#include "core/scenario/quantity_text.h"
#include "core/scenario/words.h"
#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::Json;
using wire::resources_json;

std::string plural(std::int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string cores_text(Millicores cores) {
  return fmt::format("{:.4g} core{}", static_cast<double>(cores.count()) / 1e3,
                     cores == Millicores(1000) ? "" : "s");
}

std::string memory_text(EmuBytes memory) {
  const auto bytes = static_cast<double>(memory.count());
  if (memory.count() != 0 && memory < EmuBytes(1LL << 30))
    return fmt::format("{:.4g} MiB", bytes / (1 << 20));
  return fmt::format("{:.4g} GiB", bytes / (1 << 30));
}

std::string percent(double share) { return fmt::format("{:.3g} %", share * 100); }

std::string_view awaited(AfterWhen when) {
  constexpr std::string_view kAwaited[] = {" to complete", " to fail", " to end", " to start"};
  return kAwaited[static_cast<std::size_t>(when)];
}

/// Describes each kind of obstacle: the name of its cause, its facts, and a sentence.
class Describe {
 public:
  Describe(const Scenario& scenario, const Obstacle& obstacle, const std::string& size_class)
      : scenario_(scenario), obstacle_(obstacle), size_class_(size_class) {}

  Reason operator()(const obstacle::NotSubmitted&) const {
    return {"submission", {}, "not submitted yet"};
  }
  Reason operator()(const obstacle::OtherJobs& it) const {
    Json jobs = Json::array();
    std::vector<std::string> names;
    for (const JobCondition& condition : it.first) {
      jobs.push_back({{"job", name(condition.job)}, {"when", word_of(condition.when)}});
      names.push_back(job(condition.job) + std::string(awaited(condition.when)));
    }
    const int more = it.count - static_cast<int>(it.first.size());
    if (more > 0) names.push_back(std::to_string(more) + " more");
    return {"other jobs",
            {{"count", it.count}, {"jobs", std::move(jobs)}},
            "waits for other jobs: " + join(names)};
  }
  Reason operator()(const obstacle::Starting& it) const {
    // A gang is launched on several nodes at once, and each gets the order with its own heartbeat.
    const JobSpec& job = scenario_.jobs[static_cast<std::size_t>(obstacle_.phase.job.value)];
    const bool by_heartbeat = scenario_.cluster.dispatch == Dispatch::kHeartbeat &&
                              job.phases[static_cast<std::size_t>(obstacle_.phase.phase)].gang;
    return {by_heartbeat ? "heartbeat and start of the process" : "start of the process",
            {{"node", node(it.node)}, {"decided_s", to_seconds(it.decided)}},
            fmt::format("launched on {} at {} s: {}its process {}", node(it.node),
                        time_in_words(it.decided),
                        by_heartbeat ? "it gets the order with its next heartbeat, and " : "",
                        by_heartbeat ? "starts" : "is starting")};
  }
  Reason operator()(const obstacle::Suspended& it) const {
    return {"suspended",
            {{"tasks", it.tasks}},
            plural(it.tasks, "task") + (it.tasks == 1 ? " is" : " are") + " suspended"};
  }
  Reason operator()(const obstacle::Inputs& it) const {
    std::vector<std::string> phases;
    for (int phase : it.phases) phases.push_back(phase_name({obstacle_.phase.job, phase}));
    return {"phases before",
            {{"phases", it.phases}},
            "phases before it are not complete: " + join(phases)};
  }
  Reason operator()(const obstacle::SlowStart& it) const {
    return {"slow start",
            {{"completed", it.completed}, {"maps", it.maps}, {"needed", it.needed}},
            fmt::format("slow start: {} of {} maps are complete; {} are required", it.completed,
                        it.maps, it.needed)};
  }
  Reason operator()(const obstacle::Ramp& it) const {
    return {"ramp of reduces",
            {{"completed", it.completed}, {"maps", it.maps}},
            fmt::format("ramp: reduces are at their limit while maps wait for containers ({} of {} "
                        "maps complete)",
                        it.completed, it.maps)};
  }
  Reason operator()(const obstacle::Later& it) const {
    return {"start spread",
            {{"at_s", to_seconds(it.at)}},
            "the next task is requested at " + time_in_words(it.at) + " s (start_spread)"};
  }
  Reason operator()(const obstacle::OtherClient& it) const {
    return {"other yarn-client job",
            {{"job", name(it.job)}},
            "only one yarn-client job runs at a time, and " + job(it.job) + " is active"};
  }
  Reason operator()(const obstacle::NoNode& it) const {
    return {"no such node",
            {{"gone", nodes(it.gone)}},
            "no live node could hold " + asked() +
                (labelled() ? " and has the labels of where" : "") +
                "; lost or not registered yet: " + join(nodes(it.gone))};
  }
  Reason operator()(const obstacle::NoRoom& it) const {
    std::string text = "no room for " + asked() + ": ";
    text += (it.own.empty() ? "the nearest node, " : "") + node(it.node) +
            (it.own.empty() ? ", has" : ", reserved for it, has");
    text += " " + amount(it.free) + " free" + single_devices(it.free) + held_there(it);
    if (it.own.size() > 1) {
      std::vector<NodeId> others = it.own;
      std::erase(others, it.node);
      text += "; also reserved for it: " + join(nodes(others));
    }
    return {"no room",
            {{"node", node(it.node)},
             {"free", resources_json(it.free, scenario_.cluster.resources)},
             {"held", facts_of(it.held)},
             {"own", nodes(it.own)},
             {"ahead", facts_of(it.ahead)}},
            text + before(it.ahead)};
  }
  Reason operator()(const obstacle::Reserved& it) const {
    Json all = Json::array();
    std::string held;
    for (std::size_t i = 0; i < it.nodes.size(); ++i) {
      all.push_back({{"node", node(it.nodes[i].node)}, {"for", phase(it.nodes[i].phase)}});
      const bool last = i + 1 == it.nodes.size();
      held += node(it.nodes[i].node);
      if (last || it.nodes[i + 1].phase != it.nodes[i].phase)
        held += " for " + phase_of(it.nodes[i].phase);
      if (!last) held += ", ";
    }
    const int more = it.count - static_cast<int>(it.nodes.size());
    if (more > 0) held += " and " + std::to_string(more) + " more";
    return {"reserved for others",
            {{"room", it.room}, {"count", it.count}, {"nodes", std::move(all)}},
            (it.room ? "room for " + asked() + " only where it is reserved: "
                     : "all nodes that could hold " + asked() + " are reserved: ") +
                held};
  }
  Reason operator()(const obstacle::AdvanceReservation& it) const {
    return {"advance reservation", facts_of(it),
            "room for " + asked() + " only where the site has reserved it: " + in_words(it)};
  }
  Reason operator()(const obstacle::Estimated& it) const {
    return {
        "estimated use",
        {{"node", node(it.node)},
         {"free", resources_json(it.free, scenario_.cluster.resources)},
         {"free_by_requests", resources_json(it.by_requests, scenario_.cluster.resources)}},
        fmt::format("no room for {}: by requests, {} has {} free, but by estimated usage only {}",
                    asked(), node(it.node), amount(it.by_requests), amount(it.free))};
  }
  Reason operator()(const obstacle::Gang& it) const {
    Reason reason{
        "gang",
        {{"places", it.places}, {"tasks", it.tasks}, {"ahead", facts_of(it.ahead)}},
        fmt::format("gang: {} of {} containers of {} fit at once", it.places, it.tasks, asked()) +
            before(it.ahead)};
    add_held(it.held, reason);
    add_kept(it.keep, reason);
    add_reserved(it.reserved, reason);
    return reason;
  }
  Reason operator()(const obstacle::Backfill& it) const {
    Reason reason{"backfilling plan",
                  {{"planned_s", seconds(it.at)}, {"ahead", facts_of(it.ahead)}},
                  "not planned: no walltime tells when what it needs becomes free"};
    if (it.promised) reason.facts["promised_s"] = seconds(it.promised);
    if (it.promised && it.at)
      reason.words = promise(it);
    else if (it.at)
      reason.words = "planned to start at " + time_in_words(*it.at) + " s, by the walltimes";
    else if (it.ahead.jobs > 0)
      reason.words = "it can't start now without a delay of " + job(it.ahead.first.front()) +
                     ", which has a reservation";
    add_held(it.held, reason);
    add_kept(it.keep, reason);
    add_reserved(it.reserved, reason);
    return reason;
  }
  Reason operator()(const obstacle::Limit& it) const {
    using Of = obstacle::Limit::Of;
    const std::string used = percent(it.used), most = percent(it.most);
    switch (it.of) {
      case Of::kQueue:
        return {"queue limit", queue_limit(it),
                fmt::format("queue {} would hold {} of the cluster, but its limit is {}", queue(it),
                            used, most)};
      case Of::kQueueMasters:
        return {"queue's max_am_share", queue_limit(it),
                fmt::format("application masters in queue {} would hold {} of the cluster, but its "
                            "limit is {}",
                            queue(it), used, most)};
      case Of::kUser:
        return {"user limit", queue_limit(it),
                fmt::format("user limit: {} holds {} of the cluster and is entitled to {} in "
                            "queue {}",
                            scenario_.jobs[obstacle_.phase.job.value].user, used, most, queue(it))};
      case Of::kPool:
        return {"pool limit", limits("pool", it.index, it),
                fmt::format("its pool{} holds {} of the cluster, and its share is {}",
                            size_class_.empty() ? "" : " (" + size_class_ + " jobs)", used, most)};
      case Of::kReserve:
        break;
    }
    return {
        "reserve of smaller jobs",
        {{"pool", it.index},
         {"free", wire::rounded(it.used)},
         {"reserved", wire::rounded(it.most)}},
        fmt::format("{} of the cluster is free, and {} is reserved for smaller jobs", used, most)};
  }
  Reason operator()(const obstacle::MasterShare& it) const {
    return {"max_am_share",
            {{"used", wire::rounded(it.used)}, {"most", wire::rounded(it.most)}},
            fmt::format("application masters hold {} of the cluster; with one more, they would "
                        "exceed {} (max_am_share)",
                        percent(it.used), percent(it.most))};
  }
  Reason operator()(const obstacle::JobsOfUser& it) const {
    return {"max_jobs_per_user",
            {{"jobs", it.jobs}, {"most", it.most}},
            fmt::format("its user has started {} of at most {} jobs of this quality of service "
                        "(max_jobs_per_user)",
                        it.jobs, it.most)};
  }
  Reason operator()(const obstacle::JobsOfArray& it) const {
    return {"array_limit",
            {{"jobs", it.running}, {"most", it.most}},
            fmt::format("{} of at most {} jobs of its array have started (array_limit)", it.running,
                        it.most)};
  }
  Reason operator()(const obstacle::BetterNodes& it) const {
    return {"better nodes",
            {{"node", node(it.node)}},
            node(it.node) +
                " has room, but is not in the best third of the nodes that have "
                "(node_order)"};
  }
  Reason operator()(const obstacle::ClusterWide& it) const {
    const std::string& resource = scenario_.cluster.resources[it.resource].name;
    return {"cluster-wide resource",
            {{"resource", resource},
             {"asked", static_cast<double>(it.asked.count()) / 1e3},
             {"free", static_cast<double>(it.free.count()) / 1e3}},
            fmt::format("the cluster has {} {} free, and {} is asked for", print_count(it.free),
                        resource, print_count(it.asked))};
  }
  Reason operator()(const obstacle::LocalityDelay& it) const {
    if (it.until)
      return {"locality delay",
              {{"node", node(it.node)}, {"until_s", to_seconds(*it.until)}},
              fmt::format("{} has room, but not its data: the job waits for a nearer node until {} "
                          "s (delay_time)",
                          node(it.node), time_in_words(*it.until))};
    return {"locality delay",
            {{"node", node(it.node)}, {"passed", it.passed}, {"of", it.of}},
            fmt::format("{} has room, but not its data: {} of {} opportunities passed",
                        node(it.node), it.passed, it.of)};
  }
  Reason operator()(const obstacle::StrictOrder& it) const {
    if (it.leaf)
      return {"order of its queue",
              {{"behind", phase(it.behind)}},
              "its queue keeps its order: " + phase_of(it.behind) +
                  " goes first, but the queue's max_capacity does not allow it now"};
    return {"strict order",
            {{"behind", phase(it.behind)}},
            "strict order: " + phase_of(it.behind) + " goes first, but can't be placed"};
  }
  Reason operator()(const obstacle::Order& it) const {
    return {"order",
            {{"node", node(it.node)}, {"ahead", facts_of(it.ahead)}},
            node(it.node) + " has free capacity, but other jobs go first: " + list(it.ahead) +
                " (" + chosen_part(scenario_.policy, "scheduler") + ")"};
  }
  Reason operator()(const obstacle::NextReport& it) const {
    return {"next report",
            {{"node", node(it.node)}},
            scenario_.cluster.dispatch == Dispatch::kImmediate
                ? "there is room; it waits for the next decision"
                : "there is room; it waits for the next heartbeat of " + node(it.node)};
  }
  Reason operator()(const obstacle::Declined& it) const {
    return {"external policy",
            {{"node", node(it.node)}},
            node(it.node) + " has room, but the external policy did not use it"};
  }
  Reason operator()(const obstacle::Unknown&) const {
    return {"unknown", {}, "the journal does not show why"};
  }

 private:
  std::string node(NodeId id) const { return scenario_.cluster.nodes[id.value].name; }
  std::vector<std::string> nodes(const std::vector<NodeId>& ids) const {
    std::vector<std::string> names;
    for (NodeId id : ids) names.push_back(node(id));
    return names;
  }
  std::string name(JobId id) const { return scenario_.jobs[id.value].name; }
  std::string job(JobId id) const { return id == obstacle_.phase.job ? "itself" : name(id); }
  std::string phase_name(PhaseId id) const {
    return scenario_.jobs[id.job.value].phases[id.phase].name;
  }
  std::string phase_of(PhaseId id) const { return job(id.job) + "." + phase_name(id); }
  Json phase(PhaseId id) const { return {{"job", name(id.job)}, {"phase", phase_name(id)}}; }
  std::string asked() const { return amount(obstacle_.asked); }
  /// Returns text such as "2 cores, 3 GiB, 1 gpu". `which`: the amounts that are not 0 in it are
  /// named. Default: cores, memory, and the others of which there are some.
  std::string amount(const Resources& of, const Resources& which) const {
    const CountNames& counted = scenario_.cluster.resources;
    std::vector<std::string> parts;
    if (which.cores != Millicores(0)) parts.push_back(cores_text(of.cores));
    if (which.memory != EmuBytes(0)) parts.push_back(memory_text(of.memory));
    for (std::size_t i = 0; i < counted.size(); ++i)
      if (which.counts[i] != Thousandths(0))
        parts.push_back(print_count(of.counts[i]) + " " + counted[i].name);
    return join(parts);
  }
  std::string amount(const Resources& of) const {
    return amount(of, {Millicores(1), EmuBytes(1), of.counts});
  }
  std::string queue(const obstacle::Limit& it) const { return scenario_.queues[it.index].name; }
  static Json limits(const char* of, const Json& which, const obstacle::Limit& it) {
    return {{of, which}, {"used", wire::rounded(it.used)}, {"most", wire::rounded(it.most)}};
  }
  Json queue_limit(const obstacle::Limit& it) const { return limits("queue", queue(it), it); }

  /// Returns whether the request has conditions on the labels of nodes.
  bool labelled() const {
    const PhaseId& id = obstacle_.phase;
    return id.phase >= 0 && !scenario_.jobs[id.job.value].phases[id.phase].where.empty();
  }
  /// Returns what is free of single devices if the total would be enough: "; the gpu devices have
  /// 0.4, 0.3".
  std::string single_devices(const Resources& free) const {
    const CountNames& counted = scenario_.cluster.resources;
    std::string text;
    for (std::size_t i = 0; i < counted.size(); ++i) {
      if (!counted[i].devices || obstacle_.asked.counts[i] > free.counts[i]) continue;
      if (lacking(obstacle_.asked, free).counts[i] == Thousandths(0)) continue;
      std::vector<std::string> parts;
      for (const std::int32_t device : free.counts.devices(i))
        if (device > 0) parts.push_back(print_count(Thousandths(device)));
      text += "; its " + counted[i].name + " devices have " + join(parts);
    }
    return text;
  }

  /// Returns which jobs hold the missing resource: "; held there by sort (6 cores), train (2
  /// cores)".
  std::string held_there(const obstacle::NoRoom& it) const {
    const std::string who = list(it.held, lacking(obstacle_.asked, it.free));
    return who.empty() ? "" : "; held there by " + who;
  }
  /// Returns "sort (6 cores), train (2 cores)". `which`: as of amount().
  std::string list(const std::vector<JobShare>& held, const Resources& which) const {
    std::vector<std::string> who;
    for (const JobShare& share : held)
      who.push_back(job(share.job) + " (" + amount(share.held, which) +
                    (share.kept ? ", in part until it ends, because it is rigid)" : ")"));
    return join(who);
  }
  Json facts_of(const std::vector<JobShare>& held) const {
    Json holders = Json::array();
    for (const JobShare& share : held) {
      Json who = resources_json(share.held, scenario_.cluster.resources);
      who["job"] = name(share.job);
      if (share.kept) who["kept"] = true;
      holders.push_back(std::move(who));
    }
    return holders;
  }
  /// Adds which jobs hold most on the nodes that a gang can use.
  void add_held(const std::vector<JobShare>& held, Reason& reason) const {
    reason.facts["held"] = facts_of(held);
    if (!held.empty())
      reason.words += "; the nodes that it can use are held by " + list(held, obstacle_.asked);
  }
  /// Adds which rigid jobs keep the places of ended tasks.
  void add_kept(const std::vector<JobId>& jobs, Reason& reason) const {
    if (jobs.empty()) return;
    std::vector<std::string> names;
    for (JobId id : jobs) names.push_back(name(id));
    reason.facts["keep"] = names;
    reason.words += "; places of ended tasks are held until their job ends: " + join(names);
  }
  Json facts_of(const obstacle::AdvanceReservation& it) const {
    return {{"reservation", scenario_.reservations[it.time.reservation].name},
            {"nodes", it.nodes},
            {"from_s", to_seconds(it.time.from)},
            {"until_s", to_seconds(it.time.until)}};
  }
  std::string in_words(const obstacle::AdvanceReservation& it) const {
    return plural(it.nodes, "node") + (it.nodes == 1 ? " is" : " are") + " reserved for " +
           scenario_.reservations[it.time.reservation].name + " from " +
           time_in_words(it.time.from) + " to " + time_in_words(it.time.until) + " s";
  }
  /// Adds which nodes with room the site has reserved for others.
  void add_reserved(const std::optional<obstacle::AdvanceReservation>& it, Reason& reason) const {
    if (!it) return;
    reason.facts["reserved"] = facts_of(*it);
    reason.words += "; " + in_words(*it);
  }
  static Json seconds(std::optional<EmuTime> time) {
    return time ? Json(to_seconds(*time)) : Json();
  }

  /// Returns what a conservative plan promised the gang and how it moved it.
  std::string promise(const obstacle::Backfill& it) const {
    std::string words = "promised " + time_in_words(*it.promised) + " s when it was submitted";
    if (*it.at == *it.promised) return words;
    words += "; moved to " + time_in_words(*it.at) + " s";
    if (it.moved_by) words += " when " + job(*it.moved_by) + " ended";
    return words;
  }

  Json facts_of(const Ahead& ahead) const {
    Json first = Json::array();
    for (JobId id : ahead.first) first.push_back(name(id));
    return {{"jobs", ahead.jobs}, {"first", std::move(first)}};
  }
  std::string list(const Ahead& ahead) const {
    std::vector<std::string> first;
    for (JobId id : ahead.first) first.push_back(job(id));
    const int more = ahead.jobs - static_cast<int>(first.size());
    return join(first) + (more > 0 ? " and " + plural(more, "other job") : "");
  }
  std::string before(const Ahead& ahead) const {
    return ahead.jobs == 0 ? "" : "; jobs ahead of it: " + list(ahead);
  }

  const Scenario& scenario_;
  const Obstacle& obstacle_;
  const std::string& size_class_;
};

/// Returns the number with at most two decimals: "8003", "333.33".
std::string short_number(double number) {
  std::string text = fmt::format("{:.2f}", number);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

/// Adds the job's priority and the terms of its sum: "; priority 8123 = age 120 + fairshare 8003".
/// The sentence leaves out terms that are 0.
void add_priority(const JobPriority& it, Reason& reason) {
  reason.facts["priority"] = {{"priority", it.priority},
                              {"age", it.age},
                              {"fairshare", it.fairshare},
                              {"size", it.size},
                              {"partition", it.partition},
                              {"qos", it.qos},
                              {"own", it.own}};
  std::vector<std::string> terms;
  const auto add = [&](const char* name, double term) {
    if (term != 0) terms.push_back(std::string(name) + " " + short_number(term));
  };
  add("age", it.age);
  add("fairshare", it.fairshare);
  add("size", it.size);
  add("partition", it.partition);
  add("quality of service", it.qos);
  add("the job's own", it.own);
  reason.words += "; priority " + std::to_string(it.priority);
  if (!terms.empty()) reason.words += " = " + join(terms, " + ");
}

}  // namespace

std::string time_in_words(EmuTime time) { return fmt::format("{:.2f}", to_seconds(time)); }

Reason reason_of(const Scenario& scenario, const Obstacle& obstacle,
                 const std::string& size_class) {
  Reason reason = std::visit(Describe(scenario, obstacle, size_class), obstacle.what);
  if (obstacle.priority) add_priority(*obstacle.priority, reason);
  if (obstacle.phase.phase < 0) return reason;
  const JobSpec& job = scenario.jobs[obstacle.phase.job.value];
  if (job.phases[obstacle.phase.phase].kind == PhaseKind::kAm)
    reason.cause += " (application master)";
  return reason;
}

}  // namespace heddle::report
