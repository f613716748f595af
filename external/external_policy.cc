#include "external/external_policy.h"

#include <algorithm>
#include <iterator>

#include "core/scenario/quantity_text.h"

namespace heddle::external {

ExternalPolicy::ExternalPolicy(const Scenario& scenario, std::unique_ptr<Dialect> dialect)
    : anywhere_(scenario.cluster.dispatch == Dispatch::kImmediate), dialect_(std::move(dialect)) {}

Decision ExternalPolicy::decide(const View& view, std::span<const Event> events) {
  Decision decision;
  const bool was_due = due_;
  gather(view, events);
  decision.remembers = (due_ && !was_due) || requests_ == 0;
  take_replies(view, events, decision);
  act(view.now, decision);
  dialect_->add_actions(view, decision);
  return decision;
}

bool ExternalPolicy::passes(const View& view, NodeId node) {
  return requests_ > 0 && !dialect_->wants({view.now, NodeHeartbeat{.node = node}}) &&
         !dialect_->due_at(view, node);
}

std::vector<Obstacle> ExternalPolicy::obstacles(const View& view, JobId job) const {
  std::vector<Obstacle> found = Policy::obstacles(view, job);
  for (Obstacle& obstacle : found)
    if (const auto* next = std::get_if<obstacle::NextReport>(&obstacle.what))
      if (anywhere_ || offered_.contains(next->node))
        obstacle.what = obstacle::Declined{next->node};
  return found;
}

void ExternalPolicy::gather(const View& view, std::span<const Event> events) {
  due_ = due_ || dialect_->due(view, events);
  while (!wakes_.empty() && *wakes_.begin() <= view.now) {
    wakes_.erase(wakes_.begin());
    due_ = true;
  }
  for (const Event& event : events) {
    if (std::holds_alternative<PolicyReplied>(event.what)) continue;
    const bool wanted = dialect_->wants(event);
    due_ = due_ || wanted;
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
      news_.ended.push_back({change.container, *change.ended});
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
    busy_until_ = std::max(reply->now, view.now);
    if (view.now < busy_until_)
      decision.actions.push_back({WakeAt{busy_until_}, "the policy is busy until then"});
    std::move(reply->notes.begin(), reply->notes.end(), std::back_inserter(decision.notes));
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

ExternalPolicy::Request ExternalPolicy::take_request(const ClusterState& cluster, EmuTime now) {
  const View view = unchanged_view(now, cluster, anywhere_);
  Request request{requests_++, now, {}, ""};
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
  request.text = dialect_->request(request.number, view, news_);
  request.offers = std::move(news_.offers);
  news_ = {};
  due_ = false;
  return request;
}

}  // namespace heddle::external
