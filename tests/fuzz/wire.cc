#include "tests/fuzz/targets.h"
#include "wire/codec.h"
#include "wire/progress.h"

namespace heddle::fuzz {
namespace {

bool control(std::string_view input) {
  const Result<wire::Message> message = wire::decode(input);
  if (!message) {
    require(!message.error().text.empty(), "an error says what is wrong");
    return false;
  }
  const std::string text = wire::encode(*message);
  const Result<wire::Message> again = wire::decode(text);
  require(bool(again), "what was encoded can be decoded");
  require(wire::encode(*again) == text, "a message is the same after encoding and decoding");
  return true;
}

bool progress(std::string_view input) {
  const Result<wire::Progress> progress = wire::progress_from_json(input);
  if (!progress) return false;
  const std::string text = wire::to_json(*progress).dump();
  const Result<wire::Progress> again = wire::progress_from_json(text);
  require(again && wire::to_json(*again).dump() == text, "progress is the same after encoding");
  return true;
}

}  // namespace

bool wire(std::string_view input) { return control(input) || progress(input); }

}  // namespace heddle::fuzz
