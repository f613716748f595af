#pragma once

#include <memory>
#include <streambuf>
#include <vector>

struct z_stream_s;

namespace heddle {

/// Reads the text that was compressed with gzip in another stream (RFC 1952). A file can have
/// several members, one after the other. Damaged bytes and an early end throw an exception, so that
/// a std::istream becomes bad().
class GzipReader : public std::streambuf {
 public:
  explicit GzipReader(std::unique_ptr<std::streambuf> in);
  ~GzipReader() override;
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

 protected:
  int_type underflow() override;

 private:
  std::unique_ptr<std::streambuf> from_;
  std::unique_ptr<z_stream_s> zlib_;
  std::vector<char> in_, out_;
  bool within_ = false;  ///< a member has begun and has not ended
};

}  // namespace heddle
