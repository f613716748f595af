#include "report/why/json.h"

#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::Json;
using wire::resources_json;

/// Adds the facts of an obstacle to `json`, with names instead of ids.
class Facts {
 public:
  Facts(const Scenario& scenario, Json& json) : scenario_(scenario), json_(json) {}

  void operator()(const obstacle::NotSubmitted&) {}
  void operator()(const obstacle::Starting& it) {
    json_["node"] = node(it.node);
    json_["decided_s"] = to_seconds(it.decided);
  }
  void operator()(const obstacle::Suspended& it) { json_["tasks"] = it.tasks; }
  void operator()(const obstacle::Inputs& it) { json_["phases"] = it.phases; }
  void operator()(const obstacle::SlowStart& it) {
    put_maps(it.completed, it.maps);
    json_["needed"] = it.needed;
  }
  void operator()(const obstacle::Ramp& it) { put_maps(it.completed, it.maps); }
  void operator()(const obstacle::Later& it) { json_["at_s"] = to_seconds(it.at); }
  void operator()(const obstacle::OtherClient& it) { json_["job"] = job(it.job); }
  void operator()(const obstacle::NoNode& it) { json_["gone"] = nodes(it.gone); }
  void operator()(const obstacle::NoRoom& it) {
    json_["node"] = node(it.node);
    json_["free"] = resources_json(it.free);
    json_["held"] = Json::array();
    for (const JobShare& share : it.held) {
      Json who = resources_json(share.held);
      who["job"] = job(share.job);
      json_["held"].push_back(std::move(who));
    }
    json_["own"] = nodes(it.own);
    put_ahead(it.ahead);
  }
  void operator()(const obstacle::Reserved& it) {
    json_["room"] = it.room;
    json_["count"] = it.count;
    json_["nodes"] = Json::array();
    for (const HeldNode& held : it.nodes)
      json_["nodes"].push_back({{"node", node(held.node)}, {"for", phase(held.phase)}});
  }
  void operator()(const obstacle::Estimated& it) {
    json_["node"] = node(it.node);
    json_["free"] = resources_json(it.free);
    json_["free_by_requests"] = resources_json(it.by_requests);
  }
  void operator()(const obstacle::Gang& it) {
    json_["places"] = it.places;
    json_["tasks"] = it.tasks;
    put_ahead(it.ahead);
  }
  void operator()(const obstacle::Backfill& it) {
    json_["planned_s"] = it.at ? Json(to_seconds(*it.at)) : Json();
    put_ahead(it.ahead);
  }
  void operator()(const obstacle::Limit& it) {
    using Of = obstacle::Limit::Of;
    if (it.of == Of::kPool || it.of == Of::kReserve)
      json_["pool"] = it.index;
    else
      json_["queue"] = scenario_.queues[it.index].name;
    if (it.of == Of::kReserve) {
      json_["free"] = wire::rounded(it.used);
      json_["reserved"] = wire::rounded(it.most);
    } else {
      put_limit(it.used, it.most);
    }
  }
  void operator()(const obstacle::MasterShare& it) { put_limit(it.used, it.most); }
  void operator()(const obstacle::LocalityDelay& it) {
    json_["node"] = node(it.node);
    json_["passed"] = it.passed;
    json_["of"] = it.of;
  }
  void operator()(const obstacle::StrictOrder& it) { json_["behind"] = phase(it.behind); }
  void operator()(const obstacle::Order& it) {
    json_["node"] = node(it.node);
    put_ahead(it.ahead);
  }
  void operator()(const obstacle::NextReport& it) { json_["node"] = node(it.node); }
  void operator()(const obstacle::Declined& it) { json_["node"] = node(it.node); }
  void operator()(const obstacle::Unknown&) {}

