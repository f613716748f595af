#include "yaml/form.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "common/number.h"
#include "common/text.h"
#include "core/scenario/quantity_text.h"
#include "yaml/keys.h"
#include "yaml/limits.h"
#include "yaml/sections.h"
#include "yaml/text.h"

namespace heddle {
namespace {

/// Returns a number of `unit`ths as a decimal number, exactly. REQUIRES: `unit` is a power of ten.
std::string decimal(std::int64_t count, std::int64_t unit) {
  std::string text = count < 0 ? "-" : "";
  const std::uint64_t size =
      count < 0 ? -static_cast<std::uint64_t>(count) : static_cast<std::uint64_t>(count);
  const auto whole = static_cast<std::uint64_t>(unit);
  text += std::to_string(size / whole);
  if (const std::uint64_t rest = size % whole; rest > 0) {
    std::string digits = std::to_string(whole + rest).substr(1);
    digits.erase(digits.find_last_not_of('0') + 1);
    text += "." + digits;
  }
  return text;
}

std::string shortest(double value) {
  std::array<char, 40> buffer;
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

/// Reads a number of which one is `unit` of T. Larger numbers than `most` are none.
template <class T>
std::optional<T> scaled(std::string_view text, double unit, double most) {
  const auto value = read_number<double>(text);
  if (!value || !(std::abs(*value) <= most)) return std::nullopt;
  return T(std::llround(*value * unit));
}

constexpr double kMostPlainSeconds = 3.6e11;

Result<std::int64_t> parse_whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error != std::errc::invalid_argument && end == text.data() + text.size();
  if (!whole) return usage_error("\"" + std::string(text) + "\" is not a whole number");
  if (error != std::errc()) {
    Error large = usage_error("\"" + std::string(text) + "\" does not fit into 64 bits");
    large.code = ERANGE;
    return large;
  }
  return value;
}

constexpr Measure<double> fraction(bool maybe_percent) {
  return {.form = "fraction",
          .parse = &parse_fraction,
          .print = &print_fraction,
          .plain_form = "a number",
          .parse_plain = &read_number<double>,
          .print_plain = &shortest,
          .general = {0, std::numeric_limits<double>::max()},
          .maybe_percent = maybe_percent};
}

}  // namespace

namespace measure {

const Measure<EmuTime> kDuration{
    .form = "duration",
    .parse = &parse_duration,
    .print = &print_duration,
    .plain_form = "seconds",
    .parse_plain =
        [](std::string_view text) { return scaled<EmuTime>(text, 1e6, kMostPlainSeconds); },
    .print_plain = [](EmuTime time) { return decimal(time.count(), 1'000'000); },
    .general = {EmuTime(0), kMaxTime},
    .suffix = "_s"};
const Measure<EmuBytes> kBytes{
    .form = "bytes",
    .parse = &parse_bytes,
    .print = &print_bytes,
    .plain_form = "bytes",
    .parse_plain = [](std::string_view text) -> std::optional<EmuBytes> {
      const auto count = read_number<std::int64_t>(text);
      return count ? std::optional(EmuBytes(*count)) : std::nullopt;
    },
    .print_plain = [](EmuBytes bytes) { return std::to_string(bytes.count()); },
    .general = {EmuBytes(0), kMaxBytes}};
const Measure<Millicores> kCores{
    .form = "cores",
    .parse = &parse_cores,
    .print = &print_cores,
    .plain_form = "cores",
    .parse_plain = [](std::string_view text) { return scaled<Millicores>(text, 1e3, 1e6); },
    .print_plain = [](Millicores cores) { return decimal(cores.count(), 1000); },
    .general = {Millicores(0), kMaxCores}};
const Measure<Thousandths> kCount{
    .form = "amount",
    .parse = &parse_count,
    .print = &print_count,
    .plain_form = "an amount",
    .parse_plain = [](std::string_view text) { return scaled<Thousandths>(text, 1e3, 1e6); },
    .print_plain = [](Thousandths amount) { return decimal(amount.count(), 1000); },
    .general = {Thousandths(0), Thousandths(kMaxCores.count())}};
const Measure<std::int64_t> kWhole{.form = "whole number",
                                   .parse = &parse_whole,
                                   .print = [](std::int64_t n) { return std::to_string(n); },
                                   .plain_form = "a whole number",
                                   .parse_plain = &read_number<std::int64_t>,
                                   .print_plain = [](std::int64_t n) { return std::to_string(n); },
                                   .general = {0, 0}};
const Measure<double> kFraction = fraction(false), kShare = fraction(true);
const Measure<double> kByteRate{.form = "bytes per second",
                                .parse = &parse_byte_rate,
                                .print = &print_byte_rate,
                                .plain_form = "bytes per second",
                                .parse_plain = &read_number<double>,
                                .print_plain = &shortest,
                                .general = {1, kMaxByteRate}};
const Measure<double> kBitRate{.form = "bits per second",
                               .parse = &parse_bit_rate,
                               .print = &print_bit_rate,
                               .plain_form = "bits per second",
                               .parse_plain = &read_number<double>,
                               .print_plain = &shortest,
                               .general = {1, kMaxBitRate}};

}  // namespace measure

template <class T>
std::optional<T> to_value(const Field& field, std::string_view form, const Measure<T>& measure,
                          Range<T> range) {
  if (!field.is(YamlNode::Kind::kScalar)) {
    field.wrong_kind(form);
    return std::nullopt;
  }
  const std::string& text = field.node().text;
  const Result<T> value = measure.parse(text);
  const std::string wrong = "\"" + text + "\" is out of range; ";
  if (!value && value.error().code == ERANGE) {
    field.error(wrong + "expected " + limits_text(measure, range));
    return std::nullopt;
  }
  if (!value) {
    const bool whole = std::is_same_v<T, std::int64_t>;
    field.error(value.error().text +
                (whole ? "; expected a whole number from " + limits_text(measure, range) : ""));
    return std::nullopt;
  }
  if (*value >= range.least && *value <= range.most) return *value;
  if constexpr (std::is_same_v<T, double>) {
    if (measure.maybe_percent && *value > 1 && *value <= 100 && !text.ends_with('%')) {
      field.error(wrong + "did you mean \"" + text + "%\"?");
      return std::nullopt;
    }
  }
  field.error(wrong + "expected " + limits_text(measure, range));
  return std::nullopt;
}
template std::optional<EmuTime> to_value(const Field&, std::string_view, const Measure<EmuTime>&,
                                         Range<EmuTime>);
template std::optional<EmuBytes> to_value(const Field&, std::string_view, const Measure<EmuBytes>&,
                                          Range<EmuBytes>);
template std::optional<Millicores> to_value(const Field&, std::string_view,
                                            const Measure<Millicores>&, Range<Millicores>);
template std::optional<Thousandths> to_value(const Field&, std::string_view,
                                             const Measure<Thousandths>&, Range<Thousandths>);
template std::optional<std::int64_t> to_value(const Field&, std::string_view,
                                              const Measure<std::int64_t>&, Range<std::int64_t>);
template std::optional<double> to_value(const Field&, std::string_view, const Measure<double>&,
                                        Range<double>);

// Words and texts ---------------------------------------------------------------------------------

namespace {

/// Returns whether the value is a scalar. If not, reports that `form` was expected.
bool is_scalar(const Field& field, std::string_view form) {
  if (field.is(YamlNode::Kind::kScalar)) return true;
  field.wrong_kind(form);
  return false;
}

/// Returns whether the word is already a key where the amounts of resources are keys.
bool means_something(std::string_view word) {
  for (const Keys* keys : {&written_node_keys(), &resources_keys(true), &external_load_keys(),
                           &executor_keys(), &phase_keys()})
    if (keys->find(word)) return true;
  return false;
}

/// Returns text such as "a, b or c".
std::string choice_text(const std::vector<std::string>& words) {
  if (words.size() < 2) return join(words);
  return join({words.begin(), words.end() - 1}) + " or " + words.back();
}

}  // namespace

std::string WordForm::name() const { return choice_text(words_); }

bool WordForm::read(const Field& field, void* member) const {
  if (!is_scalar(field, name())) return false;
  const std::string& text = field.node().text;
  const auto it = std::find(words_.begin(), words_.end(), text);
  if (it == words_.end()) {
    field.error(with_nearest("unknown word \"" + text + "\"; expected " + join(words_, " or "),
                             text, words_));
    return false;
  }
  set(member, static_cast<std::size_t>(it - words_.begin()));
  return true;
}

std::string WordForm::text(const void* member) const {
  const auto index = get(member);
  return index ? words_[*index] : "";
}

bool WordForm::read_plain(std::string_view text, void* member) const {
  const auto it = std::find(words_.begin(), words_.end(), text);
  if (it == words_.end()) return false;
  set(member, static_cast<std::size_t>(it - words_.begin()));
  return true;
}

bool NameForm::read(const Field& field, void* member) const {
  if (!is_scalar(field, name())) return false;
  const std::string& text = field.node().text;
  if (read_plain(text, member)) return true;
  field.error("\"" + text.substr(0, 80) +
              "\" is not a name; expected 1 to 64 letters, digits, '.', '_' or '-', "
              "beginning with a letter or digit");
  return false;
}

std::string NameForm::text(const void* member) const {
  const auto& name = *static_cast<const std::string*>(member);
  return name.empty() ? "" : name_text(name);
}

bool NameForm::read_plain(std::string_view text, void* member) const {
  if (!valid_name(text)) return false;
  *static_cast<std::string*>(member) = text;
  return true;
}

bool TextForm::read(const Field& field, void* member) const {
  if (!is_scalar(field, name_)) return false;
  *static_cast<std::string*>(member) = field.node().text;
  return true;
}

std::string TextForm::text(const void* member) const {
  const auto& text = *static_cast<const std::string*>(member);
  return text.empty() ? "" : quoted_text(text);
}

bool TextsForm::read(const Field& field, void* member) const {
  if (!field.is_list("a list of texts") || !field.has_at_most(kMaxArguments, "arguments"))
    return false;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < field.node().items.size(); ++i) {
    const Field item = field.item(i);
    if (!is_scalar(item, "a text")) return false;
    texts.push_back(item.node().text);
  }
  *static_cast<std::vector<std::string>*>(member) = std::move(texts);
  return true;
}

