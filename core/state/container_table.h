#pragma once

#include <boost/iterator/filter_iterator.hpp>
#include <boost/iterator/indirect_iterator.hpp>
#include <cassert>
#include <cstddef>
#include <deque>
#include <memory>

#include "core/state/container.h"

namespace heddle {

/// Holds the live containers in order of their ids. Ids are assigned in ascending order, so the
/// table computes a container's position from its id and needs no search. A pointer to a container
/// stays valid until the container is erased.
class ContainerTable {
  using Places = std::deque<std::unique_ptr<Container>>;
  struct IsThere {
    bool operator()(const std::unique_ptr<Container>& place) const { return place != nullptr; }
  };

 public:
  using Iterator = boost::indirect_iterator<boost::filter_iterator<IsThere, Places::const_iterator>,
                                            const Container>;
  using value_type = Container;
  using const_iterator = Iterator;

  Iterator begin() const { return Iterator({places_.begin(), places_.end()}); }
  Iterator end() const { return Iterator({places_.end(), places_.end()}); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  /// Returns nullptr if there is no such container.
  Container* find(ContainerId id) { return has_place(id) ? place(id).get() : nullptr; }
  const Container* find(ContainerId id) const { return has_place(id) ? place(id).get() : nullptr; }
  /// REQUIRES: the container is in the table.
  Container& at(ContainerId id) {
    assert(find(id));
    return *place(id);
  }

  const Container& at(ContainerId id) const {
    assert(find(id));
    return *place(id);
  }

  /// REQUIRES: the id is larger than all ids that were ever in the table.
  Container& add(const Container& container) {
    if (places_.empty()) first_ = container.id;
    assert(container.id.value - first_.value >= std::ssize(places_));
    while (container.id.value - first_.value > std::ssize(places_)) places_.emplace_back();
    ++size_;
    return *places_.emplace_back(std::make_unique<Container>(container));
  }

  /// REQUIRES: the container is in the table.
  void erase(ContainerId id) {
    assert(find(id));
    places_[static_cast<std::size_t>(id.value - first_.value)].reset();
    --size_;
    for (; !places_.empty() && !places_.front(); ++first_.value) places_.pop_front();
  }

 private:
  bool has_place(ContainerId id) const {
    return id >= first_ && id.value - first_.value < std::ssize(places_);
  }

  const std::unique_ptr<Container>& place(ContainerId id) const {
    return places_[static_cast<std::size_t>(id.value - first_.value)];
  }

  ContainerId first_{0};  ///< the id at the first place
  Places places_;         ///< a null pointer stands for a container that has ended
  std::size_t size_ = 0;
};

}  // namespace heddle
