#pragma once

#include <string_view>
#include <vector>

#include "wire/fields.h"

namespace heddle::cli {

/// A part or an option of policies, with the value that makes a policy use a paper.
struct PolicyValue {
  std::string_view key, value;
};

/// A paper whose method Heddle implements as a part or an option of policies. The descriptions of
/// the parts (PartText::source) and docs/reference/policies.md say what is taken from it.
struct Paper {
  std::string_view key;  ///< of its BibTeX entry
  std::vector<PolicyValue> uses;
  std::string_view bibtex;
  bool complete = true;  ///< false: authors, title and venue are not known
};

/// Returns all papers, in the order of the documentation.
const std::vector<Paper>& papers();
/// Returns the papers that a policy uses. `policy`: as in summary.json. An option that the policy
/// does not read uses no paper.
std::vector<const Paper*> papers_of(const wire::Json& policy);

}  // namespace heddle::cli
