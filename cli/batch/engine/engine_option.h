#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"

namespace heddle::cli {

/// An option of `--on ENGINE:OPTION=VALUE,…`.
struct EngineOption {
  std::string_view engine, name, value;

  /// Returns the error that the value is not as expected.
  Error wrong(const std::string& expected) const;
  /// Returns the value as a whole number. Error (kUsage): it is none, or it is out of bounds.
  Result<std::size_t> count(std::size_t least, std::size_t most) const;
  /// Returns whether the value is not empty and has only these characters.
  bool made_of(std::string_view characters) const;
};

/// The options of an engine.
struct EngineWords {
  std::string_view engine;
  std::string_view example;        ///< such as "max=4,retries=2"
  std::vector<std::string> known;  ///< names of the options, sorted
};

/// Passes each option of the text to `set`, in order. Errors (kUsage): those of `set`, and an
/// option without a value or with an unknown name, with the nearest known one. Pure.
Result<void> each_option(std::string_view text, const EngineWords& words,
                         const std::function<Result<void>(const EngineOption&)>& set);

}  // namespace heddle::cli
