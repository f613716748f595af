#include "report/journal_reader.h"

#include <algorithm>
#include <cerrno>
#include <fstream>

namespace heddle {
namespace {

std::optional<wire::Json> object(const std::string& line) {
  wire::Json json = wire::parse_json(line);
  if (!json.is_object()) return std::nullopt;
  return json;
}

bool is_host(const wire::Json& record) {
  auto type = record.find("type");
  return type != record.end() && *type == "host";
}

}  // namespace

Result<JournalReader> JournalReader::open(const std::string& path) {
  errno = 0;
  auto in = std::make_unique<std::ifstream>(path, std::ios::binary);
  if (!*in) return system_error("open " + path, errno);
  return JournalReader(std::move(in), path);
}

JournalReader::JournalReader(std::unique_ptr<std::istream> in, std::string name)
    : in_(std::move(in)), name_(std::move(name)) {}

std::string JournalReader::where() const { return name_ + ":" + std::to_string(line_); }

std::optional<std::string> JournalReader::read_line() {
  std::string line;
  do {
    if (!std::getline(*in_, line)) return std::nullopt;
    ++line_;
  } while (skips(line));
  return line;
}

bool JournalReader::skips(const std::string& line) const {
  return line.ends_with('}') &&
         std::any_of(skipped_.begin(), skipped_.end(),
                     [&](const std::string& beginning) { return line.starts_with(beginning); });
}

Result<std::optional<wire::Json>> JournalReader::next() {
  std::optional<std::string> line = read_line();
  if (!line) return std::optional<wire::Json>();
  if (std::optional<wire::Json> record = object(*line)) return record;
  Error bad = aborted_error(where() + ": not a JSON object");
  std::optional<std::string> after = read_line();
  if (!after) {
    cut_ = true;
    return std::optional<wire::Json>();
  }
  std::optional<wire::Json> record = object(*after);
  if (cut_ || !record || !is_host(*record)) return bad;
  cut_ = true;
  return record;
}

}  // namespace heddle
