#pragma once

#include <boost/iterator/filter_iterator.hpp>
#include <boost/iterator/indirect_iterator.hpp>
#include <cassert>
#include <cstddef>
#include <deque>
#include <memory>

#include "core/state/container.h"

namespace heddle {

/// Live containers by id, in its order. Ids are given in ascending order, so one is found by where
/// it stands, not by searching; pointers stay valid until theirs is erased.
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

  /// nullptr if there is none.
  Container* find(ContainerId id) { return has_place(id) ? place(id).get() : nullptr; }
  const Container* find(ContainerId id) const { return has_place(id) ? place(id).get() : nullptr; }
  /// REQUIRES: it is there.
  Container& at(ContainerId id) {
    assert(find(id));
    return *place(id);
  }

  const Container& at(ContainerId id) const {
    assert(find(id));
    return *place(id);
  }

  /// REQUIRES: its id is above all that there were.
  Container& add(const Container& container) {
    if (places_.empty()) first_ = container.id;
    assert(container.id.value - first_.value >= std::ssize(places_));
    while (container.id.value - first_.value > std::ssize(places_)) places_.emplace_back();
    ++size_;
    return *places_.emplace_back(std::make_unique<Container>(container));
  }

  /// REQUIRES: it is there.
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

  ContainerId first_{0};  ///< whose the first place is
  Places places_;         ///< null: ended
  std::size_t size_ = 0;
};

}  // namespace heddle
