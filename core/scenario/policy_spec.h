#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// The program that makes the decisions of an external policy. Exactly one of `program` and
/// `endpoint` is set.
struct ExternalSpec {
  /// kHeddle: docs/reference/external-policies.md; kBatsim: Batsim's protocol, version 4.
  enum class Protocol { kHeddle, kBatsim };
  Protocol protocol = Protocol::kHeddle;
  std::string program;                 ///< path of a program that Heddle starts
  std::vector<std::string> arguments;  ///< of the program
  std::string sha256;                  ///< of the program's file, in hex; "" if not known
  std::string endpoint;                ///< ipc:// or tcp://, of a program that runs already
  friend bool operator==(const ExternalSpec&, const ExternalSpec&) = default;
};

/// The parts and options that are chosen for a policy. Names are checked against
/// core/policy/registry.h. Values are text, as the user writes them ("true", "0.125").
struct PolicySpec {
  std::string preset = "fifo";
  std::vector<std::pair<std::string, std::string>> options;  ///< by name, ascending
  /// Set if and only if the scheduler is `external`.
  std::optional<ExternalSpec> external = {};
  friend bool operator==(const PolicySpec&, const PolicySpec&) = default;
};

}  // namespace heddle