 private:
  std::string node(NodeId id) const { return scenario_.cluster.nodes[id.value].name; }
  const JobSpec& spec(JobId id) const { return scenario_.jobs[id.value]; }
  std::string job(JobId id) const { return spec(id).name; }
  Json phase(PhaseId id) const {
    return {{"job", job(id.job)}, {"phase", spec(id.job).phases[id.phase].name}};
  }
  Json nodes(const std::vector<NodeId>& ids) const {
    Json names = Json::array();
    for (NodeId id : ids) names.push_back(node(id));
    return names;
  }
  void put_maps(int completed, int maps) {
    json_["completed"] = completed;
    json_["maps"] = maps;
  }
  void put_ahead(const Ahead& ahead) {
    Json first = Json::array();
    for (JobId id : ahead.first) first.push_back(job(id));
    json_["ahead"] = {{"jobs", ahead.jobs}, {"first", std::move(first)}};
  }
  void put_limit(double used, double most) {
    json_["used"] = wire::rounded(used);
    json_["most"] = wire::rounded(most);
  }

  const Scenario& scenario_;
  Json& json_;
};

Json obstacle_json(const WhyAnswer& answer, const Obstacle& obstacle) {
  Json json = {{"cause", cause_of(answer.scenario, obstacle)}, {"phase", nullptr}};
  if (obstacle.phase.phase >= 0) {
    const JobSpec& job = answer.scenario.jobs[obstacle.phase.job.value];
    json["phase"] = job.phases[obstacle.phase.phase].name;
    json["asked"] = resources_json(obstacle.asked);
  }
  std::visit(Facts(answer.scenario, json), obstacle.what);
  json["in_words"] = in_words(answer, obstacle);
  return json;
}

Json intervals_json(const WhyAnswer& answer, const std::vector<WaitInterval>& intervals) {
  Json list = Json::array();
  for (const WaitInterval& interval : intervals) {
    Json obstacles = Json::array();
    for (const Obstacle& obstacle : interval.obstacles)
      obstacles.push_back(obstacle_json(answer, obstacle));
    list.push_back({{"from_s", to_seconds(interval.from)},
                    {"until_s", to_seconds(interval.until)},
                    {"obstacles", std::move(obstacles)}});
  }
  return list;
}

Json causes_json(const WhyAnswer& answer, const std::vector<WaitInterval>& intervals) {
  Json list = Json::array();
  for (const auto& [cause, time] : times_by_cause(answer.scenario, intervals))
    list.push_back({{"cause", cause}, {"s", to_seconds(time)}});
  return list;
}

Json stretches_json(const WhyAnswer& answer, const std::vector<WaitInterval>& intervals) {
  Json list = Json::array();
  for (const WaitStretch& stretch : stretches_of(answer, intervals))
    list.push_back({{"from_s", to_seconds(stretch.from)},
                    {"until_s", to_seconds(stretch.until)},
                    {"phase", stretch.phase.empty() ? Json() : Json(stretch.phase)},
                    {"in_words", stretch.words}});
  return list;
}

}  // namespace

Json short_why_json(const WhyAnswer& answer) {
  Json json = {{"note", answer.note.empty() ? Json() : Json(answer.note)},
               {"stretches", stretches_json(answer, answer.waiting)},
               {"causes", causes_json(answer, answer.waiting)}};
  if (!answer.later) return json;
  json["later_stretches"] = stretches_json(answer, *answer.later);
  json["later_causes"] = causes_json(answer, *answer.later);
  return json;
}

Json why_json(const WhyAnswer& answer) {
  Json json = {{"job", {}}};
  for (const char* key : {"name", "queue", "class", "state", "reason", "submit_s", "start_s",
                          "finish_s", "waiting_s"})
    json["job"][key] = answer.job.at(key);
  json["job"]["index"] = answer.id.value;
  json.update(short_why_json(answer));
  json["waiting"] = intervals_json(answer, answer.waiting);
  if (answer.later) json["later"] = intervals_json(answer, *answer.later);
  return json;
}

}  // namespace heddle::report
