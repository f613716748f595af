#include "core/policy/queues/queue_tree.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace heddle {

bool several_users_in_one_queue(const std::vector<JobSpec>& jobs) {
  const auto differs = [&](auto member) {
    return std::any_of(jobs.begin(), jobs.end(),
                       [&](const JobSpec& job) { return job.*member != jobs.front().*member; });
  };
  return differs(&JobSpec::user) && !differs(&JobSpec::queue);
}

bool has_user_queues(const Scenario& scenario) {
  const std::optional<bool> given = value(scenario.policy, kUserQueues);
  return given.value_or(several_users_in_one_queue(scenario.jobs));
}

QueueTree::QueueTree(const Scenario& scenario, JobKey job_key, bool user_queues)
    : scenario_(scenario), job_key_(std::move(job_key)), counted_(scenario.jobs.size()) {
  queues_.emplace_back();
  for (const QueueSpec& spec : scenario.queues) queues_.emplace_back().spec = &spec;
  // Multiply the shares on the way up, because a parent can be listed after its children.
  for (int i = 1; i < static_cast<int>(queues_.size()); ++i) {
    Queue& queue = queues_[i];
    queue.parent = std::max(index_of(queue.spec->parent), 0);
    queues_[queue.parent].children.push_back(i);
    for (int at = i; at > 0; at = std::max(index_of(queues_[at].spec->parent), 0)) {
      queue.guaranteed *= queues_[at].spec->capacity;
      queue.maximum *= queues_[at].spec->max_capacity;
    }
  }
  for (const JobSpec& job : scenario.jobs) job_queue_.push_back(std::max(index_of(job.queue), 0));
  if (user_queues) add_user_queues();
}

void QueueTree::add_user_queues() {
  static const QueueSpec all_defaults;
  std::map<std::pair<int, std::string>, int> places;
  for (std::size_t job = 0; job < job_queue_.size(); ++job) {
    const int parent = job_queue_[job];
    const std::string& user = scenario_.jobs[job].user;
    const int next = static_cast<int>(queues_.size());
    const auto [place, fresh] = places.try_emplace({parent, user}, next);
    job_queue_[job] = place->second;
    if (!fresh) continue;
    queues_[parent].children.push_back(next);
    Queue& queue = queues_.emplace_back();
    queue.spec = &all_defaults;
    queue.user = user;
    queue.parent = parent;
    queue.guaranteed = queues_[parent].guaranteed;
    queue.maximum = queues_[parent].maximum;
  }
}

int QueueTree::index_of(const std::string& name) const {
  const std::vector<QueueSpec>& specs = scenario_.queues;
  const auto found = std::ranges::find(specs, name, &QueueSpec::name);
  return found == specs.end() ? -1 : static_cast<int>(found - specs.begin()) + 1;
}

std::string QueueTree::name_of(int index) const {
  const Queue& queue = queues_[index];
  if (index == 0) return "the root";
  if (queue.user.empty()) return "queue " + queue.spec->name;
  const std::string of_user = " of user " + queue.user;
  return (queue.parent == 0 ? "the queue" : name_of(queue.parent)) + of_user;
}

void QueueTree::refresh(const Draft& draft) {
  const ClusterState& cluster = draft.view().cluster;
  for (JobId id : draft.view().changed_jobs) {
    const Job& job = cluster.job(id);
    // The phase of the application master has at most one container.
    const Resources master =
        job.spec().has_am() ? job.spec().phases.front().request * job.live(0) : Resources{};
    count(id, cluster.holdings(id).allocated, master);
    reserved(draft, id);
    place(draft, id);
  }
  if (!job_key_ || cluster.total() == total_) return;
  // If the cluster's resources have changed, all keys have changed. Only the keys of jobs that hold
  // nothing stay the same.
  total_ = cluster.total();
  for (JobId id : std::vector<JobId>(holding_.begin(), holding_.end())) place(draft, id);
}

