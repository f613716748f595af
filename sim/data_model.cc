#include "sim/data_model.h"

#include <algorithm>
#include <cassert>

#include "core/model/work.h"

namespace heddle::sim {
namespace {

constexpr int kNone = FlowPath::kNone;
constexpr double kPerMicrosecond = 1e-6;

}  // namespace

DataModel::DataModel(const std::vector<NodeSpec>& nodes) {
  resources_.reserve(nodes.size() * 3);
  faults_.resize(nodes.size());
  for (const NodeSpec& node : nodes) {
    const double network = node.network_bits_per_s / 8;
    for (double capacity : {node.disk_bytes_per_s, network, network})
      resources_.push_back({capacity * kPerMicrosecond, {}, 0, 0});
  }
  for (const Resource& resource : resources_) capacities_.push_back(resource.capacity);
}

void DataModel::advance(EmuTime now) {
  assert(now >= now_ && now <= next_time());
  now_ = now;
  while (!due_.empty() && due_.begin()->first <= now) {
    auto it = transfers_.find(due_.begin()->second);
    moved_.push_back({it->second.node, it->second.container, it->first, it->second.outcome});
    leave(*it);
    transfers_.erase(it);
  }
}

DataModel::Ticket DataModel::read(NodeId node, ContainerId container, NodeId source, EmuBytes size,
                                  std::uint64_t object) {
  const FlowPath path = source == node
                            ? FlowPath{disk(node)}
                            : FlowPath{disk(source), network_out(source), network_in(node)};
  return begin({node, container, path, source, {}}, size, object);
}

DataModel::Ticket DataModel::write(NodeId node, ContainerId container, EmuBytes size) {
  return begin({node, container, FlowPath{disk(node)}, node, node}, size);
}

DataModel::Ticket DataModel::copy(NodeId node, ContainerId container, NodeId target,
                                  EmuBytes size) {
  const FlowPath path(disk(node), network_out(node), network_in(target), disk(target));
  return begin({node, container, path, target, target}, size);
}

DataModel::Outcome DataModel::outlook(const Transfer& transfer, std::uint64_t object) const {
  const NodeFaults& there = faults_[static_cast<std::size_t>(transfer.other.value)];
  if (transfer.other != transfer.node && there.gone) return Outcome::kLost;
  if (transfer.into && there.full) return Outcome::kFull;
  const bool written = object >> 63 != 0;  // by a container (output_object), not a block
  if (written && writer_of(object) < there.forgotten) return Outcome::kLost;
  return Outcome::kDone;
}

DataModel::Ticket DataModel::begin(const Transfer& transfer, EmuBytes size, std::uint64_t object) {
  Entry& entry = *transfers_.emplace(next_++, transfer).first;
  Transfer& begun = entry.second;
  begun.outcome = outlook(begun, object);
  begun.since = begun.begun = now_;
  begun.left = static_cast<double>(size.count());
  if (size == EmuBytes(0) || begun.outcome != Outcome::kDone) {
    begun.path = {};
    set_due(entry, now_);
    return entry.first;
  }
  for (int resource : begun.path.over) {
    if (resource == kNone) continue;
    resources_[resource].passing.push_back(&entry);
    changed_.push_back(resource);
  }
  return entry.first;
}

void DataModel::end(Entry& entry, Outcome outcome) {
  leave(entry);
  entry.second.path = {};
  entry.second.outcome = outcome;
  moved_.push_back({entry.second.node, entry.second.container, entry.first, outcome});
}

template <class Which>
void DataModel::end_all(Outcome outcome, Which which) {
  std::set<Ticket> tickets;
  for (const auto& [ticket, transfer] : transfers_)
    if (which(transfer)) tickets.insert(ticket);
  for (Ticket ticket : tickets) {
    auto it = transfers_.find(ticket);
    end(*it, outcome);
    transfers_.erase(it);
  }
}

void DataModel::set_passing(NodeId node, bool disk_passes, bool network_passes) {
  auto set = [&](int resource, bool passes) {
    resources_[resource].capacity = passes ? capacities_[resource] : 0;
    changed_.push_back(resource);
  };
  set(disk(node), disk_passes);
  set(network_out(node), network_passes);
  set(network_in(node), network_passes);
}

void DataModel::fail_with(NodeId node, EmuTime begun) {
  end_all(Outcome::kLost, [&](const Transfer& it) {
    return it.other != it.node && (it.other == node || it.node == node) && it.begun <= begun;
  });
}

void DataModel::set_full(NodeId node, bool full) {
  faults_[static_cast<std::size_t>(node.value)].full = full;
  if (full) end_all(Outcome::kFull, [&](const Transfer& it) { return it.into == node; });
}

void DataModel::cancel(Ticket ticket) {
  auto it = transfers_.find(ticket);
  if (it == transfers_.end()) return;
  leave(*it);
  transfers_.erase(it);
}

void DataModel::leave(Entry& transfer) {
  set_due(transfer, kNever);
  for (int resource : transfer.second.path.over) {
    if (resource == kNone) continue;
    std::erase(resources_[resource].passing, &transfer);
    changed_.push_back(resource);
  }
}

void DataModel::see(int resource) {
  if (std::exchange(resources_[resource].seen, divisions_) == divisions_) return;
  resources_[resource].index = static_cast<int>(found_.size());
  found_.push_back(resource);
}

void DataModel::settle() {
  if (changed_.empty()) return;
  ++divisions_;
  found_.clear();
  for (int resource : changed_) see(resource);
  changed_.clear();
  sharing_.clear();
  for (std::size_t i = 0; i < found_.size(); ++i) {
    for (Entry* entry : resources_[found_[i]].passing) {
      if (std::exchange(entry->second.seen, divisions_) == divisions_) continue;
      sharing_.push_back(entry);
      for (int resource : entry->second.path.over)
        if (resource != kNone) see(resource);
    }
  }

  shared_.clear();
  for (int resource : found_) shared_.push_back(resources_[resource].capacity);
  paths_.clear();
  for (const Entry* entry : sharing_) {
    paths_.push_back(entry->second.path);
    for (int& resource : paths_.back().over)
      if (resource != kNone) resource = resources_[resource].index;
  }
  const std::vector<double>& rates = shares_.divide(paths_, shared_);
  for (std::size_t i = 0; i < sharing_.size(); ++i) set_rate(*sharing_[i], rates[i]);
}

void DataModel::set_rate(Entry& entry, double rate) {
  Transfer& transfer = entry.second;
  if (rate == transfer.rate) return;
  transfer.left = std::max(0.0, transfer.left - transfer.rate * us(now_ - transfer.since));
  transfer.since = now_;
  transfer.rate = rate;
  set_due(entry, later(now_, transfer.left / rate));
}

void DataModel::set_due(Entry& entry, EmuTime due) {
  Transfer& transfer = entry.second;
  if (transfer.due != kNever) due_.erase({transfer.due, entry.first});
  transfer.due = due;
  if (due != kNever) due_.emplace(due, entry.first);
}

}  // namespace heddle::sim