std::string TextsForm::text(const void* member) const {
  const auto& texts = *static_cast<const std::vector<std::string>*>(member);
  return texts.empty() ? "" : list_text(texts, &quoted_text);
}

// Resources ---------------------------------------------------------------------------------------

namespace {

/// Returns why the settings of a resource contradict each other, or "".
std::string_view contradiction(const CountedResource& resource) {
  const bool whole_cluster = resource.scope == CountScope::kCluster;
  if (whole_cluster && resource.devices) return "devices belong to nodes; expected scope: node";
  if (whole_cluster && resource.count == Thousandths(0))
    return "the cluster has nothing of it; expected count, such as {scope: cluster, count: 20}";
  if (!whole_cluster && resource.count != Thousandths(0))
    return "count is of the whole cluster; expected scope: cluster, or the amount at each node";
  return "";
}

constexpr std::string_view kDevicesWord = "devices";

}  // namespace

bool CountNamesForm::read(const Field& field, void* member) const {
  if (!field.is(YamlNode::Kind::kMap)) {
    field.wrong_kind("a map of names such as {gpu: {devices: true}}");
    return false;
  }
  CountNames names;
  for (const YamlNode::Entry& entry : field.node().entries) {
    const Field one = field.at(entry);
    if (!valid_name(entry.key) || means_something(entry.key)) {
      one.error(
          "can't be the name of a resource; expected a name that is no key of nodes, "
          "requests and executors, such as gpu");
      return false;
    }
    CountedResource resource{entry.key};
    const std::size_t wrong = field.findings().wrong();
    Section(one, resource_keys()).read(&resource);
    if (field.findings().wrong() > wrong) return false;
    if (const std::string_view why = contradiction(resource); !why.empty()) {
      one.error(std::string(why));
      return false;
    }
    names.push_back(std::move(resource));
  }
  if (names.size() > Counts::kMost) {
    field.error("has " + std::to_string(names.size()) + " resources; expected at most " +
                std::to_string(Counts::kMost));
    return false;
  }
  *static_cast<CountNames*>(member) = std::move(names);
  return true;
}

