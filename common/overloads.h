#pragma once

namespace heddle {

/// Combines function objects into one overload set, for std::visit. A visit without an `auto`
/// branch does not compile until every alternative of the variant has its branch.
template <class... Branches>
struct Overloads : Branches... {
  using Branches::operator()...;
};
template <class... Branches>
Overloads(Branches...) -> Overloads<Branches...>;

}  // namespace heddle
