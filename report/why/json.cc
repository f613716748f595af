#include "report/why/json.h"

#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::Json;

Json obstacle_json(const WhyAnswer& answer, const Obstacle& obstacle) {
  Reason reason = reason_of(answer, obstacle);
  Json json = {{"cause", std::move(reason.cause)}, {"phase", nullptr}};
  if (obstacle.phase.phase >= 0) {
    const JobSpec& job = answer.scenario.jobs[obstacle.phase.job.value];
    json["phase"] = job.phases[obstacle.phase.phase].name;
    json["asked"] = wire::resources_json(obstacle.asked, answer.scenario.cluster.resources);
  }
  if (!reason.facts.is_null()) json.update(reason.facts);
  json["in_words"] = std::move(reason.words);
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
  json["losses"] = answer.losses;
  json["waiting"] = intervals_json(answer, answer.waiting);
  if (answer.later) json["later"] = intervals_json(answer, *answer.later);
  return json;
}

}  // namespace heddle::report
