#include "external/batsim_dialect.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "core/policy/registry.h"
#include "core/scenario/draw.h"
#include "core/scenario/quantity_text.h"
#include "wire/fields.h"
#include "wire/values.h"

namespace heddle::external {
namespace {

using wire::BadField;
using wire::Fields;
using wire::Json;

constexpr const char* kWorkload = "w0";
constexpr std::size_t kMostEvents = 1'000'000;

/// Times are exact to the microsecond, as in all of Heddle.
Json seconds(EmuTime time) { return to_seconds(time); }

Json event(EmuTime at, const char* type, Json data) {
  return {{"timestamp", seconds(at)}, {"type", type}, {"data", std::move(data)}};
}

/// Returns the digits at the end of a name: "14" of "job-14".
std::string number_at_end(const std::string& name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  return last == std::string::npos ? name : name.substr(last + 1);
}

/// Returns the id of each job in Batsim: what follows "job-" in its name, or the number at the end
/// of the name. If that is not unique, the id is the name.
std::vector<std::string> batsim_ids(const std::vector<JobSpec>& jobs) {
  std::vector<std::string> names, ids;
  std::map<std::string, int> count;
  for (const JobSpec& job : jobs) {
    names.push_back(job.name);
    const bool imported = job.name.starts_with("job-");
    ids.push_back(imported ? job.name.substr(4) : number_at_end(job.name));
    ++count[ids.back()];
  }
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i].empty() || count[ids[i]] > 1) ids[i] = names[i];
  const bool unique = std::set<std::string>(ids.begin(), ids.end()).size() == ids.size();
  return unique ? ids : names;  // a name can be the id of another job
}

/// Returns how many resources a node is.
std::int64_t resources_of(const Scenario& scenario, const NodeSpec& node) {
  const bool cores = value(scenario.policy, kBatsimResource) == BatsimResource::kCore;
  return cores ? node.allowance.cores.count() / 1000 : 1;
}

std::vector<NodeId> resources_of(const Scenario& scenario) {
  std::vector<NodeId> nodes;
  for (std::int64_t i = 0; i < std::ssize(scenario.cluster.nodes); ++i)
    nodes.insert(nodes.end(),
                 static_cast<std::size_t>(resources_of(scenario, scenario.cluster.nodes[i])),
                 NodeId{i});
  return nodes;
}

/// Returns how long the longest task of the job takes.
EmuTime duration_of(const Scenario& scenario, JobId id) {
  EmuTime longest;
  const PhaseSpec& phase = scenario.jobs[id.value].phases.front();
  for (int task = 0; task < phase.tasks; ++task)
    longest = std::max(
        longest, ideal_time(draw_work(scenario, {{id, 0}, task}), phase.request.cores, 1.0, false));
  return longest;
}

/// Returns what the program learns about the work of a job. The time of the work is not known to a
/// scheduler, so the profile has the walltime instead, or -1.
Json profile_of(const Scenario& scenario, JobId id) {
  const JobSpec& job = scenario.jobs[id.value];
  double delay = job.walltime ? to_seconds(*job.walltime) : -1;
  if (value(scenario.policy, kPolicySees) == PolicySees::kDurations)
    delay = to_seconds(duration_of(scenario, id));
  return {{"type", "delay"}, {"delay", delay}};
}

void sort_by_time(Json& events) {
  std::stable_sort(events.begin(), events.end(), [](const Json& a, const Json& b) {
    return a.at("timestamp") < b.at("timestamp");
  });
}

const char* state_of(const Job& job, bool killed) {
  if (job.state() == JobState::kCompleted) return "COMPLETED_SUCCESSFULLY";
  if (job.state() == JobState::kFailed) return "COMPLETED_FAILED";
  if (killed) return "COMPLETED_KILLED";
  return job.failure().starts_with(kWalltimeOver) ? "COMPLETED_WALLTIME_REACHED"
                                                  : "COMPLETED_FAILED";
}

