#include "core/policy/base/draft.h"

#include <algorithm>
#include <utility>

namespace heddle {

Resources Draft::free(NodeId id) const {
  const Resources withheld = free_nodes_.withheld(id);
  return withheld == Resources{} ? room(id) : max(room(id) - withheld, Resources{});
}

Resources Draft::room(NodeId id) const {
  Resources free = view_.cluster.free(id);
  auto it = taken_.find(id);
  return it == taken_.end() ? free : max(free - it->second, Resources{});
}

const PhaseId* Draft::reserved_by(NodeId id) const {
  if (auto it = holders_.find(id); it != holders_.end()) return it->second ? &*it->second : nullptr;
  const auto& reservation = view_.cluster.node(id).reservation;
  return reservation ? &reservation->phase : nullptr;
}

bool Draft::held_by_other(NodeId node, PhaseId phase) const {
  const PhaseId* holder = reserved_by(node);
  return holder && *holder != phase;
}

int Draft::reserved(const Request& request) const {
  const int before = static_cast<int>(request.reserved.size());
  if (requests_.empty()) return before;
  auto it = requests_.find(request.phase);
  if (it == requests_.end()) return before;
  return before + static_cast<int>(std::ssize(it->second.held) - std::ssize(it->second.let_go));
}

std::vector<NodeId> Draft::reserved_nodes(const Request& request) const {
  std::vector<NodeId> nodes(request.reserved.begin(), request.reserved.end());
  auto it = requests_.find(request.phase);
  if (it == requests_.end()) return nodes;
  std::erase_if(nodes, [&](NodeId node) { return it->second.let_go.contains(node); });
  nodes.insert(nodes.end(), it->second.held.begin(), it->second.held.end());
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

bool Draft::holds(const Request& request, const RequestDraft& draft, NodeId node) {
  return draft.held.contains(node) ||
         (request.reserved.contains(node) && !draft.let_go.contains(node));
}

NodeId Draft::last_held(const Request& request, const RequestDraft& draft) {
  auto before = request.reserved.rbegin();
  while (before != request.reserved.rend() && draft.let_go.contains(*before)) ++before;
  if (draft.held.empty()) return *before;
  const NodeId last = *draft.held.rbegin();
  return before == request.reserved.rend() ? last : std::max(last, *before);
}

int Draft::pending(const Request& request) const {
  if (requests_.empty()) return request.pending;
  auto it = requests_.find(request.phase);
  return it == requests_.end() ? request.pending : it->second.pending;
}

int Draft::pending(PhaseId phase) const {
  const Request* request = view_.cluster.request(phase);
  return request ? pending(*request) : 0;
}

bool Draft::asked_for(const Resources& size) const {
  auto it = satisfied_.find(size);
  return it == satisfied_.end() || it->second < view_.cluster.wanted_sizes().at(size);
}

int Draft::live(PhaseId phase) const {
  int live = view_.cluster.job(phase.job).live(phase.phase);
  if (auto it = requests_.find(phase); it != requests_.end())
    live += view_.cluster.request(phase)->pending - it->second.pending;
  return live;
}

Resources Draft::allocated(JobId job) const {
  Resources held = view_.cluster.holdings(job).allocated;
  auto it = job_taken_.find(job);
  return it == job_taken_.end() ? held : held + it->second;
}

Draft::RequestDraft& Draft::touch(const Request& request) {
  return requests_.try_emplace(request.phase, RequestDraft{request.pending, {}, {}, {}})
      .first->second;
}

const std::set<int>& Draft::launched(PhaseId phase) const {
  static const std::set<int> none;
  auto it = requests_.find(phase);
  return it == requests_.end() ? none : it->second.tasks;
}

Locality Draft::locality(const Request& request, NodeId node) const {
  const Job& job = view_.cluster.job(request.phase.job);
  if (!job.has_places(request.phase.phase)) return Locality::kAny;
  return job.next_task(request.phase.phase, node, launched(request.phase)).locality;
}

const std::vector<NodeId>& Draft::next_data(const Request& request) const {
  return view_.cluster.job(request.phase.job)
      .next_data(request.phase.phase, launched(request.phase));
}

int Draft::local_tasks(const Request& request, NodeId node, int most) const {
  const int local = view_.cluster.job(request.phase.job)
                        .local_tasks(request.phase.phase, node, launched(request.phase), most);
  return std::min(local, pending(request));
}

void Draft::launch(const Request& request, NodeId node, const Resources& wanted,
                   std::string reason) {
  const Resources size = wanted.placed_in(free(node));
  RequestDraft& draft = touch(request);
  const Job& job = view_.cluster.job(request.phase.job);
  if (job.has_places(request.phase.phase)) {
    const NextTask next = job.next_task(request.phase.phase, node, draft.tasks);
    ++(next.locality == Locality::kLocal ? by_data_.local : by_data_.elsewhere);
    draft.tasks.insert(next.task);
  }
  if (--draft.pending == 0) ++satisfied_[request.resources];
  taken_[node] += size;
  const Resources total = size.totals();
  job_taken_[request.phase.job] += total;
  all_taken_ += total;
  if (request.kind == PhaseKind::kAm) am_taken_ += total;
  if (holds(request, draft, node)) {
    let_go(request, draft, node);
    holders_[node] = std::nullopt;
  }
  refresh_room(node);
  while (reserved(request) > draft.pending)
    unreserve(request, last_held(request, draft), "placed elsewhere");
  actions_.push_back(
      {Launch{.phase = request.phase, .node = node, .resources = size}, std::move(reason)});
}

void Draft::reserve(const Request& request, NodeId node, std::string reason) {
  RequestDraft& draft = touch(request);
  if (draft.let_go.erase(node) == 0) draft.held.insert(node);
  holders_[node] = request.phase;
  refresh_room(node);
  actions_.push_back({Reserve{request.phase, node}, std::move(reason)});
}

void Draft::unreserve(const Request& request, NodeId node, std::string reason) {
  let_go(request, touch(request), node);
  holders_[node] = std::nullopt;
  refresh_room(node);
  actions_.push_back({Unreserve{request.phase, node}, std::move(reason)});
}

void Draft::withhold(NodeId node, const Resources& change) {
  free_nodes_.withhold(node, change);
  refresh_room(node);
}

void Draft::kill(ContainerId container, std::string reason) {
  killed_.insert(container);
  actions_.push_back({Kill{container}, std::move(reason)});
}

void Draft::kill_job(JobId job, std::string reason) {
  for (const ContainerId id : view_.cluster.holdings(job).containers) killed_.insert(id);
  actions_.push_back({KillJob{job}, std::move(reason)});
}

}  // namespace heddle