void QueueTree::launched(const Draft& draft, const Request& request) {
  const JobId id = request.phase.job;
  const Counted& before = counted_[id.value];
  bool master = request.kind == PhaseKind::kAm;
  count(id, before.used + request.resources,
        master ? before.am_used + request.resources : before.am_used);
  reserved(draft, id);
  place(draft, id);
}

void QueueTree::reserved(const Draft& draft, JobId id) {
  Resources now;
  for (const Request* request : draft.view().cluster.requests(id))
    if (request) now += reserved_for(draft, *request);
  const Resources change = now - std::exchange(counted_[id.value].reserved, now);
  if (change == Resources{}) return;
  const int leaf = queue_of(id);
  auto user = queues_[leaf].reserved_by_user.try_emplace(user_of(id)).first;
  user->second += change;
  if (user->second == Resources{}) queues_[leaf].reserved_by_user.erase(user);
  for (int at = leaf; at >= 0; at = queues_[at].parent) queues_[at].reserved += change;
}

void QueueTree::count(JobId id, const Resources& used, const Resources& am_used) {
  Counted& counted = counted_[id.value];
  const Resources change = used - counted.used;
  const Resources am_change = am_used - counted.am_used;
  counted.used = used;
  counted.am_used = am_used;
  if (change == Resources{} && am_change == Resources{}) return;
  const int leaf = queue_of(id);
  auto user = queues_[leaf].by_user.try_emplace(user_of(id)).first;
  user->second += change;
  if (user->second == Resources{}) queues_[leaf].by_user.erase(user);
  for (int at = leaf; at >= 0; at = queues_[at].parent) {
    queues_[at].used += change;
    queues_[at].am_used += am_change;
  }
}

/// Updates the place of the job in its leaf, and the number of jobs that request something.
void QueueTree::place(const Draft& draft, JobId id) {
  Counted& counted = counted_[id.value];
  const int leaf = queue_of(id);
  const ClusterState& cluster = draft.view().cluster;
  const double key = job_key_ ? job_key_(cluster.job(id), counted.used, cluster.total()) : 0;
  queues_[leaf].requests.put(draft, id, key);
  const bool asking = asks(draft, id);
  if (asking && counted.used != Resources{})
    holding_.insert(id);
  else
    holding_.erase(id);
  if (counted.asking == asking) return;
  counted.asking = asking;
  const int by = asking ? 1 : -1;
  for (int at = leaf; at >= 0; at = queues_[at].parent) queues_[at].asking += by;
  auto user = queues_[leaf].asking_users.try_emplace(user_of(id), 0).first;
  user->second += by;
  if (user->second == 0) queues_[leaf].asking_users.erase(user);
}

bool QueueTree::visit_leaf(int leaf, const Walk& walk) const {
  const RequestOrder& requests = queues_[leaf].requests;
  const std::optional<RequestOrder::Key> end = walk.end ? walk.end(leaf) : std::nullopt;
  if (!end) return requests.in_order(walk.round, walk.visit);
  bool goes_on = true;
  const auto before_end = [&](const Request& request) {
    if (RequestOrder::key_of(request, std::get<0>(*end)) >= *end) return false;
    return goes_on = walk.visit(request);
  };
  requests.in_order(walk.round, std::ref(before_end));
  return goes_on;
}

bool QueueTree::descend(int index, const Walk& walk) const {
  const Queue& queue = queues_[index];
  if (queue.leaf()) return visit_leaf(index, walk);
  if (queue.children.size() == 1) return descend(queue.children.front(), walk);
  std::vector<std::pair<std::pair<int, double>, int>> children;
  for (int child : queue.children)
    if (queues_[child].asking > 0) children.emplace_back(walk.key(queues_[child]), child);
  // Often, only the first child is visited, and there can be a child for each of many users.
  std::make_heap(children.begin(), children.end(), std::greater());
  for (; !children.empty(); children.pop_back()) {
    std::pop_heap(children.begin(), children.end(), std::greater());
    if (!descend(children.back().second, walk)) return false;
  }
  return true;
}

}  // namespace heddle