std::string alloc_text(const std::vector<int>& resources) {
  std::string text;
  for (std::size_t i = 0; i < resources.size();) {
    std::size_t end = i + 1;
    while (end < resources.size() && resources[end] == resources[end - 1] + 1) ++end;
    if (!text.empty()) text += ' ';
    text += std::to_string(resources[i]);
    if (end - i > 1) text += "-" + std::to_string(resources[end - 1]);
    i = end;
  }
  return text;
}

std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// Returns why a scheduler cannot know where the job may start, or "".
std::string unsaid(const JobSpec& job, const ClusterSpec& cluster) {
  const PhaseSpec& phase = job.phases.front();
  if (!phase.where.empty()) return "asks for labels of nodes";
  for (std::size_t i = 0; i < cluster.resources.size(); ++i)
    if (cluster.resources[i].scope == CountScope::kCluster &&
        phase.request.counts[i] > Thousandths(0))
      return "asks for " + cluster.resources[i].name + ", which the cluster has as a whole";
  return "";
}

}  // namespace

std::optional<std::vector<int>> read_alloc(std::string_view text, int count) {
  std::set<int> resources;
  while (!text.empty()) {
    if (text.front() == ' ' || text.front() == ',') {
      text.remove_prefix(1);
      continue;
    }
    const std::optional<int> first = take_number(text);
    std::optional<int> last = first;
    if (first && text.starts_with('-')) {
      text.remove_prefix(1);
      last = take_number(text);
    }
    if (!first || !last || *first > *last || *last >= count) return std::nullopt;
    for (int i = *first; i <= *last; ++i)
      if (!resources.insert(i).second) return std::nullopt;
  }
  return std::vector<int>(resources.begin(), resources.end());
}

/// The changes that a reply makes to the state of the dialect.
struct BatsimDialect::Changes {
  bool replayed = false;                        ///< nothing is known, because no request was made
  std::map<JobId, std::optional<Known>> known;  ///< nullopt: not known any more
  std::map<int, JobId> in_use;
  std::set<EmuTime> calls;
  std::vector<std::map<JobId, std::optional<double>>> kills;
};

BatsimDialect::BatsimDialect(const Scenario& scenario)
    : scenario_(scenario), node_of_(resources_of(scenario)), ids_(batsim_ids(scenario.jobs)) {
  for (std::int64_t i = 0; i < std::ssize(ids_); ++i) jobs_.emplace(ids_[i], JobId{i});
}

std::string BatsimDialect::hello(const View& view) {
  Json resources = Json::array();
  std::map<NodeId, int> seen;
  for (std::size_t i = 0; i < node_of_.size(); ++i) {
    const NodeId node = node_of_[i];
    std::string name = scenario_.cluster.nodes[node.value].name;
    if (const int core = seen[node]++; node_of_.size() > scenario_.cluster.nodes.size())
      name += "-" + std::to_string(core);
    resources.push_back({{"id", i},
                         {"name", std::move(name)},
                         {"state", "idle"},
                         {"properties", Json::object()},
                         {"zone_properties", Json::object()}});
  }
  Json profiles = Json::object();
  for (std::int64_t i = 0; i < std::ssize(ids_); ++i)
    profiles[ids_[i]] = profile_of(scenario_, JobId{i});
  const Json data = {{"nb_resources", node_of_.size()},
                     {"nb_compute_resources", node_of_.size()},
                     {"nb_storage_resources", 0},
                     {"allow_compute_sharing", false},
                     {"allow_storage_sharing", false},
                     {"config",
                      {{"redis-enabled", false},
                       {"redis-hostname", "127.0.0.1"},
                       {"redis-port", 6379},
                       {"redis-prefix", "default"},
                       {"profiles-forwarded-on-submission", false},
                       {"dynamic-jobs-enabled", false},
                       {"dynamic-jobs-acknowledged", false},
                       {"profile-reuse-enabled", false},
                       {"sched-config", ""},
                       {"forward-unknown-events", false}}},
                     {"compute_resources", std::move(resources)},
                     {"storage_resources", Json::array()},
                     {"workloads", {{kWorkload, scenario_.name}}},
                     {"profiles", {{kWorkload, std::move(profiles)}}}};
  const Json message = {{"now", seconds(view.now)},
                        {"events", Json::array({event(view.now, "SIMULATION_BEGINS", data)})}};
  return message.dump();
}