std::string CountNamesForm::text(const void* member) const {
  Flow flow;
  for (const CountedResource& resource : *static_cast<const CountNames*>(member))
    flow.add(resource.name, flow_text(resource_keys(), &resource));
  return flow.map();
}

// In the plain form, "gpu=devices" has devices, and of "licence=20" the cluster has 20 as a whole.

std::string CountNamesForm::plain(const void* member) const {
  std::vector<std::string> texts;
  for (const CountedResource& resource : *static_cast<const CountNames*>(member)) {
    std::string text = resource.name;
    if (resource.devices) text += "=" + std::string(kDevicesWord);
    if (resource.scope == CountScope::kCluster)
      text += "=" + measure::kCount.print_plain(resource.count);
    texts.push_back(std::move(text));
  }
  return join(texts, ";");
}

bool CountNamesForm::read_plain(std::string_view text, void* member) const {
  CountNames names;
  while (!text.empty()) {
    std::string_view setting = take_until(text, ';');
    CountedResource resource{std::string(take_until(setting, '='))};
    if (!valid_name(resource.name) || means_something(resource.name) ||
        names.size() == Counts::kMost)
      return false;
    resource.devices = setting == kDevicesWord;
    if (!setting.empty() && !resource.devices) {
      const auto count = measure::kCount.parse_plain(setting);
      if (!count) return false;
      resource.scope = CountScope::kCluster;
      resource.count = *count;
    }
    if (!contradiction(resource).empty()) return false;
    names.push_back(std::move(resource));
  }
  *static_cast<CountNames*>(member) = std::move(names);
  return true;
}

