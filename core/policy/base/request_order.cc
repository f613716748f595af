#include "core/policy/base/request_order.h"

#include <algorithm>

namespace heddle {

RequestOrder::Key RequestOrder::key_of(const Request& request, double first) {
  return {first,          -request.priority,  request.submit, request.phase.job,
          !request.early, request.phase.phase};
}

void RequestOrder::put(const Draft& draft, JobId job, double first) {
  const std::span<const Request* const> requests = draft.view().cluster.requests(job);
  const auto asks = [&](const Request* request) { return request && draft.pending(*request) > 0; };
  if (std::none_of(requests.begin(), requests.end(), asks)) return remove(job);
  std::vector<std::optional<Place>>& places = places_[job.value];
  places.resize(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!asks(requests[i])) {
      take_out(places[i]);
      continue;
    }
    Key key = key_of(*requests[i], first);
    if (!by_priority_) std::get<1>(key) = 0;
    put(RequestGroup(draft, *requests[i]), key, places[i]);
  }
}

void RequestOrder::put(const RequestGroup& group, const Key& key, std::optional<Place>& place) {
  if (place && place->key == key && place->group->first == group) return;
  take_out(place);
  place = {groups_.try_emplace(group).first, key};
  place->group->second.insert(key);
}

void RequestOrder::remove(JobId job) {
  const auto places = places_.find(job.value);
  if (places == places_.end()) return;
  for (std::optional<Place>& place : places->second) take_out(place);
  places_.erase(places);
}

void RequestOrder::take_out(std::optional<Place>& place) {
  if (!place) return;
  place->group->second.erase(place->key);
  if (place->group->second.empty()) groups_.erase(place->group);
  place.reset();
}

RequestOrder::List RequestOrder::all() const {
  List all;
  for (const auto& group : groups_) all.push_back(&group);
  return all;
}

bool RequestOrder::in_order(const Draft& draft, Selection groups, const Round* round,
                            const Scheduler::Visit& visit) {
  const auto useful = [&](const RequestGroup& group) { return !round || round->useful(group); };
  // Often, a node has reported that has no room for any request.
  if (std::none_of(groups.begin(), groups.end(),
                   [&](const auto* group) { return useful(group->first); }))
    return true;
  struct Head {
    const RequestGroup* group;
    Group::const_iterator next, end;
  };
  auto later = [](const Head& a, const Head& b) { return *a.next > *b.next; };
  boost::container::small_vector<Head, 16> heads;
  for (const auto* group : groups)
    heads.push_back({&group->first, group->second.begin(), group->second.end()});
  std::make_heap(heads.begin(), heads.end(), later);
  while (!heads.empty()) {
    std::pop_heap(heads.begin(), heads.end(), later);
    Head& head = heads.back();
    if (!useful(*head.group)) {
      heads.pop_back();
      continue;
    }
    const PhaseId phase = phase_of(*head.next);
    // Move on before the visit, which may remove the request.
    if (++head.next != head.end)
      std::push_heap(heads.begin(), heads.end(), later);
    else
      heads.pop_back();
    const Request* request = draft.view().cluster.request(phase);
    if (draft.pending(*request) > 0 && !visit(*request)) return false;
  }
  return true;
}

bool asks(const Draft& draft, JobId job) {
  const std::span<const Request* const> requests = draft.view().cluster.requests(job);
  return std::any_of(requests.begin(), requests.end(), [&](const Request* request) {
    return request && draft.pending(*request) > 0;
  });
}

}  // namespace heddle
