#pragma once

#include <cassert>
#include <cstddef>
#include <deque>
#include <iterator>
#include <memory>

#include "core/state/container.h"

namespace heddle {

/// Live containers by id, in its order. Ids are given in ascending order, so one is found by where
/// it stands, not by searching; pointers stay valid until theirs is erased.
class ContainerTable {
  using Places = std::deque<std::unique_ptr<Container>>;

 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Container;
    using difference_type = std::ptrdiff_t;
    using pointer = const Container*;
    using reference = const Container&;

    Iterator() = default;
    Iterator(const Places::const_iterator& at, const Places::const_iterator& end)
        : at_(at), end_(end) {
      pass();
    }
    reference operator*() const { return **at_; }
    pointer operator->() const { return at_->get(); }
    Iterator& operator++() {
      ++at_;
      pass();
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    void pass() {
      while (at_ != end_ && !*at_) ++at_;
    }
    Places::const_iterator at_, end_;
  };
  using value_type = Container;
  using const_iterator = Iterator;

  Iterator begin() const { return {places_.begin(), places_.end()}; }
  Iterator end() const { return {places_.end(), places_.end()}; }
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
  Container& add(const Container& container);
  /// REQUIRES: it is there.
  void erase(ContainerId id);

 private:
  bool has_place(ContainerId id) const {
    return id >= first_ && id.value - first_.value < std::ssize(places_);
  }
  const std::unique_ptr<Container>& place(ContainerId id) const {
    return places_[static_cast<std::size_t>(id.value - first_.value)];
  }
  std::unique_ptr<Container>& place(ContainerId id) {
    return places_[static_cast<std::size_t>(id.value - first_.value)];
  }

  ContainerId first_{0};  ///< whose the first place is
  Places places_;         ///< null: ended
  std::size_t size_ = 0;
};

}  // namespace heddle