std::string CountForm::name() const { return std::string(measure::kCount.form); }

bool CountForm::allows(Thousandths amount) const {
  if (!devices_) return true;
  const bool part = amount < Counts::kDevice && !of_node_;
  return part || amount.count() % kWholeDevice == 0;
}

std::string CountForm::expected() const {
  return of_node_ ? "whole devices" : "a part of one device, below 1, or whole devices";
}

bool CountForm::read(const Field& field, void* member) const {
  const auto amount = to_value(field, name(), measure::kCount, measure::kCount.general);
  if (!amount) return false;
  if (!allows(*amount)) {
    field.error(print_count(*amount) + " is no number of devices; expected " + expected());
    return false;
  }
  static_cast<Counts*>(member)->set(index_, *amount);
  return true;
}

std::string CountForm::text(const void* member) const {
  const Thousandths amount = (*static_cast<const Counts*>(member))[index_];
  return amount == Thousandths(0) ? "" : print_count(amount);
}

std::string CountForm::plain(const void* member) const {
  return measure::kCount.print_plain((*static_cast<const Counts*>(member))[index_]);
}

bool CountForm::read_plain(std::string_view text, void* member) const {
  const auto amount = measure::kCount.parse_plain(text);
  const Range<Thousandths> range = measure::kCount.general;
  if (!amount || *amount < range.least || *amount > range.most || !allows(*amount)) return false;
  static_cast<Counts*>(member)->set(index_, *amount);
  return true;
}

std::string CountForm::plain_form() const {
  return std::string(measure::kCount.plain_form) + ", " +
         limits_text(measure::kCount, measure::kCount.general) +
         (devices_ ? ", " + expected() : "");
}

// Labels ------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kMostLabels = 16;
constexpr std::string_view kNot = "not";

/// Reads one word or a list of words. Reports anything else.
std::optional<std::vector<std::string>> words_of(const Field& field) {
  const bool list = field.is(YamlNode::Kind::kList);
  if (list && !field.is_list("a list of words such as [V100, A100]", 1)) return std::nullopt;
  std::vector<std::string> words;
  for (std::size_t i = 0; i < (list ? field.node().items.size() : 1); ++i) {
    const Field one = list ? field.item(i) : field;
    if (!one.is(YamlNode::Kind::kScalar) || !valid_name(one.node().text)) {
      one.error("is no label; expected 1 to 64 letters, digits, '.', '_' or '-'");
      return std::nullopt;
    }
    words.push_back(one.node().text);
  }
  return words;
}

