#include "common/gzip.h"

#include <zlib.h>

#include <new>
#include <stdexcept>
#include <utility>

namespace heddle {
namespace {

constexpr std::size_t kBuffer = 256 << 10;
/// The largest window, and 16 for the header of gzip (zlib.h, inflateInit2).
constexpr int kGzipWindow = 15 + 16;

}  // namespace

GzipReader::GzipReader(std::unique_ptr<std::streambuf> in)
    : from_(std::move(in)), zlib_(std::make_unique<z_stream_s>()), in_(kBuffer), out_(kBuffer) {
  if (inflateInit2(zlib_.get(), kGzipWindow) != Z_OK) throw std::bad_alloc();
}

GzipReader::~GzipReader() { inflateEnd(zlib_.get()); }

GzipReader::int_type GzipReader::underflow() {
  zlib_->next_out = reinterpret_cast<Bytef*>(out_.data());
  zlib_->avail_out = static_cast<uInt>(out_.size());
  while (zlib_->avail_out == out_.size()) {
    if (zlib_->avail_in == 0) {
      const auto size = from_->sgetn(in_.data(), static_cast<std::streamsize>(in_.size()));
      if (size == 0) {
        if (within_) throw std::runtime_error("the compressed bytes end early");
        return traits_type::eof();
      }
      zlib_->next_in = reinterpret_cast<Bytef*>(in_.data());
      zlib_->avail_in = static_cast<uInt>(size);
    }
    within_ = true;
    const int result = inflate(zlib_.get(), Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      within_ = false;
      inflateReset(zlib_.get());
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      throw std::runtime_error(zlib_->msg ? zlib_->msg : "damaged");
    }
  }
  setg(out_.data(), out_.data(), out_.data() + (out_.size() - zlib_->avail_out));
  return traits_type::to_int_type(out_[0]);
}

}  // namespace heddle
