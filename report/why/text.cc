#include "report/why/text.h"

#include <fmt/core.h>

#include "common/text.h"
#include "core/policy/registry.h"
#include "report/table.h"

namespace heddle::report {
namespace {

/// Intervals shorter than one kFlickerPart-th of the whole time are merged into their neighbor.
constexpr int kFlickerPart = 50;

std::string plural(std::int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string cores_text(Millicores cores) {
  return fmt::format("{:.4g} core{}", static_cast<double>(cores.count()) / 1e3,
                     cores == Millicores(1000) ? "" : "s");
}

std::string memory_text(EmuBytes memory) {
  const auto bytes = static_cast<double>(memory.count());
  if (memory.count() != 0 && memory < EmuBytes(1LL << 30))
    return fmt::format("{:.4g} MiB", bytes / (1 << 20));
  return fmt::format("{:.4g} GiB", bytes / (1 << 30));
}

std::string amount(const Resources& of) {
  return cores_text(of.cores) + ", " + memory_text(of.memory);
}

std::string percent(double share) { return fmt::format("{:.3g} %", share * 100); }
std::string seconds(EmuTime time) { return fmt::format("{:.2f}", to_seconds(time)); }

/// Formats one sentence for each kind of obstacle.
class Sentence {
 public:
  Sentence(const WhyAnswer& answer, const Obstacle& obstacle)
      : answer_(answer), scenario_(answer.scenario), obstacle_(obstacle) {}

  std::string operator()(const obstacle::NotSubmitted&) const { return "not submitted yet"; }
  std::string operator()(const obstacle::Starting& it) const {
    return fmt::format("launched on {} at {} s: its process is starting", node(it.node),
                       seconds(it.decided));
  }
  std::string operator()(const obstacle::Suspended& it) const {
    return plural(it.tasks, "task") + (it.tasks == 1 ? " is" : " are") + " suspended";
  }
  std::string operator()(const obstacle::Inputs& it) const {
    std::vector<std::string> phases;
    for (int phase : it.phases) phases.push_back(phase_name({obstacle_.phase.job, phase}));
    return "phases before it are not complete: " + join(phases);
  }
  std::string operator()(const obstacle::SlowStart& it) const {
    return fmt::format("slow start: {} of {} maps are complete; {} are required", it.completed,
                       it.maps, it.needed);
  }
  std::string operator()(const obstacle::Ramp& it) const {
    return fmt::format(
        "ramp: reduces are at their limit while maps wait for containers ({} of {} maps complete)",
        it.completed, it.maps);
  }
  std::string operator()(const obstacle::Later& it) const {
    return "the next task is requested at " + seconds(it.at) + " s (start_spread)";
  }
  std::string operator()(const obstacle::OtherClient& it) const {
    return "only one yarn-client job runs at a time, and " + job(it.job) + " is active";
  }
  std::string operator()(const obstacle::NoNode& it) const {
    std::vector<std::string> gone;
    for (NodeId id : it.gone) gone.push_back(node(id));
    return "no live node could hold " + asked() + "; lost or not registered yet: " + join(gone);
  }
  std::string operator()(const obstacle::NoRoom& it) const {
    std::string text = "no room for " + asked() + ": ";
    text += (it.own.empty() ? "the nearest node, " : "") + node(it.node) +
            (it.own.empty() ? ", has" : ", reserved for it, has");
    text += " " + amount(it.free) + " free" + held_there(it);
    if (it.own.size() > 1) text += "; also reserved for it: " + nodes(it.own, it.node);
    return text + before(it.ahead);
  }
  std::string operator()(const obstacle::Reserved& it) const {
    std::string held;
    for (std::size_t i = 0; i < it.nodes.size(); ++i) {
      const bool last = i + 1 == it.nodes.size();
      held += node(it.nodes[i].node);
      if (last || it.nodes[i + 1].phase != it.nodes[i].phase)
        held += " for " + phase_of(it.nodes[i].phase);
      if (!last) held += ", ";
    }
    const int more = it.count - static_cast<int>(it.nodes.size());
    if (more > 0) held += " and " + std::to_string(more) + " more";
    return (it.room ? "room for " + asked() + " only where it is reserved: "
                    : "all nodes that could hold " + asked() + " are reserved: ") +
           held;
  }
  std::string operator()(const obstacle::Estimated& it) const {
    return fmt::format(
        "no room for {}: by requests, {} has {} free, but by estimated usage only {}", asked(),
        node(it.node), amount(it.by_requests), amount(it.free));
  }
  std::string operator()(const obstacle::Gang& it) const {
    return fmt::format("gang: {} of {} containers of {} fit at once", it.places, it.tasks,
                       asked()) +
           before(it.ahead);
  }
  std::string operator()(const obstacle::Backfill& it) const {
    if (it.at) return "planned to start at " + seconds(*it.at) + " s, by the walltimes";
    if (it.ahead.jobs > 0)
      return "it can't start now without a delay of " + job(it.ahead.first.front()) +
             ", which has a reservation";
    return "not planned: no walltime tells when what it needs becomes free";
  }
  std::string operator()(const obstacle::Limit& it) const {
    using Of = obstacle::Limit::Of;
    if (it.of == Of::kPool) {
      const wire::Json& size = answer_.job.at("class");
      return fmt::format("its pool{} holds {} of the cluster, and its share is {}",
                         size.is_string() ? " (" + size.get<std::string>() + " jobs)" : "",
                         percent(it.used), percent(it.most));
    }
    if (it.of == Of::kReserve)
      return fmt::format("{} of the cluster is free, and {} is reserved for smaller jobs",
                         percent(it.used), percent(it.most));
    const std::string& queue = scenario_.queues[it.index].name;
    if (it.of == Of::kUser)
      return fmt::format("user limit: {} holds {} of the cluster and is entitled to {} in queue {}",
                         spec().user, percent(it.used), percent(it.most), queue);
    return fmt::format("{}queue {} would hold {} of the cluster, but its limit is {}",
                       it.of == Of::kQueueMasters ? "application masters in " : "", queue,
                       percent(it.used), percent(it.most));
  }
  std::string operator()(const obstacle::MasterShare& it) const {
    return fmt::format(
        "application masters hold {} of the cluster; with one more, they would exceed {} "
        "(max_am_share)",
        percent(it.used), percent(it.most));
  }
  std::string operator()(const obstacle::LocalityDelay& it) const {
    return fmt::format("{} has room, but not its data: {} of {} opportunities passed",
                       node(it.node), it.passed, it.of);
  }
  std::string operator()(const obstacle::StrictOrder& it) const {
    return "strict order: " + phase_of(it.behind) + " goes first, but can't be placed";
  }
  std::string operator()(const obstacle::Order& it) const {
    return node(it.node) + " has free capacity, but other jobs go first: " + list(it.ahead) + " (" +
           chosen_part(scenario_.policy, "scheduler") + ")";
  }
  std::string operator()(const obstacle::NextReport& it) const {
    if (scenario_.cluster.dispatch == Dispatch::kImmediate)
      return "there is room; it waits for the next decision";
    return "there is room; it waits for the next heartbeat of " + node(it.node);
  }
  std::string operator()(const obstacle::Declined& it) const {
    return node(it.node) + " has room, but the external policy did not use it";
  }
  std::string operator()(const obstacle::Unknown&) const { return "the journal does not show why"; }

 private:
  std::string node(NodeId id) const { return scenario_.cluster.nodes[id.value].name; }
  std::string job(JobId id) const {
    return id == answer_.id ? "itself" : scenario_.jobs[id.value].name;
  }
  const JobSpec& spec() const { return scenario_.jobs[answer_.id.value]; }
  std::string phase_name(PhaseId id) const {
    return scenario_.jobs[id.job.value].phases[id.phase].name;
  }
  std::string phase_of(PhaseId id) const { return job(id.job) + "." + phase_name(id); }
  std::string asked() const { return amount(obstacle_.asked); }
  std::string nodes(const std::vector<NodeId>& ids, NodeId without) const {
    std::vector<std::string> names;
    for (NodeId id : ids)
      if (id != without) names.push_back(node(id));
    return join(names);
  }

  /// Returns which jobs hold the missing resource: "; held there by sort (6 cores), train (2
  /// cores)".
  std::string held_there(const obstacle::NoRoom& it) const {
    const bool cores = obstacle_.asked.cores > it.free.cores;
    const bool memory = obstacle_.asked.memory > it.free.memory;
    std::vector<std::string> who;
    for (const JobShare& share : it.held) {
      const std::string what = cores && memory ? amount(share.held)
                               : cores         ? cores_text(share.held.cores)
                                               : memory_text(share.held.memory);
      who.push_back(job(share.job) + " (" + what + ")");
    }
    return who.empty() ? "" : "; held there by " + join(who);
  }
  std::string list(const Ahead& ahead) const {
    std::vector<std::string> first;
    for (JobId id : ahead.first) first.push_back(job(id));
    const int more = ahead.jobs - static_cast<int>(first.size());
    return join(first) + (more > 0 ? " and " + plural(more, "other job") : "");
  }
  std::string before(const Ahead& ahead) const {
    return ahead.jobs == 0 ? "" : "; jobs ahead of it: " + list(ahead);
  }

  const WhyAnswer& answer_;
  const Scenario& scenario_;
  const Obstacle& obstacle_;
};

std::string phase_cell(const WhyAnswer& answer, const Obstacle& obstacle) {
  if (obstacle.phase.phase < 0) return "";
  return answer.scenario.jobs[answer.id.value].phases[obstacle.phase.phase].name;
}

/// Returns the other causes of an interval: " [including 0.6 s next report]".
std::string other_causes(const ShownWait& wait) {
  std::vector<std::string> others;
  for (std::size_t i = 1; i < wait.causes.size(); ++i)
    others.push_back(seconds(wait.causes[i].second) + " s " + wait.causes[i].first);
  return others.empty() ? "" : " [including " + join(others) + "]";
}

std::string table(const WhyAnswer& answer, const std::vector<WaitInterval>& intervals) {
  if (intervals.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const WaitStretch& stretch : stretches_of(answer, intervals))
    rows.push_back({seconds(stretch.from), seconds(stretch.until),
                    seconds(stretch.until - stretch.from), stretch.phase, stretch.words});
  return format_table(
      {{"from s", true}, {"until s", true}, {"for s", true}, {"phase"}, {"waited for"}}, rows);
}

std::string sums(const WhyAnswer& answer, const std::vector<WaitInterval>& intervals) {
  std::vector<std::vector<std::string>> rows;
  EmuTime whole;
  const CauseTimes causes = times_by_cause(answer.scenario, intervals);
  for (const auto& [cause, time] : causes) whole += time;
  for (const auto& [cause, time] : causes)
    rows.push_back({cause, seconds(time),
                    fmt::format("{:.1f} %", 100 * share_of(time.count(), whole.count()))});
  if (rows.empty()) return "";
  return format_table({{"cause"}, {"s", true}, {"", true}}, rows);
}

std::string heading(const WhyAnswer& answer) {
  const wire::Json& job = answer.job;
  std::string text =
      fmt::format("{}  queue {}, {}, {}\n", job.at("name").get<std::string>(),
                  job.at("queue").get<std::string>(), policy_text(answer.scenario.policy),
                  job.at("state").get<std::string>());
  text += fmt::format("submitted {:.2f} s, ", job.at("submit_s").get<double>());
  if (job.at("start_s").is_number())
    text += fmt::format("first task started {:.2f} s: waited {:.2f} s\n",
                        job.at("start_s").get<double>(), job.at("waiting_s").get<double>());
  else if (answer.waiting.empty())
    text += "and the journal ends before its first task\n";
  else
    text += fmt::format("no task ever started: waited {} s\n",
                        seconds(answer.waiting.back().until - answer.waiting.front().from));
  if (job.at("reason").is_string()) text += job.at("reason").get<std::string>() + "\n";
  if (!answer.note.empty()) text += answer.note + "\n";
  return text;
}

}  // namespace

std::string in_words(const WhyAnswer& answer, const Obstacle& obstacle) {
  return std::visit(Sentence(answer, obstacle), obstacle.what);
}

std::vector<WaitStretch> stretches_of(const WhyAnswer& answer,
                                      const std::vector<WaitInterval>& intervals) {
  if (intervals.empty()) return {};
  const EmuTime whole = intervals.back().until - intervals.front().from;
  const EmuTime flicker(whole.count() / kFlickerPart);
  std::vector<WaitStretch> stretches;
  for (const ShownWait& wait : shown_waits(answer.scenario, intervals, flicker)) {
    const Obstacle& obstacle = wait.main->obstacles.front();
    stretches.push_back({wait.from, wait.until, phase_cell(answer, obstacle),
                         in_words(answer, obstacle) + other_causes(wait)});
  }
  return stretches;
}

std::string why_text(const WhyAnswer& answer) {
  std::string text = heading(answer);
  if (!answer.waiting.empty())
    text += "\n" + table(answer, answer.waiting) + "\n" + sums(answer, answer.waiting);
  if (!answer.later) return text;
  text += "\nlater times without a running task\n";
  if (answer.later->empty()) return text + "never\n";
  return text + "\n" + table(answer, *answer.later) + "\n" + sums(answer, *answer.later);
}

}  // namespace heddle::report
