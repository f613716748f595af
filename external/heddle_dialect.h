#pragma once

#include <array>

#include "external/dialect.h"

namespace heddle::external {

/// Version of Heddle's own protocol.
inline constexpr int kProtocolVersion = 1;
/// Longest text of an error of the program, in bytes.
inline constexpr std::size_t kLongestError = 64 << 10;

/// Heddle's own protocol (docs/reference/external-policies.md). Its fields have the names of the
/// journal.
class HeddleDialect : public Dialect {
 public:
  /// `scenario` must outlive the dialect.
  explicit HeddleDialect(const Scenario& scenario);

  std::string hello(const View& view) override;
  bool wants(const Event& event) const override { return wants_[event.what.index()]; }
  bool due(const View& view, std::span<const Event> events) const override;
  bool due_at(const View& view, NodeId node) const override;
  std::string request(std::int64_t number, const View& view, const News& news) override;
  std::string farewell(EmuTime now, std::string_view status) override;
  Result<Reply> read(std::int64_t number, std::string_view text, EmuTime now,
                     bool replayed) const override;
  bool ranks() const override { return true; }
  std::string with_offers(std::string_view recorded, const std::set<NodeId>& offers) const override;
  std::string shortened(std::string_view recorded, std::size_t notes,
                        std::size_t actions) const override;
  void take(std::int64_t number, std::string_view text) override;

 private:
  const Scenario& scenario_;
  /// By the index of the event's type.
  std::array<bool, std::variant_size_v<decltype(Event::what)>> wants_;
  bool all_offers_ = false;  ///< also nodes on which no request fits
};

}  // namespace heddle::external
