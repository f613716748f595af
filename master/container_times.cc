#include "master/container_times.h"

#include <algorithm>

namespace heddle::master {

void ContainerTimes::decided(const std::vector<Action>& actions, real::Time decided, EmuTime at) {
  for (const Action& action : actions) {
    if (const auto* launch = std::get_if<Launch>(&action.what))
      launched(launch->container, decided, at);
    if (const auto* suspend = std::get_if<Suspend>(&action.what))
      suspended(suspend->container, decided);
  }
}

void ContainerTimes::heard(ContainerId id, EmuTime at) {
  if (auto it = newest_.find(id); it != newest_.end()) it->second = std::max(it->second, at);
}

void ContainerTimes::ended(ContainerId id) {
  newest_.erase(id);
  launches_.erase(id);
  suspensions_.erase(id);
}

void ContainerTimes::forget_decisions() {
  launches_.clear();
  suspensions_.clear();
}

std::optional<EmuTime> ContainerTimes::newest(ContainerId id) const {
  auto it = newest_.find(id);
  return it == newest_.end() ? std::nullopt : std::optional(it->second);
}

std::optional<real::Time> ContainerTimes::suspension(ContainerId id) const {
  auto it = suspensions_.find(id);
  return it == suspensions_.end() ? std::nullopt : std::optional(it->second);
}

std::optional<real::Time> ContainerTimes::take(Decided& decided, ContainerId id) {
  const auto taken = decided.extract(id);
  return taken ? std::optional(taken.mapped()) : std::nullopt;
}

}  // namespace heddle::master