/// Adds the rules of a map from labels to words. Reports what is wrong.
bool add_rules(const Field& field, bool forbids, Where& where) {
  if (!field.is(YamlNode::Kind::kMap)) {
    field.wrong_kind("a map of labels such as {model: [V100, A100]}");
    return false;
  }
  for (const YamlNode::Entry& entry : field.node().entries) {
    const Field one = field.at(entry);
    if (entry.key == kNot && !forbids) {
      if (!add_rules(one, true, where)) return false;
      continue;
    }
    if (!valid_name(entry.key) || where.size() == kMostLabels) {
      one.error(where.size() == kMostLabels ? "is one label too many; expected at most 16"
                                            : "is not the name of a label");
      return false;
    }
    auto words = words_of(one);
    if (!words) return false;
    where.push_back({entry.key, *std::move(words), forbids});
  }
  return true;
}

}  // namespace

bool LabelsForm::read(const Field& field, void* member) const {
  Where rules;
  if (!add_rules(field, true, rules)) return false;
  Labels labels;
  for (const LabelRule& rule : rules) {
    if (rule.values.size() != 1 || rule.label == kNot) {
      field.error("\"" + rule.label +
                  "\" is no label with one word; expected such as {model: V100}");
      return false;
    }
    labels[rule.label] = rule.values.front();
  }
  *static_cast<Labels*>(member) = std::move(labels);
  return true;
}

std::string LabelsForm::text(const void* member) const {
  Flow flow;
  for (const auto& [label, word] : *static_cast<const Labels*>(member))
    if (!names_partition(label)) flow.add(label, name_text(word));
  return flow.empty() ? "" : flow.map();
}

std::string LabelsForm::plain(const void* member) const {
  std::vector<std::string> texts;
  for (const auto& [label, word] : *static_cast<const Labels*>(member))
    if (!names_partition(label)) texts.push_back(label + "=" + word);
  return join(texts, ";");
}

bool LabelsForm::read_plain(std::string_view text, void* member) const {
  Labels labels;
  while (!text.empty()) {
    std::string_view word = take_until(text, ';');
    const std::string label(take_until(word, '='));
    if (!valid_name(label) || !valid_name(word) || labels.size() == kMostLabels) return false;
    labels.emplace(label, word);
  }
  *static_cast<Labels*>(member) = std::move(labels);
  return true;
}

bool WhereForm::read(const Field& field, void* member) const {
  Where where;
  if (!add_rules(field, false, where)) return false;
  *static_cast<Where*>(member) = std::move(where);
  return true;
}

std::string WhereForm::text(const void* member) const {
  Flow allowed, forbidden;
  for (const LabelRule& rule : *static_cast<const Where*>(member)) {
    if (names_partition(rule.label)) continue;  // the job names its partition
    (rule.forbids ? forbidden : allowed)
        .add(rule.label, list_text(rule.values, [](const std::string& w) { return name_text(w); }));
  }
  if (!forbidden.empty()) allowed.add(std::string(kNot), forbidden.map());
  return allowed.empty() ? "" : allowed.map();
}

// In the plain form, "model=V100|A100" allows two words, and "!model=T4" forbids one.

std::string WhereForm::plain(const void* member) const {
  std::vector<std::string> texts;
  for (const LabelRule& rule : *static_cast<const Where*>(member))
    if (!names_partition(rule.label))
      texts.push_back((rule.forbids ? "!" : "") + rule.label + "=" + join(rule.values, "|"));
  return join(texts, ";");
}