template <class Jobs>
std::vector<JobId> BatsimDialect::ended(const View& view, const Jobs& jobs) const {
  std::vector<JobId> all;
  for (const JobId id : jobs)
    if (known_.contains(id) && view.cluster.job(id).finished() &&
        view.cluster.holdings(id).containers.empty())
      all.push_back(id);
  return all;
}

bool BatsimDialect::due(const View& view, std::span<const Event>) const {
  return !ended(view, view.changed_jobs).empty();
}

std::string BatsimDialect::request(std::int64_t, const View& view, const News& news) {
  Json events = Json::array();
  for (const JobId id : ended(view, news.jobs)) {
    const Known& known = known_.at(id);
    const Job& job = view.cluster.job(id);
    events.push_back(event(view.now, "JOB_COMPLETED",
                           {{"job_id", name_of(id)},
                            {"job_state", state_of(job, known.killing)},
                            {"return_code", job.state() == JobState::kCompleted ? 0 : 1},
                            {"alloc", alloc_text(known.resources)}}));
    for (auto& kill : kills_)
      if (const auto at = kill.find(id); at != kill.end()) at->second = progress(id, view.now);
    for (const int resource : known.resources) in_use_.erase(resource);
    known_.erase(id);
  }
  // A JOB_KILLED is told when all jobs of its KILL_JOB have ended.
  const auto over = [](const auto& kill) {
    return std::ranges::all_of(kill, [](const auto& job) { return job.second.has_value(); });
  };
  for (const auto& kill : kills_) {
    if (!over(kill)) continue;
    Json killed = Json::array(), progress = Json::object();
    for (const auto& [id, done] : kill) {
      killed.push_back(name_of(id));
      progress[name_of(id)] = {{"profile", ids_[id.value]}, {"progress", *done}};
    }
    events.push_back(
        event(view.now, "JOB_KILLED",
              {{"job_ids", std::move(killed)}, {"job_progress", std::move(progress)}}));
  }
  std::erase_if(kills_, over);
  const auto tell_last = [&](EmuTime at) {
    events.push_back(event(at, "NOTIFY", {{"type", "no_more_static_job_to_submit"}}));
  };
  for (const Event& each : news.events) {
    const auto* submitted = std::get_if<JobSubmitted>(&each.what);
    if (!submitted) continue;
    const JobId id = submitted->job;
    const JobSpec& job = scenario_.jobs[id.value];
    const std::string name = name_of(id);
    Json description = {{"id", name},
                        {"subtime", seconds(view.cluster.job(id).eligible())},
                        {"res", job.phases.front().tasks},
                        {"profile", ids_[id.value]}};
    if (job.walltime) description["walltime"] = seconds(*job.walltime);
    events.push_back(
        event(each.at, "JOB_SUBMITTED", {{"job_id", name}, {"job", std::move(description)}}));
    known_[id];
    submitted_.insert(id);
    if (none_left()) tell_last(each.at);
  }
  for (const JobId id : news.jobs)
    if (view.cluster.job(id).state() == JobState::kCancelled && !submitted_.contains(id) &&
        cancelled_.insert(id).second && none_left())
      tell_last(view.now);
  for (; !calls_.empty() && *calls_.begin() <= view.now; calls_.erase(calls_.begin()))
    events.push_back(event(view.now, "REQUESTED_CALL", Json::object()));
  sort_by_time(events);
  return Json({{"now", seconds(view.now)}, {"events", std::move(events)}}).dump();
}

void BatsimDialect::add_actions(const View& view, Decision& decision) const {
  for (const JobId id : view.changed_jobs) {
    const Job& job = view.cluster.job(id);
    const Request* request = view.cluster.request({id, 0});
    if (request && job.begun(0) && !job.finished())
      decision.actions.push_back({KillJob{id}, "a task of the job has failed or was lost"});
  }
}

std::string BatsimDialect::farewell(EmuTime now, std::string_view) {
  return Json({{"now", seconds(now)},
               {"events", Json::array({event(now, "SIMULATION_ENDS", Json::object())})}})
      .dump();
}

