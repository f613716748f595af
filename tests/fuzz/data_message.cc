#include "tests/fuzz/targets.h"
#include "worker/data/message.h"

namespace heddle::fuzz {

bool data_message(std::string_view input) {
  const Result<worker::DataMessage> message = worker::decode(input);
  if (!message) return false;
  char header[worker::kHeader];
  worker::encode(*message, header);
  require(std::string_view(header, sizeof header) == input.substr(0, worker::kHeader),
          "a header is the same after decoding and encoding");
  return true;
}

}  // namespace heddle::fuzz
