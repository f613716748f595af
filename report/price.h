#pragma once

#include <string>
#include <string_view>

#include "common/result.h"
#include "wire/fields.h"

namespace heddle::report {

/// The price of an hour (emulated) of a core or of a node, in any currency.
struct Price {
  double amount = 0;
  bool per_node = false;
  friend bool operator==(const Price&, const Price&) = default;
};

/// Parses "0.05/core-hour" or "1.20/node-hour". Error (kUsage): the text has another form, or the
/// amount is below 0.
Result<Price> parse_price(std::string_view text);
std::string price_text(const Price& price);

/// Adds the object `cost` to a summary.json that has `hours`: {price, cluster}, and for a price per
/// core-hour also allocated, used and wasted.
void add_cost(wire::Json& summary, const Price& price);

/// Adds costs to compare.json or sweep.json: after each metric that counts hours which the price is
/// for, a metric with the same values in money. A price changes no verdict.
void add_costs(wire::Json& batch, const Price& price);

}  // namespace heddle::report
