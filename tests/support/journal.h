#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/events.h"
#include "tests/support/text.h"
#include "wire/fields.h"
#include "wire/record.h"

namespace heddle {

/// Returns the lines of a journal, or of other text with a JSON value in each line.
inline std::vector<wire::Json> records_of(const std::string& journal) {
  std::vector<wire::Json> records;
  for (const std::string& line : lines_of(journal)) records.push_back(wire::Json::parse(line));
  return records;
}

/// Returns the lines of this type.
inline std::vector<wire::Json> records_of(const std::string& journal, const std::string& type) {
  std::vector<wire::Json> records = records_of(journal);
  std::erase_if(records, [&](const wire::Json& record) { return record["type"] != type; });
  return records;
}

/// Returns the journal's line of an event or an action, without "step" and, for an action, "t".
template <class Record>
wire::Json record_of(const Record& record) {
  wire::JsonText text;
  text.open('{');
  put(text, record);
  return wire::Json::parse(text.close('}').take());
}

inline wire::Json record_of(double seconds, decltype(Event::what) what) {
  return record_of(event_at(seconds, std::move(what)));
}

inline wire::Json record_of(double seconds, const Action& action) {
  wire::Json record = record_of(action);
  record["t"] = seconds;
  return record;
}

/// Returns the text of a journal with these lines.
inline std::string journal_of(const std::vector<wire::Json>& records) {
  std::string journal;
  for (const wire::Json& record : records) journal += record.dump() + "\n";
  return journal;
}

}  // namespace heddle
