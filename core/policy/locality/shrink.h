#pragma once

#include <memory>
#include <optional>

#include "core/policy/draft.h"

namespace heddle {

/// Containers of one request that are launched together on a node: `count` of `size` each.
struct Portion {
  Resources size;
  int count = 1;
  friend bool operator==(const Portion&, const Portion&) = default;
};

/// iKayak's locality coordination (`locality: shrink`; policies.md, section 5, Algorithm 3): maps
/// whose data is on a node get less than they ask for there rather than run elsewhere.
///
/// P pending maps of a request have their data on the node, where R is free, and ask for D each. If
/// they do not all fit in full, as many of them, k, as still get mu D (of every resource) are
/// launched there together, with min(D, R / k) each. mu is the share of the launches before this
/// step, of tasks with data somewhere, that were where it is: as long as most find their data,
/// hardly anything is shrunk.
///
/// Source: Cheng et al., "Cross-platform Resource Scheduling for Spark and MapReduce on YARN", IEEE
/// TC 2017, Algorithm 3. Parameters: none; nothing is made smaller than least_shrunk().
/// Good at: many short maps whose input is spread over few replicas, on busy nodes.
/// Bad at: maps that take all the cores they have, when the network would have brought the data
/// sooner; memory that is then too small makes them spill.
class Shrink {
 public:
  /// The scenario must outlive it.
  explicit Shrink(const Scenario& scenario) : scenario_(scenario) {}

  /// The maps of the request that are to be launched together on the node now. nullopt: the rule
  /// does not apply (the request is not for maps, or for a gang; no map has its data there; all
  /// that have fit in full), or k is 0.
  std::optional<Portion> portion(const Request& request, NodeId node, const Draft& draft) const;
  /// A map of the request that has its data on the node can be launched there now, in full or
  /// smaller.
  bool has_room(const Request& request, NodeId node, const Draft& draft) const;
  /// The least that a map which asks for that much gets anywhere in this step.
  Resources least(const Resources& wanted) const;
  /// Takes in what the step has launched. Call at its end.
  void settle(const Draft& draft);

 private:
  const Scenario& scenario_;
  std::int64_t local_ = 0, elsewhere_ = 0;  ///< launches before this step
};

/// Algorithm 3 for one node: how many of `local` maps are launched there, and with how much each;
/// nullopt: k is 0. `least`: at least mu * wanted.
std::optional<Portion> shrunk(const Resources& free, const Resources& wanted,
                              const Resources& least, int local);

/// "shrunk to 80 % of its cores and 75 % of its memory".
std::string shrunk_in_words(const Resources& wanted, const Resources& size);

/// nullptr: containers are as large as was asked for.
std::unique_ptr<Shrink> make_shrink(const Scenario& scenario);

}  // namespace heddle
