#pragma once

#include <cstdio>
#include <ostream>
#include <streambuf>
#include <string>

namespace heddle::cli {

/// A stream's way to a file for as long as this object lives: what a terminal might obey instead of
/// showing it is escaped (common/text.h), so that no name and no reason takes the terminal over.
/// The file gets whole lines, and the rest when the stream is flushed. JSON stays the same JSON:
/// its control characters stand in strings, where the escapes mean them.
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
  std::string rest_;  ///< a line that has not ended yet
};

}  // namespace heddle::cli