JobId BatsimDialect::job_of(const std::string& text) const {
  const std::size_t mark = text.find('!');
  const auto found = jobs_.find(mark == std::string::npos ? text : text.substr(mark + 1));
  if (found == jobs_.end()) throw BadField{"no job is called \"" + text + "\""};
  return found->second;
}

const BatsimDialect::Known* BatsimDialect::find(JobId job, const Changes& changes) const {
  if (const auto changed = changes.known.find(job); changed != changes.known.end())
    return changed->second ? &*changed->second : nullptr;
  const auto known = known_.find(job);
  return known == known_.end() ? nullptr : &known->second;
}

const BatsimDialect::Known& BatsimDialect::known(const std::string& text,
                                                 const Changes& changes) const {
  static const Known unknown;
  if (const Known* known = find(job_of(text), changes)) return *known;
  if (changes.replayed) return unknown;
  throw BadField{"job \"" + text + "\" is not submitted yet, or has ended"};
}

BatsimDialect::Known& BatsimDialect::changed(JobId job, Changes& changes) const {
  const Known* known = find(job, changes);
  std::optional<Known>& entry = changes.known[job];
  if (!entry) entry = known ? *known : Known{};
  return *entry;
}

double BatsimDialect::progress(JobId job, EmuTime now) const {
  const Known& known = known_.at(job);
  if (known.resources.empty()) return 0;
  const double all = to_seconds(duration_of(scenario_, job));
  return all > 0 ? std::clamp(to_seconds(now - known.started) / all, 0.0, 1.0) : 1;
}

std::string BatsimDialect::name_of(JobId job) const {
  return std::string(kWorkload) + "!" + ids_[job.value];
}

Reply BatsimDialect::read(std::string_view text, EmuTime now, Changes& changes) const {
  const Json json = wire::parse_json(text);
  if (json.is_discarded() || !json.is_object()) throw BadField{"the reply is no JSON object"};
  const Fields fields(json, "reply");
  Reply reply;
  reply.now = std::max(now, emu_seconds(fields.number("now", 0, wire::kMaxSeconds)));
  const std::vector<Json>& events = fields.array("events", kMostEvents);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Fields each(events[i], "reply.events[" + std::to_string(i) + "]");
    const EmuTime at = std::max(now, emu_seconds(each.number("timestamp", 0, wire::kMaxSeconds)));
    const std::string type = each.text("type");
    const auto act = [&](auto what, std::string reason) {
      reply.actions.push_back({at, {std::move(what), std::move(reason)}});
    };
    try {
      if (type == "EXECUTE_JOB") {
        const Fields data = each.object("data");
        const std::string name = data.text("job_id");
        const JobId job = job_of(name);
        if (!known(name, changes).resources.empty())
          throw BadField{"job \"" + name + "\" was started already"};
        const auto resources =
            read_alloc(data.text("alloc", 1 << 20), static_cast<int>(node_of_.size()));
        if (!resources)
          data.bad("alloc", "resources from 0 to " + std::to_string(node_of_.size() - 1) +
                                " such as 0-3 7, each once");
        if (std::ssize(*resources) != scenario_.jobs[job.value].phases.front().tasks)
          data.bad("alloc", std::to_string(scenario_.jobs[job.value].phases.front().tasks) +
                                " resources, got " + std::to_string(resources->size()));
        for (const int resource : *resources) {
          for (const auto& in_use : {std::cref(changes.in_use), std::cref(in_use_)})
            if (const auto other = in_use.get().find(resource);
                other != in_use.get().end() && !changes.replayed)
              throw BadField{"job \"" + name + "\" is started on resource " +
                             std::to_string(resource) + ", which job \"" + name_of(other->second) +
                             "\" uses"};
          changes.in_use[resource] = job;
          act(Launch{.phase = {job, 0}, .node = node_of_[resource]}, "EXECUTE_JOB");
        }
        Known& started = changed(job, changes);
        started.resources = *resources;
        started.started = at;
      } else if (type == "REJECT_JOB" || type == "KILL_JOB") {
        const Fields data = each.object("data");
        std::vector<std::string> names;
        if (type == "REJECT_JOB")
          names.push_back(data.text("job_id"));
        else
          for (const Json& name : data.array("job_ids", kMostEvents))
            names.push_back(name.is_string() ? name.get<std::string>() : name.dump());
        std::map<JobId, std::optional<double>> kill;
        for (const std::string& name : names) {
          const JobId job = job_of(name);
          if (type == "REJECT_JOB") {
            if (!known(name, changes).resources.empty())
              throw BadField{"job \"" + name + "\" was started, so it can't be rejected"};
            changes.known[job].reset();  // the program is not told of its end
          } else if (!submitted_.contains(job) || find(job, changes)) {
            (void)known(name, changes);
            changed(job, changes).killing = true;
            kill.emplace(job, std::nullopt);
          }
          // If the job has ended while the scheduler decided, the engine refuses this.
          act(KillJob{job},
              type == "REJECT_JOB" ? "the scheduler rejected it" : "the scheduler killed it");
        }
        if (!kill.empty()) changes.kills.push_back(std::move(kill));
      } else if (type == "CALL_ME_LATER") {
        const EmuTime call =
            emu_seconds(each.object("data").number("timestamp", 0, wire::kMaxSeconds));
        changes.calls.insert(call);
        act(WakeAt{call}, "CALL_ME_LATER");
      } else if (type != "NOTIFY" && type != "SET_JOB_METADATA" && type != "ACKNOWLEDGE") {
        each.bad(
            "type",
            "EXECUTE_JOB, REJECT_JOB, KILL_JOB, CALL_ME_LATER, NOTIFY or SET_JOB_METADATA, got " +
                type);
      }
    } catch (const BadField& bad) {
      throw bad.text.starts_with("reply") ? bad : BadField{each.path("type") + ": " + bad.text};
    }
  }
  std::stable_sort(reply.actions.begin(), reply.actions.end(),
                   [](const TimedAction& a, const TimedAction& b) { return a.at < b.at; });
  return reply;
}

