#include "common/zstd.h"

#include <zstd.h>

#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace heddle {
namespace {

/// The fastest level. For journals, its results are as small as those of level 3.
constexpr int kLevel = 1;

}  // namespace

ZstdWriter::ZstdWriter() : context_(ZSTD_createCCtx()) {
  if (!context_) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context_, ZSTD_c_checksumFlag, 1);
}

ZstdWriter::~ZstdWriter() { ZSTD_freeCCtx(context_); }

std::string_view ZstdWriter::compress(std::string_view text, bool last) {
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  std::size_t size = 0, left = 1;
  while (last ? left > 0 : in.pos < in.size) {
    out_.resize(size + ZSTD_CStreamOutSize());
    ZSTD_outBuffer out{out_.data(), out_.size(), size};
    left = ZSTD_compressStream2(context_, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left)) throw std::bad_alloc();  // the only possible reason
    size = out.pos;
  }
  return {out_.data(), size};
}

ZstdReader::ZstdReader(std::unique_ptr<std::streambuf> in)
    : from_(std::move(in)),
      context_(ZSTD_createDCtx()),
      in_(ZSTD_DStreamInSize()),
      out_(ZSTD_DStreamOutSize()) {
  if (!context_) throw std::bad_alloc();
}

ZstdReader::~ZstdReader() { ZSTD_freeDCtx(context_); }

ZstdReader::int_type ZstdReader::underflow() {
  ZSTD_outBuffer out{out_.data(), out_.size(), 0};
  while (out.pos == 0) {
    if (next_ == end_) {
      next_ = 0;
      end_ = static_cast<std::size_t>(
          from_->sgetn(in_.data(), static_cast<std::streamsize>(in_.size())));
    }
    const bool at_end = end_ == 0;
    ZSTD_inBuffer in{in_.data(), end_, next_};
    const std::size_t result = ZSTD_decompressStream(context_, &out, &in);
    if (ZSTD_isError(result)) throw std::runtime_error(ZSTD_getErrorName(result));
    next_ = in.pos;
    if (!at_end) within_ = result != 0;
    if (at_end && out.pos == 0) return traits_type::eof();
  }
  setg(out_.data(), out_.data(), out_.data() + out.pos);
  return traits_type::to_int_type(out_[0]);
}

}  // namespace heddle
