#include "sim/data_model.h"

#include <algorithm>
#include <cassert>

namespace heddle {
namespace {

constexpr int kNone = FlowPath::kNone;
constexpr double kPerMicrosecond = 1e-6;

}  // namespace

DataModel::DataModel(const std::vector<NodeSpec>& nodes) {
  resources_.reserve(nodes.size() * 3);
  for (const NodeSpec& node : nodes) {
    const double network = node.network_bits_per_s / 8;
    for (double capacity : {node.disk_bytes_per_s, network, network})
      resources_.push_back({capacity * kPerMicrosecond, {}, 0, 0});
  }
}

void DataModel::advance(EmuTime now) {
  assert(now >= now_ && now <= next_time());
  now_ = now;
  while (!due_.empty() && due_.begin()->first <= now) {
    auto it = transfers_.find(due_.begin()->second);
    moved_.push_back({it->second.node, it->second.container, it->first});
    leave(*it);
    transfers_.erase(it);
  }
}

DataModel::Ticket DataModel::read(NodeId node, ContainerId container, NodeId source,
                                  EmuBytes size) {
  if (source == node) return begin(node, container, FlowPath{disk(node)}, size);
  return begin(node, container, FlowPath{disk(source), network_out(source), network_in(node)},
               size);
}

DataModel::Ticket DataModel::write(NodeId node, ContainerId container, EmuBytes size) {
  return begin(node, container, FlowPath{disk(node)}, size);
}

DataModel::Ticket DataModel::copy(NodeId node, ContainerId container, NodeId target,
                                  EmuBytes size) {
  return begin(node, container,
               FlowPath(disk(node), network_out(node), network_in(target), disk(target)), size);
}

DataModel::Ticket DataModel::begin(NodeId node, ContainerId container, const FlowPath& path,
                                   EmuBytes size) {
  Entry& entry = *transfers_.emplace(next_++, Transfer{}).first;
  Transfer& transfer = entry.second;
  transfer.node = node;
  transfer.container = container;
  transfer.since = now_;
  transfer.left = static_cast<double>(size.count());
  if (size > EmuBytes(0)) {
    transfer.path = path;
    for (int resource : path.over) {
      if (resource == kNone) continue;
      resources_[resource].passing.push_back(&entry);
      changed_.push_back(resource);
    }
  } else {
    set_due(entry, now_);
  }
  return entry.first;
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

void DataModel::see(int resource, std::vector<int>& found) {
  if (std::exchange(resources_[resource].seen, divisions_) == divisions_) return;
  resources_[resource].index = static_cast<int>(found.size());
  found.push_back(resource);
}

void DataModel::settle() {
  if (changed_.empty()) return;
  ++divisions_;
  std::vector<int> found;  // resources, those looked through first
  for (int resource : changed_) see(resource, found);
  changed_.clear();
  std::vector<Entry*> sharing;
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (Entry* entry : resources_[found[i]].passing) {
      if (std::exchange(entry->second.seen, divisions_) == divisions_) continue;
      sharing.push_back(entry);
      for (int resource : entry->second.path.over)
        if (resource != kNone) see(resource, found);
    }
  }

  std::vector<double> capacities;
  capacities.reserve(found.size());
  for (int resource : found) capacities.push_back(resources_[resource].capacity);
  std::vector<FlowPath> paths;
  paths.reserve(sharing.size());
  for (const Entry* entry : sharing) {
    paths.push_back(entry->second.path);
    for (int& resource : paths.back().over)
      if (resource != kNone) resource = resources_[resource].index;
  }
  const std::vector<double> rates = share_flows(paths, capacities);
  for (std::size_t i = 0; i < sharing.size(); ++i) set_rate(*sharing[i], rates[i]);
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

}  // namespace heddle
