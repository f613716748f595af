#pragma once

namespace heddle {

/// Combines function objects into one overload set, for std::visit. If no branch has an `auto`
/// parameter, a visit compiles only if every alternative of the variant has a branch.
template <class... Branches>
struct Overloads : Branches... {
  using Branches::operator()...;
};
template <class... Branches>
Overloads(Branches...) -> Overloads<Branches...>;

}  // namespace heddle
