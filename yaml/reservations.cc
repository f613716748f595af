// Reads the reservations of nodes (ReservationSpec).

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "common/text.h"
#include "core/scenario/advance_reservations.h"
#include "core/scenario/quantity_text.h"
#include "yaml/keys.h"
#include "yaml/limits.h"
#include "yaml/names_form.h"
#include "yaml/sections.h"

namespace heddle {

template <>
void describe(Keys& keys, const WrittenReservation& written) {
  const ReservationSpec& one = written.reservation;
  constexpr Range<EmuTime> kSpans{EmuTime(1), kMaxTime};
  keys.name("name", one.name, "name").needed();
  keys.number("from", one.from, measure::kDuration, {EmuTime(0), kMaxInstant}, "when it begins");
  keys.number("until", one.until, measure::kDuration, {EmuTime(0), kMaxInstant},
              "when it ends; later than from")
      .otherwise("from and for together");
  keys.number("for", written.lasts, measure::kDuration, kSpans, "how long it lasts, or until")
      .rarely()
      .sparsely()
      .otherwise("from from to until");
  keys.number("every", one.every, measure::kDuration, kSpans,
              "time from one beginning to the next; at least as long as it lasts")
      .rarely()
      .sparsely()
      .otherwise("it lasts once");
  keys.number("times", one.times, measure::kWhole, {1, static_cast<int>(kMaxReservedTimes)},
              "with every: how often it lasts")
      .rarely();
  keys.by_hand("nodes", kNodesForm, "every node", "reserved nodes; n means n1, n2, … of one entry");
  where_key(keys, written.where).help = "of these nodes, those with these labels";
  keys.number("count", written.count, measure::kWhole, {1, kMaxNodes},
              "so many of these nodes: the first that no reservation before it has at that time")
      .rarely()
      .sparsely()
      .otherwise("all of them");
  keys.value("users", &one.users, std::make_unique<NamesForm>(),
             "users whose jobs can use the nodes")
      .rarely()
      .otherwise("any");
  keys.value("accounts", &one.accounts, std::make_unique<NamesForm>(),
             "accounts whose jobs can use the nodes, with the accounts below them")
      .rarely()
      .otherwise("any");
  keys.value("jobs", &one.jobs, std::make_unique<NamesForm>(),
             "names of jobs that can use the nodes; a also means a-1, a-2, … of an entry with a "
             "count")
      .rarely()
      .otherwise("any");
  keys.flag("maintenance", one.maintenance,
            "no job can use the nodes; this, or users, accounts or jobs")
      .rarely();
}

const Keys& reservation_keys() { return keys_of<WrittenReservation>("reservation"); }

namespace {

/// Sets when the reservation ends, and checks when it lasts.
void check_times(const Section& section, WrittenReservation& written) {
  ReservationSpec& one = written.reservation;
  const auto until = section.get("until"), lasts = section.get("for"), every = section.get("every");
  if (until && lasts) return section.field().error("has both until and for; expected one of them");
  if (!until && !lasts)
    return section.field().error("has no end; expected until or for, such as for: 2h");
  if (lasts) one.until = one.from + *written.lasts;
  if (one.until <= one.from)
    return until->error("is " + print_duration(one.until) +
                        "; expected a time later than from, which is " + print_duration(one.from));
  if (every && !section.has("times"))
    return every->error("needs times; expected also how often it lasts, such as times: 4");
  if (!every && section.has("times"))
    return section.get("times")->error(
        "applies only with every; expected every, such as every: 168h");
  if (one.every && *one.every < one.until - one.from)
    every->error("is " + print_duration(*one.every) + "; expected at least the " +
                 print_duration(one.until - one.from) + " that the reservation lasts");
}

/// Checks who can use the nodes.
void check_users(const Section& section, const ReservationSpec& one, const Scenario& scenario) {
  if (one.maintenance && (section.has("users") || section.has("accounts") || section.has("jobs")))
    section.get("maintenance")
        ->error("no job can use the nodes then; expected no users, accounts and jobs beside it");
  if (!one.maintenance && one.users.empty() && one.accounts.empty() && one.jobs.empty())
    section.field().error(
        "says nobody who can use the nodes; expected users, accounts or jobs, or maintenance: "
        "true");
  const auto accounts = section.get("accounts");
  if (!accounts || scenario.accounts.empty()) return;
  std::vector<std::string> names;
  for (const AccountSpec& account : scenario.accounts) names.push_back(account.name);
  for (std::size_t i = 0; i < accounts->node().items.size(); ++i)
    index_of(accounts->item(i), "account", names);
}

using Times = std::vector<std::pair<EmuTime, EmuTime>>;

bool overlap(const Times& a, const Times& b) {
  return std::ranges::any_of(a, [&](const auto& time) {
    const auto next =
        std::ranges::upper_bound(b, time.first, {}, [](const auto& other) { return other.second; });
    return next != b.end() && next->first < time.second;
  });
}

/// Gives nodes to the reservations in order, so that no two but those for maintenance have a node
/// at the same time.
class Nodes {
 public:
  explicit Nodes(const ClusterSpec& cluster) : cluster_(cluster) {}

