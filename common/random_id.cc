#include "common/random_id.h"

#include <sys/random.h>

#include "common/text.h"

namespace heddle {

std::string random_id() {
  unsigned char bytes[4] = {};
  // getrandom never fails for so few bytes (man 2 getrandom).
  (void)::getrandom(bytes, sizeof bytes, 0);
  std::string id;
  for (unsigned char byte : bytes) id += hexadecimal(byte, 2);
  return id;
}

}  // namespace heddle
