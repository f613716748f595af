#include "serve/live.h"

#include <algorithm>
#include <charconv>

#include "common/text.h"

namespace heddle::serve {

using wire::Json;

LiveEvent event_of(const std::string& sentence) {
  constexpr std::string_view kAfterTime = " s  ";
  LiveEvent event{0, sentence};
  const char* end = sentence.data() + sentence.size();
  const auto [stop, error] = std::from_chars(sentence.data(), end, event.t);
  const std::string_view rest(stop, end);
  if (error != std::errc() || !rest.starts_with(kAfterTime)) return {0, sentence};
  event.text = rest.substr(kAfterTime.size());
  return event;
}

void take(wire::Progress progress, LiveRun& run) {
  const std::int64_t before = run.progress ? run.progress->events : 0;
  // After a resumption, the new master counts from 0.
  const std::int64_t fresh =
      std::min(progress.events < before ? progress.events : progress.events - before,
               std::ssize(progress.last_events));
  for (auto it = progress.last_events.end() - fresh; it != progress.last_events.end(); ++it)
    run.events.push_back(event_of(*it));
  while (run.events.size() > kMostEvents) run.events.pop_front();
  run.progress = std::move(progress);
}

void LiveBoard::put(std::vector<LiveRun> runs) {
  auto shared = std::make_shared<const std::vector<LiveRun>>(std::move(runs));
  const std::lock_guard lock(mutex_);
  runs_ = std::move(shared);
}

LiveBoard::Runs LiveBoard::runs() const {
  const std::lock_guard lock(mutex_);
  return runs_;
}

Json live_json(const LiveRun& run, const std::string& id) {
  Json json = {{"id", id}, {"run", run.run}};
  if (!run.progress) return json;
  const wire::Progress& p = *run.progress;
  json["scenario"] = p.scenario;
  json["policy"] = p.policy;
  json["now_s"] = p.now_s;
  json["jobs"] = p.jobs;
  json["jobs_done"] = p.jobs_done;
  json["jobs_failed"] = p.jobs_failed;
  json["tasks"] = p.tasks;
  json["tasks_done"] = p.tasks_done;
  json["containers"] = p.containers_running;
  json["work"] = p.work;
  json["left_s"] = run.left_s ? Json(*run.left_s) : Json();
  return json;
}

}  // namespace heddle::serve
