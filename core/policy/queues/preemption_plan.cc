#include "core/policy/queues/preemption_plan.h"

#include <algorithm>

#include "core/policy/queues/ideal_shares.h"

namespace heddle {
namespace {

/// Returns whether `held` has some of a resource of which `wanted` has any.
bool has_some(const Resources& held, const Resources& wanted) {
  bool has = false;
  each_pair(held, wanted, [&](std::int64_t a, std::int64_t b) { has = has || (a > 0 && b > 0); });
  return has;
}

}  // namespace

bool QueueLimits::within_guarantee(int queue, const Resources& held, const Resources& total) const {
  return share(held, total) <= guaranteed[static_cast<std::size_t>(queue)] + kShareTolerance;
}

void PreemptionPlan::serve(int leaf) {
  leaf_ = leaf;
  coming_ = tree_.queues()[leaf].used + held_room_.of(leaf);
  masters_ = 0;
  impossible_.clear();
  prices_.clear();
  auto covered = held_room_.sizes(leaf);
  tree_.queues()[leaf].requests.in_order(draft_, [&](const Request& request) {
    if (request.gang || request.early || !may_have_(request)) return true;
    int& made = covered[request.resources];
    const int known = std::min(made, draft_.pending(request));
    made -= known;
    if (request.kind == PhaseKind::kAm) masters_ += known;
    serve(request, draft_.pending(request) - known);
    return share(coming_) < limits_.guaranteed[leaf] - kShareTolerance;
  });
}

void PreemptionPlan::serve(const Request& request, int containers) {
  const Resources& size = request.resources;
  Wanted wanted{size, draft_.where(request.phase)};
  if (cluster().reservations().any()) wanted.job = request.phase.job;
  const bool master = request.kind == PhaseKind::kAm;
  int made = 0;
  for (; containers > 0 && fits_guarantee(leaf_, coming_ + size); --containers) {
    if (master) {
      // Check the limits for all application masters together for which room is made.
      Request all = request;
      all.gang = true;
      all.pending = masters_ + 1;
      if (!may_have_(all)) break;
    }
    if (impossible_.contains(wanted)) break;
    look();
    if (!free_room(wanted)) {
      if (!make_room(request)) {
        impossible_.insert(wanted);
        break;
      }
      ++made;
    }
    coming_ += size;
    masters_ += master ? 1 : 0;
  }
  if (made > 0) release_surplus(request, made);
}

bool PreemptionPlan::may_die(const Container& container) const {
  const PhaseId phase = container.task.phase;
  return draft_.job(phase).phases[phase.phase].kind != PhaseKind::kAm &&
         !draft_.killed(container.id);
}

void PreemptionPlan::look() {
  if (looked_) return;
  looked_ = true;
  may_die_.resize(tree_.queues().size());
  for (const Queue& queue : tree_.queues()) held_.push_back(queue.used);
  for (const Container& container : cluster().containers()) {
    const int leaf = leaf_of(container);
    if (may_die(container)) may_die_[leaf].push_back(container.id);
    if (!draft_.killed(container.id)) continue;
    held_[leaf] -= held(container);
    dying_[container.node] += held(container);
    spare_.insert(container.node);
  }
  find_ideal();
}

void PreemptionPlan::find_ideal() {
  std::vector<QueueShares> shares;
  for (int i = 0; i < std::ssize(tree_.queues()); ++i) {
    const Queue& queue = tree_.queues()[i];
    QueueShares& of = shares.emplace_back();
    of.children = queue.children;
    of.guaranteed = limits_.guaranteed[i];
    of.maximum = limits_.maximum[i];
    if (!queue.leaf()) continue;
    of.held = share(held_[i]);
    of.wanted = share(held_[i] + asked(i));
  }
  ideal_ = ideal_shares(shares);
}

Resources PreemptionPlan::asked(int leaf) const {
  Resources asked;
  tree_.queues()[leaf].requests.in_order(draft_, [&](const Request& request) {
    if (request.gang || request.early || !may_have_(request)) return true;
    asked += request.resources * draft_.pending(request);
    return fits_guarantee(leaf, held_[leaf] + asked);
  });
  return asked;
}

Resources PreemptionPlan::spare(NodeId node) const {
  Resources spare = draft_.room(node);
  if (auto it = dying_.find(node); it != dying_.end()) spare += it->second;
  // Sizes are subtracted one by one, because parts of devices do not add up to whole devices.
  for (const HeldRoom::Hold& hold : held_room_.on(node)) spare -= hold.size;
  if (auto it = promised_.find(node); it != promised_.end())
    for (const Resources& size : it->second) spare -= size;
  return max(spare, Resources{});
}

bool PreemptionPlan::take_spare(NodeId node, const Wanted& wanted) {
  if (draft_.reserved_by(node) || !may_use(node, wanted) || !wanted.size.fits_in(spare(node)))
    return false;
  promised_[node].push_back(wanted.size);
  return true;
}

bool PreemptionPlan::free_room(const Wanted& wanted) {
  Search& search = searches_.try_emplace(wanted, Search{NodeId{0}, spare_}).first->second;
  for (; !search.spare.empty(); search.spare.erase(search.spare.begin()))
    if (take_spare(*search.spare.begin(), wanted)) return true;
  for (auto node = draft_.free_nodes().first(wanted.size, search.from); node;
       node = draft_.free_nodes().first(wanted.size, search.from)) {
    if (take_spare(*node, wanted)) return true;
    search.from = NodeId{node->value + 1};
  }
  return false;
}

bool PreemptionPlan::make_room(const Request& request) {
  std::vector<std::pair<double, int>> above;
  for (int i = 0; i < std::ssize(tree_.queues()); ++i)
    if (tree_.queues()[i].leaf() && share(held_[i]) > ideal_[i] + kShareTolerance)
      above.emplace_back(ideal_[i] - share(held_[i]), i);
  std::sort(above.begin(), above.end());
  for (const auto& [by, first] : above) {
    if (std::optional<Victims> victims =
            cheapest({request.resources, draft_.where(request.phase)}, first)) {
      take(*victims, request);
      return true;
    }
  }
  return false;
}

std::vector<ContainerId> PreemptionPlan::lost_with(const Container& container) const {
  if (!in_gang(container)) return {container.id};
  std::vector<ContainerId> gang;
  const PhaseId phase = container.task.phase;
  for (ContainerId id : cluster().holdings(phase.job).containers)
    if (cluster().container(id)->task.phase == phase && !draft_.killed(id)) gang.push_back(id);
  return gang;
}

PreemptionPlan::Price PreemptionPlan::price(const Victims& victims) const {
  const auto& containers = victims.containers;
  std::size_t lost = containers.size();
  std::set<PhaseId> gangs;
  for (ContainerId id : containers) {
    const Container& container = *cluster().container(id);
    if (!in_gang(container)) continue;
    --lost;
    if (gangs.insert(container.task.phase).second) lost += lost_with(container).size();
  }
  return {lost, containers.empty() ? 0 : -containers.front().value, victims.node};
}

std::optional<PreemptionPlan::Victims> PreemptionPlan::cheapest(const Wanted& wanted, int first) {
  auto [it, fresh] = prices_[first].try_emplace(wanted);
  std::set<Price>& prices = it->second;
  if (fresh) {
    std::set<NodeId> nodes = cluster().reserved_nodes();
    for (ContainerId id : may_die_[first]) nodes.insert(cluster().container(id)->node);
    for (NodeId node : nodes)
      if (auto victims = victims_on(node, wanted, first)) prices.insert(price(*victims));
  }
  // A stored price can be too low. A price rises when containers of the node are killed for another
  // request, or when a leaf reaches its ideal share.
  while (!prices.empty()) {
    const Price best = *prices.begin();
    std::optional<Victims> victims = victims_on(std::get<NodeId>(best), wanted, first);
    if (victims && price(*victims) == best) return victims;
    prices.erase(prices.begin());
    if (victims) prices.insert(price(*victims));
  }
  return std::nullopt;
}

bool PreemptionPlan::left_alone(NodeId node) const {
  const PhaseId* holder = draft_.reserved_by(node);
  if (!holder) return false;
  const int leaf = tree_.queue_of(holder->job);
  const Resources& size = cluster().request(*holder)->resources;
  return leaf != leaf_ && fits_guarantee(leaf, tree_.queues()[leaf].used + size);
}

const Container* PreemptionPlan::next_victim(const Node& node, const Resources* lacks,
                                             const std::map<int, Resources>& taken,
                                             std::optional<int> of,
                                             const std::vector<ContainerId>& but) const {
  const Container* best = nullptr;
  double best_above = kShareTolerance;
  const Container* gang = nullptr;  // only if there is no single container
  for (auto it = node.containers.rbegin(); it != node.containers.rend(); ++it) {
    const Container& container = *cluster().container(*it);
    const int leaf = leaf_of(container);
    if ((of && leaf != *of) || std::find(but.begin(), but.end(), *it) != but.end()) continue;
    const auto gone = taken.find(leaf);
    const Resources left = gone == taken.end() ? held_[leaf] : held_[leaf] - gone->second;
    const double above = share(left) - ideal_[leaf];
    if (above <= best_above || !may_die(container)) continue;
    if (lacks && !has_some(held(container), *lacks)) continue;
    if (in_gang(container)) {
      if (!gang) gang = &container;
      continue;
    }
    best = &container;
    best_above = above;
  }
  return best ? best : gang;
}

std::optional<PreemptionPlan::Victims> PreemptionPlan::victims_on(NodeId id, const Wanted& wanted,
                                                                  int first) const {
  const Node& node = cluster().node(id);
  const Resources& size = wanted.size;
  if (!node.alive || left_alone(id) || !may_use(id, wanted)) return std::nullopt;
  Victims victims{id, {}};
  std::map<int, Resources> taken;
  Resources room = spare(id);
  while (!size.fits_in(room)) {
    const std::optional<int> of = victims.containers.empty() ? std::optional(first) : std::nullopt;
    const Resources lacks = lacking(size, room);
    const Container* next = next_victim(node, &lacks, taken, of, victims.containers);
    if (!next) return std::nullopt;
    for (ContainerId lost : lost_with(*next)) {
      const Container& container = *cluster().container(lost);
      if (container.node != id) continue;
      victims.containers.push_back(lost);
      taken[leaf_of(*next)] += held(container);
      room += held(container);
    }
  }
  // Remove containers that need not be killed, because a larger container was added later.
  std::erase_if(victims.containers, [&](ContainerId victim) {
    const Resources without = room - held(*cluster().container(victim));
    if (!size.fits_in(without)) return false;
    room = without;
    return true;
  });
  return victims;
}

void PreemptionPlan::take(const Victims& victims, const Request& request) {
  const std::string queue = tree_.name_of(leaf_);
  std::set<NodeId> nodes{victims.node};
  for (ContainerId victim : victims.containers) {
    if (draft_.killed(victim)) continue;  // with its gang
    for (ContainerId id : lost_with(*cluster().container(victim))) {
      const Container& container = *cluster().container(id);
      held_[leaf_of(container)] -= held(container);
      dying_[container.node] += held(container);
      nodes.insert(container.node);
      draft_.kill(id, "preempted: " + queue + " is below its guarantee");
    }
  }
  spare_.insert(nodes.begin(), nodes.end());
  const PhaseId* holder = draft_.reserved_by(victims.node);
  if (holder && tree_.queue_of(holder->job) != leaf_)
    release(*holder, victims.node, "room is made for " + queue);
  else if (victims.containers.empty())
    released_.push_back(victims.node);  // only a reservation of this queue was in the way
  for (auto& [wanted, search] : searches_) search.spare.insert(nodes.begin(), nodes.end());
  held_room_.add(victims.node, {leaf_, request.resources}, draft_);
  // The rest of the room on the node can make the next container cheaper.
  for (auto& [first, sizes] : prices_)
    for (auto& [wanted, prices] : sizes)
      if (auto next = victims_on(victims.node, wanted, first)) prices.insert(price(*next));
}

void PreemptionPlan::release(PhaseId holder, NodeId node, std::string reason) {
  draft_.unreserve(*cluster().request(holder), node, std::move(reason));
  released_.push_back(node);
}

void PreemptionPlan::release_surplus(const Request& request, int made) {
  int surplus = draft_.reserved(request) + made - draft_.pending(request);
  if (surplus <= 0) return;
  for (NodeId node : draft_.reserved_nodes(request)) {
    if (surplus == 0) return;
    if (next_victim(cluster().node(node), nullptr, {}, std::nullopt, {})) continue;
    release(request.phase, node, "room was made elsewhere");
    --surplus;
  }
}

}  // namespace heddle
