#include "external/batsim_dialect.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "core/policy/registry.h"
#include "core/scenario/draw.h"
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
  std::vector<std::string> ids;
  std::map<std::string, int> count;
  for (const JobSpec& job : jobs) {
    const bool imported = job.name.starts_with("job-");
    ids.push_back(imported ? job.name.substr(4) : number_at_end(job.name));
    ++count[ids.back()];
  }
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i].empty() || count[ids[i]] > 1) ids[i] = jobs[i].name;
  return ids;
}

std::vector<NodeId> resources_of(const Scenario& scenario) {
  const bool cores = value(scenario.policy, kBatsimResource) == BatsimResource::kCore;
  std::vector<NodeId> nodes;
  for (std::int64_t i = 0; i < std::ssize(scenario.cluster.nodes); ++i) {
    const std::int64_t of_node =
        cores ? scenario.cluster.nodes[i].allowance.cores.count() / 1000 : 1;
    nodes.insert(nodes.end(), static_cast<std::size_t>(of_node), NodeId{i});
  }
  return nodes;
}

/// Returns what the program learns about the work of a job. The time of the work is not known to a
/// scheduler, so the profile has the walltime instead, or -1.
Json profile_of(const Scenario& scenario, JobId id) {
  const JobSpec& job = scenario.jobs[id.value];
  double delay = job.walltime ? to_seconds(*job.walltime) : -1;
  if (value(scenario.policy, kPolicySees) == PolicySees::kDurations) {
    EmuTime longest;
    const PhaseSpec& phase = job.phases.front();
    for (int task = 0; task < phase.tasks; ++task)
      longest = std::max(longest, ideal_time(draw_work(scenario, {{id, 0}, task}),
                                             phase.request.cores, 1.0, false));
    delay = to_seconds(longest);
  }
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
  bool replayed = false;  ///< `known` and `in_use` are empty, because no request was made
  std::map<JobId, Known> known;
  std::map<int, JobId> in_use;
  std::set<EmuTime> calls;
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
  Json killed = Json::array(), progress = Json::object();
  for (const JobId id : ended(view, news.jobs)) {
    const Known& known = known_.at(id);
    const Job& job = view.cluster.job(id);
    const std::string name = std::string(kWorkload) + "!" + ids_[id.value];
    events.push_back(event(view.now, "JOB_COMPLETED",
                           {{"job_id", name},
                            {"job_state", state_of(job, known.killing)},
                            {"return_code", job.state() == JobState::kCompleted ? 0 : 1},
                            {"alloc", alloc_text(known.resources)}}));
    if (known.killing) {
      killed.push_back(name);
      progress[name] = Json::object();
    }
    for (const int resource : known.resources) in_use_.erase(resource);
    known_.erase(id);
  }
  if (!killed.empty())
    events.push_back(
        event(view.now, "JOB_KILLED",
              {{"job_ids", std::move(killed)}, {"job_progress", std::move(progress)}}));
  for (const Event& each : news.events) {
    const auto* submitted = std::get_if<JobSubmitted>(&each.what);
    if (!submitted) continue;
    const JobId id = submitted->job;
    const JobSpec& job = scenario_.jobs[id.value];
    const std::string name = std::string(kWorkload) + "!" + ids_[id.value];
    Json description = {{"id", name},
                        {"subtime", seconds(job.submit)},
                        {"res", job.phases.front().tasks},
                        {"profile", ids_[id.value]}};
    if (job.walltime) description["walltime"] = seconds(*job.walltime);
    events.push_back(
        event(each.at, "JOB_SUBMITTED", {{"job_id", name}, {"job", std::move(description)}}));
    known_[id];
    submitted_.insert(id);
    if (++told_ == std::ssize(scenario_.jobs))
      events.push_back(event(each.at, "NOTIFY", {{"type", "no_more_static_job_to_submit"}}));
  }
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

const BatsimDialect::Known& BatsimDialect::known(const std::string& text,
                                                 const Changes& changes) const {
  static const Known unknown;
  const auto known = changes.known.find(job_of(text));
  if (known != changes.known.end()) return known->second;
  if (changes.replayed) return unknown;
  throw BadField{"job \"" + text + "\" is not submitted yet, or has ended"};
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
          const auto other = changes.in_use.find(resource);
          if (other != changes.in_use.end() && !changes.replayed)
            throw BadField{"job \"" + name + "\" is started on resource " +
                           std::to_string(resource) + ", which job \"" + kWorkload + "!" +
                           ids_[other->second.value] + "\" uses"};
          changes.in_use[resource] = job;
          act(Launch{.phase = {job, 0}, .node = node_of_[resource]}, "EXECUTE_JOB");
        }
        changes.known[job].resources = *resources;
      } else if (type == "REJECT_JOB" || type == "KILL_JOB") {
        const Fields data = each.object("data");
        std::vector<std::string> names;
        if (type == "REJECT_JOB")
          names.push_back(data.text("job_id"));
        else
          for (const Json& name : data.array("job_ids", kMostEvents))
            names.push_back(name.is_string() ? name.get<std::string>() : name.dump());
        for (const std::string& name : names) {
          const JobId job = job_of(name);
          if (type == "REJECT_JOB") {
            if (!known(name, changes).resources.empty())
              throw BadField{"job \"" + name + "\" was started, so it can't be rejected"};
            changes.known.erase(job);  // the program is not told of its end
          } else if (!submitted_.contains(job) || changes.known.contains(job)) {
            (void)known(name, changes);
            changes.known[job].killing = true;
          }
          // If the job has ended while the scheduler decided, the engine refuses this.
          act(KillJob{job},
              type == "REJECT_JOB" ? "the scheduler rejected it" : "the scheduler killed it");
        }
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
    Changes changes{replayed, known_, in_use_, calls_};
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
  Changes changes{false, known_, in_use_, calls_};
  read(text, EmuTime(0), changes);
  known_ = std::move(changes.known);
  in_use_ = std::move(changes.in_use);
  calls_ = std::move(changes.calls);
}

}  // namespace heddle::external
