#pragma once

#include <memory>
#include <streambuf>
#include <string_view>
#include <vector>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace heddle {

/// Compresses text that is added in pieces (Zstandard; RFC 8878). Each frame has the checksum of
/// its text. Throws std::bad_alloc.
class ZstdWriter {
 public:
  ZstdWriter();
  ~ZstdWriter();
  ZstdWriter(const ZstdWriter&) = delete;
  ZstdWriter& operator=(const ZstdWriter&) = delete;

  /// Compresses the text. Returns the bytes that are ready, which are valid until the next call.
  std::string_view add(std::string_view text) { return compress(text, false); }
  /// Returns the last bytes. If more text is added, a new frame begins, which readers append to the
  /// first one.
  std::string_view finish() { return compress({}, true); }

 private:
  std::string_view compress(std::string_view text, bool last);

  ZSTD_CCtx_s* context_;
  std::vector<char> out_;
};

/// Reads the text that was compressed with Zstandard in another stream. If the compressed bytes end
/// early, the text ends with the last block that is complete. Damaged bytes throw an exception, so
/// that a std::istream becomes bad().
class ZstdReader : public std::streambuf {
 public:
  explicit ZstdReader(std::unique_ptr<std::streambuf> in);
  ~ZstdReader() override;
  ZstdReader(const ZstdReader&) = delete;
  ZstdReader& operator=(const ZstdReader&) = delete;

  /// Returns whether the bytes that were read so far end within a frame.
  bool within() const { return within_; }

 protected:
  int_type underflow() override;

 private:
  std::unique_ptr<std::streambuf> from_;
  ZSTD_DCtx_s* context_;
  bool within_ = false;
  std::vector<char> in_, out_;
  std::size_t next_ = 0, end_ = 0;  ///< compressed bytes of in_ that are not used yet
};

}  // namespace heddle