bool WhereForm::read_plain(std::string_view text, void* member) const {
  Where where;
  while (!text.empty()) {
    std::string_view words = take_until(text, ';');
    LabelRule rule;
    rule.forbids = words.starts_with('!');
    if (rule.forbids) words.remove_prefix(1);
    rule.label = take_until(words, '=');
    while (!words.empty()) rule.values.emplace_back(take_until(words, '|'));
    if (!valid_name(rule.label) || rule.values.empty() || where.size() == kMostLabels ||
        !std::ranges::all_of(rule.values, valid_name))
      return false;
    where.push_back(std::move(rule));
  }
  *static_cast<Where*>(member) = std::move(where);
  return true;
}

// Distributions -----------------------------------------------------------------------------------

namespace {

constexpr Range<double> kCvs{0, 10};

}  // namespace

template <>
void describe(Keys& keys, const Drawn& drawn) {
  using enum Drawn::Dist;
  keys.word("dist", drawn.dist, "shape; values below 0 become 0").needed();
  keys.by_hand("mean", "duration or bytes, as the key requires", "", "mean");
  keys.number("cv", drawn.cv, measure::kFraction, kCvs,
              "standard deviation / mean, for uniform to 1/sqrt(3); not for constant and "
              "exponential");
}

namespace {

/// Reads a distribution. `read` reads its mean.
bool read_distribution(const Field& field, Drawn& out, const auto& read) {
  using Dist = Drawn::Dist;
  const Section section(field, keys_of<Drawn>("distribution"));
  Drawn drawn;
  const std::size_t wrong = field.findings().wrong();
  if (section.need("dist")) section.read("dist", &drawn);
  const auto field_mean = section.need("mean");
  const auto mean = field_mean ? read(*field_mean) : std::nullopt;
  if (!mean || field.findings().wrong() != wrong) return false;
  drawn.mean = *mean;
  const auto cv = section.get("cv");
  if (cv && (drawn.dist == Dist::kConstant || drawn.dist == Dist::kExponential)) {
    cv->error("this distribution has no cv; expected only dist and mean");
    return false;
  }
  if (cv) {
    const Range<double> range{0, drawn.dist == Dist::kUniform ? 1 / std::sqrt(3.0) : kCvs.most};
    drawn.cv = to_value(*cv, "fraction", measure::kFraction, range).value_or(0);
  }
  out = drawn;
  return true;
}

}  // namespace

template <class T>
bool DrawnForm<T>::read(const Field& field, void* member) const {
  const auto mean = [&](const Field& at) -> std::optional<double> {
    const auto value = to_value(at, name(), measure_, measure_.general);
    return value ? std::optional(static_cast<double>(value->count())) : std::nullopt;
  };
  Drawn& drawn = *static_cast<Drawn*>(member);
  if (field.is(YamlNode::Kind::kMap)) return read_distribution(field, drawn, mean);
  const auto constant = mean(field);
  if (constant) drawn = {Drawn::Dist::kConstant, *constant, 0};
  return constant.has_value();
}

template <class T>
std::string DrawnForm<T>::text(const void* member) const {
  const Drawn& drawn = *static_cast<const Drawn*>(member);
  const std::string mean = measure_.print(T(static_cast<std::int64_t>(drawn.mean)));
  if (drawn.dist == Drawn::Dist::kConstant) return mean;
  Flow flow;
  flow.add("dist", std::string(word_of(drawn.dist)));
  flow.add("mean", mean);
  if (drawn.dist != Drawn::Dist::kExponential) flow.add("cv", print_fraction(drawn.cv));
  return flow.map();
}

template <class T>
std::string DrawnForm<T>::plain(const void* member) const {
  return measure_.print_plain(
      T(static_cast<std::int64_t>(static_cast<const Drawn*>(member)->mean)));
}

template <class T>
bool DrawnForm<T>::read_plain(std::string_view text, void* member) const {
  const auto value = measure_.parse_plain(text);
  const bool large = std::is_same_v<T, EmuBytes> && value && *value > measure_.general.most;
  if (!value || *value < T(0) || large) return false;
  *static_cast<Drawn*>(member) = {.mean = static_cast<double>(value->count())};
  return true;
}

template class DrawnForm<EmuTime>;
template class DrawnForm<EmuBytes>;

}  // namespace heddle