Result<Reply> BatsimDialect::read(std::int64_t, std::string_view text, EmuTime now,
                                  bool replayed) const {
  try {
    Changes changes;
    changes.replayed = replayed;
    Reply reply = read(text, now, changes);
    reply.recorded = text;
    return reply;
  } catch (const BadField& bad) {
    return aborted_error(bad.text);
  } catch (const nlohmann::json::exception& wrong) {
    return aborted_error(std::string("the reply is wrong: ") + wrong.what());
  }
}

void BatsimDialect::take(std::int64_t, std::string_view text) {
  Changes changes;
  read(text, EmuTime(0), changes);
  for (auto& [job, known] : changes.known) {
    if (known)
      known_[job] = *std::move(known);
    else
      known_.erase(job);
  }
  in_use_.merge(changes.in_use);
  calls_.merge(changes.calls);
  std::ranges::move(changes.kills, std::back_inserter(kills_));
}

Result<void> check_batsim(const Scenario& scenario) {
  if (!scenario.reservations.empty())
    return usage_error(
        "batsim: the scenario has reservations, but Batsim's protocol has no field for them; "
        "expected none");
  for (const JobSpec& job : scenario.jobs) {
    if (const std::string what = unsaid(job, scenario.cluster); !what.empty())
      return usage_error("batsim: job " + job.name + " " + what +
                         ", but Batsim's protocol has no field for it; expected jobs without");
    for (const NodeSpec& node : scenario.cluster.nodes) {
      const std::int64_t resources = resources_of(scenario, node);
      if (resources == 0)
        return usage_error("batsim_resource=core: node " + node.name +
                           " has less than one core; expected nodes of whole cores, or "
                           "batsim_resource=node");
      const Resources& request = job.phases.front().request;
      const Resources share = combined(
          node.allowance, {}, [&](std::int64_t all, std::int64_t) { return all / resources; });
      const auto print = [&](const Resources& size) {
        return print_resources(size, scenario.cluster.resources);
      };
      if (!request.fits_in(share))
        return usage_error("batsim: a task of job " + job.name + " requests " + print(request) +
                           ", and a resource of node " + node.name + " has " + print(share) +
                           "; expected smaller tasks, because each has a resource of its own");
    }
  }
  return {};
}

}  // namespace heddle::external
