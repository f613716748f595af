#include "external/external_policy.h"

#include <algorithm>
#include <iterator>

#include "core/policy/gate.h"
#include "core/policy/placement_loop.h"
#include "core/policy/registry.h"
#include "core/scenario/quantity_text.h"

namespace heddle::external {
namespace {

/// Limits of the notes and of the refused actions of a program.
constexpr Allowance kNoteBytes(16 << 10, 1 << 20);
constexpr Allowance kRefusals(100, 10'000);
/// Number of requests at one time, without any news in between, after which a run ends.
constexpr int kMostIdle = 1000;

/// Returns about how many bytes of the journal a note needs.
double bytes_of(const PolicyNote& note) {
  constexpr std::size_t kNumber = 20;
  std::size_t bytes = 64 + note.about.size();
  for (const auto& [key, value] : note.values) {
    const auto* text = std::get_if<std::string>(&value);
    bytes += key.size() + (text ? text->size() : kNumber);
  }
  return static_cast<double>(bytes);
}

}  // namespace

ExternalPolicy::ExternalPolicy(const Scenario& scenario, std::unique_ptr<Dialect> dialect)
    : anywhere_(scenario.cluster.dispatch == Dispatch::kImmediate),
      dialect_(std::move(dialect)),
      notes_(kNoteBytes),
      refusals_(kRefusals) {
  if (!dialect_->ranks()) return;
  auto ranked = std::make_unique<Ranked>();
  ranked_ = ranked.get();
  placement_ = make_placement(scenario, std::move(ranked));
}

ExternalPolicy::~ExternalPolicy() = default;

Decision ExternalPolicy::decide(const View& view, std::span<const Event> events) {
  Decision decision;
  const bool was_due = due_;
  gather(view, events);
  take_replies(view, events, decision);
  act(view.now, decision);
  if (placement_) {
    note_broken_rules(view, decision);
    place(view, events, decision);
    if (ranks_) gather_reservable(view, events);
  }
  decision.remembers |= (due_ && !was_due) || requests_ == 0;
  dialect_->add_actions(view, decision);
  return decision;
}

bool ExternalPolicy::passes(const View& view, NodeId node) {
  return requests_ > 0 && !dialect_->wants({view.now, NodeHeartbeat{.node = node}}) &&
         !dialect_->due_at(view, node) && !could_place(view, node);
}

EmuTime ExternalPolicy::passes_until() const {
  return ranks_ ? placement_->passes_until() : kNever;
}

std::vector<Obstacle> ExternalPolicy::obstacles(const View& view, JobId job) const {
  if (ranks_) return placement_->obstacles(view, job);
  std::vector<Obstacle> found = Policy::obstacles(view, job);
  for (Obstacle& obstacle : found)
    if (const auto* next = std::get_if<obstacle::NextReport>(&obstacle.what))
      if (anywhere_ || offered_.contains(next->node))
        obstacle.what = obstacle::Declined{next->node};
  return found;
}

void ExternalPolicy::gather(const View& view, std::span<const Event> events) {
  due_ = due_ || dialect_->due(view, events);
  // Nodes become reserved or free then.
  if (const auto at = view.cluster.reservations().next_change(view.now)) wakes_.insert(*at);
  while (!wakes_.empty() && *wakes_.begin() <= view.now) {
    wakes_.erase(wakes_.begin());
    due_ = true;
  }
  for (const Event& event : events) {
    if (std::holds_alternative<PolicyReplied>(event.what)) continue;
    const bool wanted = dialect_->wants(event);
    due_ = due_ || wanted;
    if (std::holds_alternative<ActionRefused>(event.what)) refusals_.take(view.now, 1);
    if (wanted || std::holds_alternative<ActionRefused>(event.what)) news_.events.push_back(event);
    if (const auto* refused = std::get_if<ActionRefused>(&event.what);
        refused && refused->action == Launch::kName && dialect_->must_carry_out() &&
        failure_.empty())
      failure_ = refused->action + ": " + refused->reason;
    if (const auto* suspended = std::get_if<ContainerSuspended>(&event.what))
      news_.containers.insert(suspended->container);
    if (const auto* resumed = std::get_if<ContainerResumed>(&event.what))
      news_.containers.insert(resumed->container);
  }
  find_launched(view.cluster, view.container_changes);
  for (const ContainerChange& change : view.container_changes) {
    if (change.ended) {
      news_.containers.erase(change.container.id);
      news_.ended.push_back({change.container, *change.ended, view.now});
    } else {
      news_.containers.insert(change.container.id);
    }
  }
  news_.jobs.insert(view.changed_jobs.begin(), view.changed_jobs.end());
  news_.nodes.insert(view.changed_nodes.begin(), view.changed_nodes.end());
  for (const NodeId node : view.changed_nodes) offered_.erase(node);
  offered_.insert(view.offers.begin(), view.offers.end());
  // Other offers do not matter to the program, and the journal need not have them.
  for (const NodeId node : view.offers)
    if (dialect_->due_at(view, node)) news_.offers.insert(node);
}

void ExternalPolicy::find_launched(const ClusterState& cluster,
                                   std::span<const ContainerChange> changes) {
  // Ids are given in the order of the launches. A container can have ended in this step.
  const auto ended = [&](ContainerId id) {
    return std::any_of(changes.begin(), changes.end(),
                       [&](const ContainerChange& change) { return change.container.id == id; });
  };
  for (; cluster.container(next_) || ended(next_); ++next_.value)
    if (cluster.container(next_)) news_.containers.insert(next_);
}

void ExternalPolicy::take_replies(const View& view, std::span<const Event> events,
                                  Decision& decision) {
  for (const Event& event : events) {
    const auto* replied = std::get_if<PolicyReplied>(&event.what);
    if (!replied) continue;
    Result<Reply> reply = dialect_->read(replied->request, replied->reply, replied->asked, !waits_);
    if (!reply) continue;  // check() has refused it
    // In a replay, nobody takes requests, and the news would only grow.
    if (waits_)
      dialect_->take(replied->request, replied->reply);
    else
      news_ = {};
    waits_ = false;
    take_ranking(*reply);
    busy_until_ = std::max(reply->now, view.now);
    if (view.now < busy_until_)
      decision.actions.push_back({WakeAt{busy_until_}, "the policy is busy until then"});
    for (const PolicyNote& note : reply->notes) notes_.take(view.now, bytes_of(note));
    std::move(reply->notes.begin(), reply->notes.end(), std::back_inserter(decision.notes));
    news_.left_out = reply->left_out;
    if (const auto& [notes, actions] = reply->left_out; notes + actions > 0)
      decision.notes.push_back({"external.left_out", {{"notes", notes}, {"actions", actions}}});
    std::move(reply->actions.begin(), reply->actions.end(), std::back_inserter(later_));
    std::stable_sort(later_.begin(), later_.end(),
                     [](const TimedAction& a, const TimedAction& b) { return a.at < b.at; });
  }
}

void ExternalPolicy::act(EmuTime now, Decision& decision) {
  auto at = later_.begin();
  for (; at != later_.end() && at->at <= now; ++at) {
    note(at->action);
    // The time of a wake can have passed while the program decided.
    const auto* wake = std::get_if<WakeAt>(&at->action.what);
    if (wake && wake->at <= now)
      due_ = true;
    else
      decision.actions.push_back(std::move(at->action));
  }
  later_.erase(later_.begin(), at);
  if (later_.empty() || wake_ == later_.front().at) return;
  wake_ = later_.front().at;
  decision.actions.push_back({WakeAt{*wake_}, "the policy acts at this time"});
}

void ExternalPolicy::note(const Action& action) {
  // The program can have changed its own picture of these nodes and jobs. If the engine refuses the
  // action, it changes nothing, so the program must be told of their state.
  const auto changed = [this](const PhaseId& phase, NodeId node) {
    news_.jobs.insert(phase.job);
    news_.nodes.insert(node);
  };
  if (const auto* launch = std::get_if<Launch>(&action.what)) changed(launch->phase, launch->node);
  if (const auto* reserve = std::get_if<Reserve>(&action.what))
    changed(reserve->phase, reserve->node);
  if (const auto* release = std::get_if<Unreserve>(&action.what))
    changed(release->phase, release->node);
  if (const auto* wake = std::get_if<WakeAt>(&action.what)) wakes_.insert(wake->at);
}

std::vector<std::string> ExternalPolicy::farewell(const ClusterState& cluster, EmuTime now,
                                                  std::string_view status) {
  std::vector<std::string> messages;
  if (due_ && requests_ > 0) messages.push_back(take_request(cluster, now).text);
  if (std::string last = dialect_->farewell(now, status); !last.empty())
    messages.push_back(std::move(last));
  return messages;
}

std::string ExternalPolicy::Request::name() const {
  return "request " + std::to_string(number) + " at " + print_duration(at);
}

Result<Reply> ExternalPolicy::check(const Request& request, std::string_view reply) const {
  Result<Reply> read = dialect_->read(request.number, reply, request.at, false);
  if (!read) return read;
  // A program that was refused too often may still do everything later.
  const std::size_t actions = refusals_.left(request.at) >= 1 ? read->actions.size() : 0;
  double left = notes_.left(request.at);
  std::size_t notes = 0;
  while (notes < read->notes.size() && (left -= bytes_of(read->notes[notes])) >= 0) ++notes;
  // A program itself can't say that something was left out.
  const bool says_so = read->left_out.notes + read->left_out.actions > 0;
  if (says_so || notes < read->notes.size() || actions < read->actions.size()) {
    const std::optional<double> took_us = read->took_us;
    read = dialect_->read(request.number, dialect_->shortened(read->recorded, notes, actions),
                          request.at, false);
    if (!read) return read;
    read->took_us = took_us;
  }
  if (read->ranking) read->recorded = dialect_->with_offers(read->recorded, request.offers);
  return read;
}

void ExternalPolicy::take_ranking(Reply& reply) {
  placing_.reset();
  ranks_ = ranks_ || reply.ranking;
  // A ranking is for the state that the actions leave, so the program has to rank again after them.
  again_ = reply.again || (reply.ranking && !reply.actions.empty());
  if (reply.ranking && !again_)
    placing_ = Placing{reply.now, *std::move(reply.ranking), std::move(reply.offers)};
  else if (placement_)
    placement_->give_up();
}

void ExternalPolicy::place(const View& view, std::span<const Event> events, Decision& decision) {
  View now = view;
  now.offers = {};
  // Without a ranking, only the reservations that Heddle has made are served, on nodes that change.
  now.anywhere = view.anywhere && ranks_;
  const bool opens = placing_ && placing_->at <= view.now;
  if (opens) {
    std::erase_if(placing_->offers, [&](NodeId node) { return !view.cluster.node(node).alive; });
    now.offers = placing_->offers;
    ranked_->open(std::move(placing_->ranking));
  }
  Decision placed = placement_->decide(now, events);
  decision.remembers |= placed.remembers;
  // The program is told of what has started before it ranks again.
  for (const Action& action : placed.actions)
    if (!std::holds_alternative<WakeAt>(action.what)) note(action);
  std::move(placed.actions.begin(), placed.actions.end(), std::back_inserter(decision.actions));
  if (!opens) return;
  placing_.reset();
  again_ = ranked_->paused();
  ranked_->pause();
}

bool ExternalPolicy::could_place(const View& view, NodeId node) const {
  return ranks_ && !placement_->passes(view, node);
}

void ExternalPolicy::gather_reservable(const View& view, std::span<const Event> events) {
  if (!view.anywhere) {
    for (const NodeId node : view.offers)
      if (could_place(view, node)) {
        news_.offers.insert(node);
        due_ = true;
      }
    return;
  }
  const bool changed =
      !view.changed_nodes.empty() || !view.changed_jobs.empty() ||
      std::ranges::any_of(events, [&](const Event& event) {
        // With delay scheduling, each step is an opportunity.
        return std::holds_alternative<Wake>(event.what) ||
               (placement_->delays() && !std::holds_alternative<PolicyReplied>(event.what));
      });
  due_ = due_ || (changed && could_place(view, NodeId{0}));
}

std::vector<HeldBack> ExternalPolicy::held_back(const View& view,
                                                const std::set<NodeId>& offers) const {
  std::vector<HeldBack> all;
  if (!placement_) return all;
  FreeNodeIndex index = placement_->free_nodes(view);
  const Draft draft(view, index);
  for (const auto& [phase, request] : view.cluster.requests()) {
    if (const auto refusal = placement_->refused_anywhere(request, draft)) {
      all.push_back({phase, option_of(*refusal)});
      continue;
    }
    if (!placement_->delays()) continue;
    HeldBack waits{phase, {}};
    for (const NodeId node : offers)
      if (const auto refusal = placement_->refused_at(request, node, draft);
          refusal && std::holds_alternative<obstacle::LocalityDelay>(*refusal)) {
        waits.by = option_of(*refusal);
        waits.nodes.push_back(node);
      }
    if (!waits.nodes.empty()) all.push_back(std::move(waits));
  }
  return all;
}

void ExternalPolicy::note_broken_rules(const View& view, Decision& decision) {
  const auto launches = [](const Action& action) {
    return std::holds_alternative<Launch>(action.what);
  };
  if (std::ranges::none_of(decision.actions, launches)) return;
  FreeNodeIndex index = placement_->free_nodes(view);
  Draft draft(view, index);
  for (const Action& action : decision.actions) {
    const auto* launch = std::get_if<Launch>(&action.what);
    const heddle::Request* request = launch ? view.cluster.request(launch->phase) : nullptr;
    // The engine refuses what is not pending or does not fit.
    if (!request || draft.pending(*request) == 0) continue;
    const auto refusal = placement_->refused_at(*request, launch->node, draft);
    const std::string_view option = refusal ? option_of(*refusal) : std::string_view();
    if (!option.empty() && broken_.insert(option).second)
      decision.notes.push_back({"external.own_rules",
                                {{"option", std::string(option)},
                                 {"job", launch->phase.job.value},
                                 {"phase", std::int64_t{launch->phase.phase}},
                                 {"node", launch->node.value}}});
    if (request->resources.fits_in(draft.free(launch->node)))
      draft.launch(*request, launch->node, "");
  }
}

ExternalPolicy::Request ExternalPolicy::take_request(const ClusterState& cluster, EmuTime now) {
  const View view = unchanged_view(now, cluster, anywhere_);
  Request request{requests_++, now, {}, ""};
  request.again = again_;
  waits_ = true;
  if (request.number == 0) {
    request.text = dialect_->hello(view);
    return request;
  }
  find_launched(cluster, {});
  std::erase_if(news_.offers, [&](NodeId id) { return !cluster.node(id).alive; });
  std::erase_if(news_.containers, [&](ContainerId id) { return !cluster.container(id); });
  // The program says only in its first reply what it wants.
  std::erase_if(news_.events, [this](const Event& event) {
    return !dialect_->wants(event) && !std::holds_alternative<ActionRefused>(event.what);
  });
  const bool idle = now == last_request_ && news_.nothing();
  idle_requests_ = idle ? idle_requests_ + 1 : 0;
  if (idle_requests_ >= kMostIdle && failure_.empty())
    failure_ = "the program has asked " + std::to_string(kMostIdle) + " times at " +
               print_duration(now) +
               " to be asked again at once, and nothing has happened; expected a wake_at at a "
               "later time";
  last_request_ = now;
  News news = std::exchange(news_, {});
  news.again = std::exchange(again_, false);
  if (news.again) {
    // Later events and offers wait for a decision of their own.
    news_.events = std::exchange(news.events, {});
    if (!news_.events.empty()) {
      news_.gone = std::exchange(news.gone, {});
      for (const Ended& each : news.ended) news_.gone.push_back(each.container);
    }
    news_.offers = std::exchange(news.offers, deciding_);
    std::erase_if(news.offers, [&](NodeId id) { return !cluster.node(id).alive; });
  } else {
    due_ = false;
    deciding_ = news.offers;
  }
  news.held_back = held_back(view, news.offers);
  request.text = dialect_->request(request.number, view, news);
  request.offers = std::move(news.offers);
  return request;
}

}  // namespace heddle::external
