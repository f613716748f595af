#include "report/single_records.h"

#include <algorithm>

#include "yaml/limits.h"

namespace heddle::report {
namespace {

using wire::BadField;
using wire::Fields;
using wire::Json;

constexpr std::size_t kMostParts = 1'000'000;

bool is_report(const std::string& type) {
  return type == "container_started" || type == "container_ended";
}

}  // namespace

Json SingleRecords::Counted::single() {
  Json one = record;
  if (has_container) one["container"] = place.container++;
  if (one.contains("task")) one["task"] = record["task"].get<std::int64_t>() + done;
  if (one.contains("node")) one["node"] = place.node;
  ++done;
  if (nodes.empty() || ++tasks < nodes[at].tasks) return one;
  tasks = 0;
  if (place.node < nodes[at].last)
    ++place.node;
  else if (++at < nodes.size())
    place.node = nodes[at].first;
  return one;
}

Result<void> SingleRecords::take(Json record) {
  try {
    const Fields fields(record, "record");
    const std::string type = fields.text("type");
    if (type == "run") most_nodes_ = std::ssize(fields.array("nodes", kMostParts));
    const bool report = is_report(type) && fields.has("count");
    if (!reports_.empty() &&
        (!report || reports_.front().record.at("step") != record.value("step", Json())))
      release_reports();
    Counted counted = read(std::move(record));
    if (report)
      reports_.push_back(std::move(counted));
    else
      ready_.emplace_back().push_back(std::move(counted));
  } catch (const BadField& bad) {
    return aborted_error(bad.text);
  }
  return {};
}

SingleRecords::Counted SingleRecords::read(Json record) {
  Counted counted;
  const Fields fields(record, "record");
  const std::string type = fields.text("type");
  const bool launch = type == "launch", registered = type == "node_registered";
  if (fields.has("count") && (launch || registered || type == "kill" || is_report(type))) {
    counted.count = fields.integer("count", 1, kMaxTasks);
    if (is_report(type)) (void)fields.integer("step", 0, INT64_MAX);
    if (registered) {
      const std::int64_t first = fields.integer("node", 0, most_nodes_ - counted.count);
      counted.nodes = {{first, first + counted.count - 1, 1}};
    } else {
      const std::int64_t first = fields.integer("container", 0, INT64_MAX - kMaxTasks);
      counted.has_container = true;
      counted.place.container = first;
      if (launch) {
        (void)fields.integer("task", 0, kMaxTasks);
        (void)fields.integer("node", 0, most_nodes_ - 1);
        alive_[first] = {counted.count, 0, nodes_of(fields, counted.count)};
      }
      const auto known = alive_.find(first);
      if (known == alive_.end() || known->second.count != counted.count)
        throw BadField{std::to_string(counted.count) + " containers from container " +
                       std::to_string(first) + " on were not launched together"};
      if (type == "kill") known->second.killed = ++killed_;
      if (type != "kill") counted.nodes = known->second.nodes;
      if (type == "container_ended") {
        const bool killed = fields.text("outcome") == "killed";
        counted.place.kind = killed ? wire::ReportPlace::kKilled : wire::ReportPlace::kEnded;
        counted.place.killed = killed ? known->second.killed : 0;
        alive_.erase(known);
      }
    }
    if (!counted.nodes.empty()) counted.place.node = counted.nodes.front().first;
    record.erase("count");
    record.erase("nodes");
  } else if (fields.has("node") && record.at("node").is_number_integer()) {
    counted.place.node = record.at("node").get<std::int64_t>();
  }
  counted.record = std::move(record);
  return counted;
}

std::vector<SingleRecords::Nodes> SingleRecords::nodes_of(const Fields& record,
                                                          std::int64_t count) const {
  std::vector<Nodes> parts;
  std::int64_t sum = 0;
  for (const Json& item : record.array("nodes", kMostParts)) {
    const auto number = [&](std::size_t i, std::int64_t least, std::int64_t most) {
      if (!item.is_array() || item.size() != 3 || !item[i].is_number_integer() || item[i] < least ||
          item[i] > most)
        record.bad("nodes", "a list of [first node, last node, tasks on each]");
      return item[i].get<std::int64_t>();
    };
    Nodes part;
    part.first = number(0, parts.empty() ? 0 : parts.back().last, most_nodes_ - 1);
    part.last = number(1, part.first, most_nodes_ - 1);
    part.tasks = number(2, 1, count);
    sum += (part.last - part.first + 1) * part.tasks;
    if (sum > count) break;
    parts.push_back(part);
  }
  if (sum != count) record.bad("nodes", "nodes for all tasks of `count`");
  return parts;
}

void SingleRecords::release_reports() {
  if (reports_.empty()) return;
  std::ranges::make_heap(reports_, comes_later);
  ready_.push_back(std::exchange(reports_, {}));
}

bool SingleRecords::comes_later(const Counted& a, const Counted& b) { return a.place > b.place; }

std::optional<Json> SingleRecords::next() {
  if (ready_.empty()) return std::nullopt;
  std::vector<Counted>& together = ready_.front();
  std::ranges::pop_heap(together, comes_later);
  Counted& first = together.back();
  Json single = first.single();
  if (first.done < first.count)
    std::ranges::push_heap(together, comes_later);
  else
    together.pop_back();
  if (together.empty()) ready_.pop_front();
  return single;
}

}  // namespace heddle::report
