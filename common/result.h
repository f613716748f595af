#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace heddle {

/// The reason why an operation failed. `text` is a sentence for the user. Each function that passes
/// an error on can add its context in front with in(): "start container 7: set memory limit: …".
struct Error {
  /// Classes of errors. The class tells what the user can do about the error.
  enum class Kind {
    kUsage,    ///< bad command line or scenario (exit status 2)
    kMachine,  ///< this machine can't do it: permission, missing feature (exit status 3)
    kAborted,  ///< something failed during the run: disk full, master lost (exit status 4)
  };
  Kind kind = Kind::kAborted;
  std::string text;
  int code = 0;  ///< errno, or 0 if there is none

  Error in(const std::string& context) && { return {kind, context + ": " + text, code}; }
};

/// Returns an error of the operating system with the text "what: strerror(code)". The kind is
/// kMachine for errors about permissions, read-only file systems, missing features, missing devices
/// and addresses in use. It is kAborted for all other errors.
Error system_error(const std::string& what, int code);
inline Error usage_error(std::string text) { return {Error::Kind::kUsage, std::move(text), 0}; }
inline Error machine_error(std::string text) { return {Error::Kind::kMachine, std::move(text), 0}; }
inline Error aborted_error(std::string text) { return {Error::Kind::kAborted, std::move(text), 0}; }

/// Holds a value, or the error that explains why there is no value.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit by design
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  explicit operator bool() const { return state_.index() == 0; }
  T& value() & {
    assert(*this);
    return std::get<0>(state_);
  }
  const T& value() const& {
    assert(*this);
    return std::get<0>(state_);
  }
  T&& value() && {
    assert(*this);
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const& {
    assert(!*this);
    return std::get<1>(state_);
  }
  Error&& error() && {
    assert(!*this);
    return std::get<1>(std::move(state_));
  }

 private:
  std::variant<T, Error> state_;
};

/// Stands for success, or holds the error that explains the failure.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit by design

  explicit operator bool() const { return !error_; }
  const Error& error() const& {
    assert(error_);
    return *error_;
  }
  Error&& error() && {
    assert(error_);
    return std::move(*error_);
  }

 private:
  std::optional<Error> error_;
};

/// Moves the value into `place`. If there is no value, returns the error.
template <class T, class Place>
Result<void> put(Result<T> value, Place& place) {
  if (!value) return std::move(value).error();
  place = *std::move(value);
  return {};
}

}  // namespace heddle

/// Evaluates `expr`, a Result<void>. If it is an error, returns this error from the calling
/// function.
#define HEDDLE_TRY(expr)                                                                      \
  do {                                                                                        \
    if (auto heddle_result = (expr); !heddle_result) return std::move(heddle_result).error(); \
  } while (false)
