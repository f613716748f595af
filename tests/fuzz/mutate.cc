#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace heddle::fuzz {
namespace {

/// Replacements for numbers and words.
constexpr std::string_view kPieces[] = {"0",
                                        "-1",
                                        "1",
                                        "0.5",
                                        "1e308",
                                        "-0",
                                        "9223372036854775807",
                                        "18446744073709551615",
                                        "2147483648",
                                        "[]",
                                        "{}",
                                        "null",
                                        "true",
                                        "\"\"",
                                        "\n",
                                        "\"",
                                        ":",
                                        ",",
                                        "\xff",
                                        "max",
                                        "99999999999999999999h",
                                        "1/0",
                                        "*a",
                                        "&a ",
                                        "- ",
                                        "#"};

class Mutation {
 public:
  Mutation(const std::vector<std::string>& texts, std::mt19937_64& random)
      : texts_(texts), random_(random), text_(any()) {}

  std::string run() {
    for (std::size_t i = 1 + below(4); i > 0; --i) change();
    return std::move(text_);
  }

 private:
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }
  const std::string& any() { return texts_[below(texts_.size())]; }

  /// Returns a piece of a text, [begin, end): up to four bytes, a word, a number or a line.
  std::pair<std::size_t, std::size_t> piece(std::string_view text) {
    static constexpr std::string_view kEnds[] = {"", " \n\",:[]{}", " \n\",:[]{}", "\n"};
    const std::size_t at = below(text.size());
    const std::string_view ends = kEnds[below(std::size(kEnds))];
    if (ends.empty()) return {at, std::min(at + 1 + below(4), text.size())};
    std::size_t begin = text.find_last_of(ends, at);
    begin = begin == std::string_view::npos ? 0 : std::min(begin + 1, at);
    return {begin, std::min(text.find_first_of(ends, at), text.size() - 1) + 1};
  }

  void change() {
    if (text_.empty()) text_ = any();
    if (text_.empty()) return;
    const auto [begin, end] = piece(text_);
    const std::size_t size = end - begin;
    switch (below(7)) {
      case 0:
        text_.erase(begin, size);
        break;
      case 1:
        text_.insert(below(text_.size() + 1), text_.substr(begin, size));
        break;
      case 2:
        text_[begin] = static_cast<char>(random_());
        break;
      case 3:
        text_.replace(begin, size, kPieces[below(std::size(kPieces))]);
        break;
      case 4:
        text_.insert(begin, kPieces[below(std::size(kPieces))]);
        break;
      case 5:
        text_.resize(begin);
        break;
      default: {
        const std::string& other = any();
        if (other.empty()) break;
        const auto [from, to] = piece(other);
        text_.replace(begin, size, other.substr(from, to - from));
      }
    }
  }

  const std::vector<std::string>& texts_;
  std::mt19937_64& random_;
  std::string text_;
};

}  // namespace

std::string mutated(const std::vector<std::string>& texts, std::mt19937_64& random) {
  return Mutation(texts, random).run();
}

}  // namespace heddle::fuzz
