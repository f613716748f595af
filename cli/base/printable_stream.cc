#include "cli/base/printable_stream.h"

#include <string_view>

#include "common/command_line/color.h"
#include "common/text.h"

namespace heddle::cli {

PrintableStream::PrintableStream(std::ostream& stream, std::FILE* file)
    : stream_(stream), before_(stream.rdbuf(this)), file_(file) {}

PrintableStream::~PrintableStream() {
  stream_.flush();
  stream_.rdbuf(before_);
}

PrintableStream::int_type PrintableStream::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof()))
    return traits_type::not_eof(character);
  const char c = traits_type::to_char_type(character);
  return xsputn(&c, 1) == 1 ? character : traits_type::eof();
}

std::streamsize PrintableStream::xsputn(const char* text, std::streamsize size) {
  const std::string_view added(text, static_cast<std::size_t>(size));
  rest_ += added;
  const std::size_t end = added.rfind('\n');
  if (end == std::string_view::npos) return size;
  return put(rest_.size() - added.size() + end + 1) ? size : 0;
}

int PrintableStream::sync() { return put(rest_.size()) && std::fflush(file_) == 0 ? 0 : -1; }

/// Writes the first `size` bytes of the pending text.
bool PrintableStream::put(std::size_t size) {
  std::string text = printable(std::string_view(rest_).substr(0, size));
  if (colored(::fileno(file_))) text = paint_tables(text);
  rest_.erase(0, size);
  return std::fwrite(text.data(), 1, text.size(), file_) == text.size();
}

}  // namespace heddle::cli
