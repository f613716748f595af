// Reads the tree of queues.

#include <algorithm>
#include <map>

#include "common/text.h"
#include "core/scenario/quantity_text.h"
#include "yaml/keys.h"
#include "yaml/limits.h"
#include "yaml/parents.h"
#include "yaml/sections.h"

namespace heddle {

template <>
void describe(Keys& keys, const QueueSpec& q) {
  constexpr Range<double> kShares{0, 1};
  keys.name("name", q.name, "name").needed();
  keys.name("parent", q.parent, "queue above; none: directly below the root").otherwise("none");
  keys.number("capacity", q.capacity, measure::kShare, kShares,
              "guaranteed share of what the parent is guaranteed")
      .otherwise("equal parts of what its siblings leave, at most max_capacity");
  keys.number("max_capacity", q.max_capacity, measure::kShare, {0.001, 1},
              "maximum share of what the parent can hold, at least capacity");
  keys.number("user_limit", q.user_limit, measure::kShare, kShares,
              "share of the queue that each user is entitled to");
  keys.number("max_am_share", q.max_am_share, measure::kShare, kShares,
              "maximum share of application masters in what the queue can hold")
      .otherwise("the policy's");
  keys.number("weight", q.weight, measure::kFraction, {0.001, 1000}, "weight among siblings");
  keys.resources("min", q.min, {}, false, "minimum that the queue gets before weights count")
      .rarely();
}

const Keys& queue_keys() { return keys_of<QueueSpec>("queue"); }

namespace {

// Tolerance for the rounding errors of summed fractions.
constexpr double kRounding = 1e-9;

/// A queue and the map that defines it.
struct QueueRow {
  QueueSpec queue;
  Section section;
};

std::vector<QueueRow> read_rows(const Field& field) {
  std::vector<QueueRow> rows;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < field.node().items.size(); ++i) {
    Section section(field.item(i), queue_keys());
    if (!section.field().is(YamlNode::Kind::kMap)) continue;
    QueueSpec queue;
    section.read(&queue);
    section.field().check_new("queue", queue.name, seen);
    rows.push_back({std::move(queue), std::move(section)});
  }
  return rows;
}

/// Sets the capacity of each sibling without a capacity. These siblings get equal parts of the
/// capacity that the other siblings leave, but at most their max_capacity.
void share_out(const std::vector<QueueRow*>& siblings) {
  double sum = 0;
  int open = 0;
  const QueueRow* last = nullptr;
  std::vector<std::string> names;
  for (const QueueRow* row : siblings) {
    if (!row->section.has("capacity")) {
      ++open;
      continue;
    }
    sum += row->queue.capacity;
    last = row;
    names.push_back(row->queue.name);
  }
  if (sum > 1 + kRounding)
    return last->section.get("capacity")
        ->error("the capacities of " + join(names) + ", all below " +
                (last->queue.parent.empty() ? "the root" : "\"" + last->queue.parent + "\"") +
                ", add up to " + print_percent(sum) + "; expected at most 100 %");
  for (QueueRow* row : siblings) {
    QueueSpec& queue = row->queue;
    if (!row->section.has("capacity"))
      queue.capacity = std::min(std::max(0.0, 1 - sum) / open, queue.max_capacity);
    else if (queue.capacity > queue.max_capacity)
      row->section.get("max_capacity")
          ->error(print_percent(queue.max_capacity) + " is less than the queue's capacity of " +
                  print_percent(queue.capacity) + "; expected at least the capacity");
  }
}

void share_capacities(std::vector<QueueRow>& rows) {
  std::map<std::string, std::vector<QueueRow*>> families;
  for (QueueRow& row : rows) families[row.queue.parent].push_back(&row);
  for (auto& [parent, siblings] : families) share_out(siblings);
}

}  // namespace

void read_queues(const Field& field, std::vector<QueueSpec>& queues) {
  queues.clear();
  if (!field.is_list("a list of at least one queue", 1) || !field.has_at_most(kMaxQueues, "queues"))
    return;
  const Findings& findings = field.findings();
  const std::size_t before = findings.wrong();
  std::vector<QueueRow> rows = read_rows(field);
  const std::size_t values = findings.wrong();
  std::vector<TreeRow> tree;
  for (const QueueRow& row : rows) tree.push_back({row.queue.name, row.queue.parent, row.section});
  check_tree(tree, "queue");
  if (findings.wrong() != values) return;
  if (findings.wrong() == before) share_capacities(rows);
  for (QueueRow& row : rows) queues.push_back(std::move(row.queue));
}

}  // namespace heddle
