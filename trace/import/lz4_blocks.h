#pragma once

#include <memory>
#include <streambuf>
#include <string_view>
#include <vector>

namespace heddle::trace {

/// The beginning of each block.
inline constexpr std::string_view kLz4Block = "LZ4Block";

/// Reads the text that was compressed in another stream in blocks of lz4-java
/// (LZ4BlockOutputStream), as Spark before 3.2 writes event logs by default. A block has the magic
/// "LZ4Block", a byte whose upper half is the method (1: as it is, 2: LZ4), and three little-endian
/// numbers of 32 bits: the bytes in the file, the bytes of the text, and the lower 28 bits of the
/// text's XXH32. A block without text ends a stream; another one can follow. Damaged bytes and an
/// end within a block throw an exception, so that a std::istream becomes bad().
class Lz4BlockReader : public std::streambuf {
 public:
  explicit Lz4BlockReader(std::unique_ptr<std::streambuf> in) : from_(std::move(in)) {}

 protected:
  int_type underflow() override;

 private:
  std::unique_ptr<std::streambuf> from_;
  std::vector<char> in_, out_;
};

}  // namespace heddle::trace