  void give(const Section& section, WrittenReservation& written) {
    ReservationSpec& one = written.reservation;
    const Times times = times_of(one);
    const std::map<NodeId, std::string> taken = one.maintenance ? decltype(taken){} : at(times);
    if (written.count) {
      std::erase_if(one.nodes, [&](NodeId node) { return taken.contains(node); });
      if (std::ssize(one.nodes) < *written.count)
        return section.get("count")->error(
            "is " + std::to_string(*written.count) + ", but of these nodes only " +
            std::to_string(one.nodes.size()) + " are not reserved then; expected at most so many");
      one.nodes.resize(static_cast<std::size_t>(*written.count));
    }
    for (const NodeId node : one.nodes)
      if (const auto other = taken.find(node); other != taken.end())
        return section.field().error("has node " +
                                     cluster_.nodes[static_cast<std::size_t>(node.value)].name +
                                     " at the same time as reservation \"" + other->second +
                                     "\"; expected other nodes, another time or maintenance: true");
    if (!one.maintenance) given_.push_back({one.name, one.nodes, times});
  }

 private:
  struct Given {
    std::string name;
    std::vector<NodeId> nodes;
    Times times;
  };
  /// Returns the nodes that are reserved at these times, and the names of the reservations.
  std::map<NodeId, std::string> at(const Times& times) const {
    std::map<NodeId, std::string> taken;
    for (const Given& other : given_)
      if (overlap(times, other.times))
        for (const NodeId node : other.nodes) taken.emplace(node, other.name);
    return taken;
  }

  const ClusterSpec& cluster_;
  std::vector<Given> given_;
};

}  // namespace

void read_reservations(const Field& field, const Scenario& scenario,
                       std::vector<ReservationSpec>& reservations) {
  if (!field.is_list("a list of reservations such as {name: a, for: 2h, users: [ann]}") ||
      !field.has_at_most(kMaxReservations, "reservations"))
    return;
  const ClusterSpec& cluster = scenario.cluster;
  const NodesByName known = nodes_by_name(cluster);
  const std::size_t wrong = field.findings().wrong();
  std::set<std::string> seen;
  Nodes nodes(cluster);
  std::size_t members = 0, times = 0;
  for (std::size_t i = 0; i < field.node().items.size(); ++i) {
    const std::size_t before = field.findings().wrong();
    const Section section(field.item(i), reservation_keys());
    if (!section.field().is(YamlNode::Kind::kMap)) continue;
    WrittenReservation written;
    section.read(&written);
    ReservationSpec& one = written.reservation;
    section.field().check_new("reservation", one.name, seen);
    if (field.findings().wrong() == before) {
      check_times(section, written);
      check_users(section, one, scenario);
    }
    one.nodes = read_node_group(section, known, cluster, written.where);
    if (field.findings().wrong() == before && !known.empty()) nodes.give(section, written);
    members += one.nodes.size();
    times += static_cast<std::size_t>(one.times);
    if (members > kMaxMemberships || times > kMaxReservedTimes)
      return field.error("the reservations have more than " + std::to_string(kMaxMemberships) +
                         " nodes, or last more than " + std::to_string(kMaxReservedTimes) +
                         " times, together; expected fewer");
    reservations.push_back(std::move(one));
  }
  if (field.findings().wrong() != wrong) reservations.clear();
}

void check_reserved_jobs(const Field& field, const std::vector<JobSpec>& jobs,
                         const std::vector<ReservationSpec>& reservations) {
  for (std::size_t i = 0; i < reservations.size(); ++i)
    for (std::size_t at = 0; at < reservations[i].jobs.size(); ++at) {
      const std::string& name = reservations[i].jobs[at];
      if (std::ranges::any_of(jobs, [&](const JobSpec& job) { return means_job(name, job.name); }))
        continue;
      std::vector<std::string> names;
      for (const JobSpec& job : jobs) names.push_back(job.name);
      const Section section(field.item(i), reservation_keys());
      index_of(section.get("jobs")->item(at), "job", names);
    }
}

}  // namespace heddle
