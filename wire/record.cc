#include "wire/record.h"

#include "wire/forms.h"

namespace heddle::wire {
namespace {

/// Indexed by JobState. A job that is not submitted yet is also "pending".
constexpr std::string_view kJobStates[] = {"pending", "pending", "running",  "completed",
                                           "failed",  "killed",  "cancelled"};

struct ValueWriter {
  JsonText& line;
  template <class Value>
  void operator()(const Value& value) const {
    line.add(value);
  }
  void operator()(const std::vector<double>& numbers) const {
    line.list(numbers, [&](double number) { line.add(number); });
  }
};

}  // namespace

std::string_view name_of(Outcome outcome) { return kOutcomes[static_cast<std::size_t>(outcome)]; }
std::string_view name_of(OomCause cause) { return kOomCauses[static_cast<std::size_t>(cause)]; }

std::string_view name_of(PeakMethod method) {
  return kPeakMethods[static_cast<std::size_t>(method)];
}
std::string_view name_of(JobState state) { return kJobStates[static_cast<std::size_t>(state)]; }

void put(JsonText& line, const Event& event, bool containers) {
  FieldWriter{line, containers}.alternative("type", event.what);
  line.field("t", event.at);
}

void put(JsonText& line, const Action& action) {
  FieldWriter{line}.alternative("type", action.what);
  if (!action.reason.empty()) line.field("reason", action.reason);
}

void put(JsonText& line, const PolicyNote& note) {
  line.field("type", "policy_state").field("about", note.about);
  for (const auto& [name, value] : note.values) {
    line.key(name);
    std::visit(ValueWriter{line}, value);
  }
}

Result<std::variant<std::monostate, Event, Action>> from_json(const Json& line) {
  using Record = std::variant<std::monostate, Event, Action>;
  try {
    const Fields fields(line, "line");
    const std::string type = fields.text("type");
    if (auto event = read_alternative<decltype(Event::what)>(type, fields))
      return Record(Event{time_field(fields, "t"), *std::move(event)});
    if (auto action = read_alternative<decltype(Action::what)>(type, fields))
      return Record(Action{*std::move(action), fields.has("reason") ? fields.text("reason") : ""});
    return Record(std::monostate());
  } catch (const BadField& bad) {
    return aborted_error(bad.text);
  }
}

}  // namespace heddle::wire
