#pragma once

#include <memory>
#include <optional>

#include "core/policy/draft.h"

namespace heddle {

/// iKayak's locality coordination (`locality: shrink`; policies.md, section 5, Algorithm 3): maps
/// whose data is on a node get less than they ask for there rather than run elsewhere.
///
/// P maps of a request have their data on the node, where R is free, and ask for D each: as many of
/// them, k, are to go there as still get mu D (of every resource), each min(D, R / k). mu is the
/// share of launches so far, of tasks with data somewhere, that were where it is: as long as most
/// find their data, hardly anything is shrunk.
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

  /// What the next map of the request, its data being on the node, is to get there now: all it asks
  /// for, or less; nullopt: it can't have enough, or the rule is not for it (no map, a gang, no
  /// data there).
  std::optional<Resources> size(const Request& request, NodeId node, const Draft& draft) const;
  /// The least that a map which asks for that much gets anywhere now.
  Resources least(const Resources& wanted, const Draft& draft) const;
  /// Takes in what the step has launched, at its end.
  void settle(const Draft& draft);

 private:
  double mu(const Draft& draft) const;

  const Scenario& scenario_;
  std::int64_t local_ = 0, elsewhere_ = 0;  ///< launches before this step
};

/// Algorithm 3 for one node: what each of the first k maps gets; nullopt: k is 0. `least`: at least
/// mu * wanted.
std::optional<Resources> shrunk(const Resources& free, const Resources& wanted,
                                const Resources& least, int local);

/// "shrunk to 80 % of its cores and 75 % of its memory".
std::string shrunk_in_words(const Resources& wanted, const Resources& size);

/// nullptr: containers are as large as was asked for.
std::unique_ptr<Shrink> make_shrink(const Scenario& scenario);

}  // namespace heddle
