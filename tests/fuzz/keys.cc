#include "net/key_text.h"
#include "tests/fuzz/targets.h"

namespace heddle::fuzz {
namespace {

template <class Value>
bool reads(Result<Value> (*read)(std::string_view, const std::string&), std::string_view input) {
  const Result<Value> value = read(input, "k");
  if (!value) {
    require(value.error().kind == Error::Kind::kUsage, "an error tells of the file");
    require(value.error().text.starts_with("k:"), "an error names the file");
    return false;
  }
  const std::string text = net::to_text(*value);
  const Result<Value> again = read(text, "k");
  require(again && *again == *value, "keys are the same after writing");
  return true;
}

}  // namespace

bool keys(std::string_view input) {
  const bool any[] = {reads(net::key_file_from, input), reads(net::admitted_from, input)};
  return any[0] || any[1];
}

}  // namespace heddle::fuzz
