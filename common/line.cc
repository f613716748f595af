#include "common/line.h"

#include <array>

namespace heddle {

LineRead read_line(std::istream& in, std::string& line, std::size_t most) {
  std::array<char, 4096> part;  // not initialized: the stream writes what is read
  line.clear();
  for (;;) {
    in.getline(part.data(), std::ssize(part));
    const auto got = static_cast<std::size_t>(in.gcount());
    if (in.bad() || (in.fail() && got == 0)) return LineRead::kEnd;
    const bool whole = !in.fail();
    // gcount() includes the end of the line.
    line.append(part.data(), whole && !in.eof() ? got - 1 : got);
    if (line.size() > most) return LineRead::kTooLong;
    if (whole) return LineRead::kLine;
    in.clear(in.rdstate() & ~std::ios::failbit);
  }
}

}  // namespace heddle
