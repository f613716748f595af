// The targets over their corpora and some hundred to thousand mutations of each, the same each
// time.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fuzz/mutate.h"
#include "tests/fuzz/targets.h"

namespace heddle::fuzz::corpus_test {

namespace fs = std::filesystem;

/// What a target was given last. Static: it is written where the process dies.
std::string current;

/// A sanitizer or an assertion ends the process: then the input is kept for a look.
void keep_input() {
  std::ofstream("fuzz-finding") << current;
  std::fputs("the input is in ./fuzz-finding\n", stderr);
}
void on_abort(int) { keep_input(); }
extern "C" [[gnu::weak]] void __sanitizer_set_death_callback(void (*callback)());  // NOLINT

std::vector<std::string> corpus_of(const std::string& target) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(HEDDLE_CORPUS) / target))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return texts;
}

struct Target {
  const char* name;  ///< of its corpus, too
  bool (*run)(std::string_view input);
  int mutations;    ///< about a second of them, under the sanitizers
  int strange = 0;  ///< of its corpus, how many are not to be understood
};

void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

class Corpus : public testing::TestWithParam<Target> {
 protected:
  Corpus() {
    std::signal(SIGABRT, on_abort);
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(keep_input);
  }
};

TEST_P(Corpus, NoInputDoesHarm) {
  const std::vector<std::string> texts = corpus_of(GetParam().name);
  ASSERT_FALSE(texts.empty());
  int understood = 0;
  for (const std::string& text : texts) {
    current = text;
    understood += GetParam().run(current);
  }
  // Else the format has changed, and mutations of its old form say little: put it in order.
  EXPECT_GE(understood + GetParam().strange, std::ssize(texts))
      << "tests/fuzz/corpus/" << GetParam().name;
  std::mt19937_64 random(1);
  for (int i = 0; i < GetParam().mutations; ++i) {
    current = mutated(texts, random);
    (void)GetParam().run(current);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Targets, Corpus,
    testing::Values(Target{"wire", wire, 1000}, Target{"data_message", data_message, 5000},
                    Target{"serving", serving, 500}, Target{"fetching", fetching, 500},
                    Target{"storing", storing, 500}, Target{"keys", keys, 2000},
                    Target{"zap", zap, 2000, 1}, Target{"welcome", welcome, 300},
                    Target{"master", master, 40}, Target{"worker", worker, 200},
                    Target{"scenario", scenario, 100}, Target{"journal", journal, 100},
                    Target{"derived", derived, 40}, Target{"replay", replay, 100},
                    Target{"control_files", control_files, 2000}, Target{"trace", trace, 100},
                    Target{"small_files", small_files, 400}),
    [](const auto& target) { return std::string(target.param.name); });

}  // namespace heddle::fuzz::corpus_test
