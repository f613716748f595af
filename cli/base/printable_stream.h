#pragma once

#include <cstdio>
#include <ostream>
#include <streambuf>
#include <string>

namespace heddle::cli {

/// Redirects a stream to a file while this object lives and escapes terminal control characters
/// (common/text.h), so no name or reason in the output can control the terminal. Tables are colored
/// as --color says (common/command_line/color.h). Whole lines are written to the file at once, and
/// an incomplete line when the stream is flushed. The meaning of JSON output stays the same,
/// because its control characters are in strings, where an escape means the character itself.
class PrintableStream : public std::streambuf {
 public:
  PrintableStream(std::ostream& stream, std::FILE* file);
  ~PrintableStream() override;
  PrintableStream(const PrintableStream&) = delete;
  PrintableStream& operator=(const PrintableStream&) = delete;

 protected:
  int_type overflow(int_type character) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  bool put(std::size_t size);

  std::ostream& stream_;
  std::streambuf* before_;
  std::FILE* file_;
  std::string rest_;  ///< the beginning of an incomplete line
};

}  // namespace heddle::cli
