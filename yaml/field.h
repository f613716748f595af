#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/resources.h"
#include "core/scenario/policy_table.h"
#include "core/scenario/workload.h"
#include "yaml/tree.h"

namespace heddle {

inline constexpr std::size_t kMaxErrors = 20;

/// The inputs of the reader, and the errors and warnings so far, in the order in which they were
/// found.
struct Findings {
  std::string filename;
  const WorkloadTable& workloads;   ///< workloads that the scenario can name
  const PolicyTable& policies;      ///< policies that the scenario can name
  std::vector<std::string> errors;  ///< at most kMaxErrors; `more` counts further errors
  int more = 0;
  std::vector<std::string> warnings;
  std::string_view table = {};  ///< what follows the end of the document: a table of jobs, or ""
  int table_line = 0;           ///< line of the file before the table
  CountNames counted = {};      ///< of the cluster, once it is read
  bool drawn_jobs = false;      ///< as in CheckedScenario

  /// Returns whether further errors are only counted, so that nobody reads their texts.
  bool full() const { return errors.size() >= kMaxErrors; }
  std::size_t wrong() const { return errors.size() + static_cast<std::size_t>(more); }
};

/// A value of the tree with its path, such as "jobs.wc.phases.map". Errors about the value are
/// added to the Findings. A Field is cheap to copy. It is valid as long as the tree and the
/// Findings exist.
class Field {
 public:
  Field(const YamlNode& node, std::string path, Findings& findings)
      : node_(&node), path_(std::move(path)), findings_(&findings) {}

  const YamlNode& node() const { return *node_; }
  const std::string& path() const { return path_; }
  Findings& findings() const { return *findings_; }

  /// Adds the error "FILE:LINE: PATH: text". If the value is from the command line, the error is
  /// "--set …: PATH: text".
  void error(const std::string& text) const;
  void warn(const std::string& text) const;

  /// Returns the value of a key of this map. Errors and warnings about the value name the key's
  /// line.
  Field at(const YamlNode::Entry& entry) const;
  /// Returns a field for a missing key. Errors about the field name the line where this map begins.
  Field absent(std::string_view key) const;
  /// Returns a member of this list. The path of the member uses the member's `name`. If the member
  /// has no `name`, the path uses its index.
  Field item(std::size_t index) const;

  bool is(YamlNode::Kind kind) const { return node_->kind == kind; }
  /// Reports that this value is not of the `expected` kind.
  void wrong_kind(std::string_view expected) const;
  /// Returns whether this is a list of at least `least` members. If not, reports that `expected`
  /// was expected.
  bool is_list(std::string_view expected, std::size_t least = 0) const;
  /// Returns whether this list has at most `most` members. If not, reports that there are too many.
  /// `members` names them in the report.
  bool has_at_most(std::size_t most, std::string_view members) const;
  /// Reports an error if `seen` has the name already, and adds the name to `seen`. `what` is the
  /// kind of thing that has the name. An empty name stands for an invalid name and is skipped.
  void check_new(std::string_view what, const std::string& name, std::set<std::string>& seen) const;

 private:
  std::string where() const;
  /// Returns "a list", "a map", "empty" or the like.
  std::string_view kind_text() const;

  const YamlNode* node_;
  std::string path_;
  Findings* findings_;
  int line_ = 0;  ///< line of the key; 0: use the line of the node
};

/// Returns the index in `names` of the name in the field. If `names` does not have the name,
/// reports that no `what` has this name.
std::optional<int> index_of(const Field& field, const std::string& what,
                            const std::vector<std::string>& names);

}  // namespace heddle
