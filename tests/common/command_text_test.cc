#include "common/command_line/command_text.h"

#include "tests/support/matchers.h"
#include "tests/support/messages.h"

namespace heddle::command_text_test {

CommandText loom() {
  CommandText weave{"loom weave",
                    "weave a cloth",
                    {{"PATTERN", "", "pattern to weave", true}},
                    {{"--color", "red|blue",
                      "color of the thread; a word that is so long that it "
                      "does not fit on one line (default: red)"},
                     {"--out", "FILE", "write the cloth to FILE"},
                     {"--quick", "", "do it fast"}}};
  return {"loom",  "make cloth",          {}, {{"--help", "", "show this text"}},
          {weave}, "Exit status: 0 done."};
}

const CompletionWords kWords = {{"PATTERN", {"twill", "satin"}}};

std::string page(const std::string& kind) {
  if (kind == "help of weave") return help_text(loom().commands[0]);
  if (kind == "help of loom") return help_text(loom());
  if (kind == "markdown") return markdown_reference(loom());
  if (kind == "bash") return bash_completion(loom(), kWords);
  if (kind == "fish") return fish_completion(loom(), kWords);
  if (kind == "zsh") return zsh_completion(loom(), kWords);
  return manual_page({"x", ".dot and \\back", {}, {{"--a-b", "N", "'quote"}}}, "1.0", "2026-11-24");
}

TEST(CommandText, PagesAreAsInTheTable) {
  tests::expect_messages_of("common/command_text.yaml", "pages", page);
}

TEST(HelpText, ALongOptionHasALineOfItsOwn) {
  EXPECT_THAT(help_text({"x", "y", {}, {{"--a-very-long-option", "WITH-VALUE", "help"}}}),
              HasSubstr("  --a-very-long-option WITH-VALUE\n                            help\n"));
}

TEST(HelpText, RequiredOptionsAreInTheUsage) {
  EXPECT_THAT(help_text({"x", "y", {{"RUN", "", "", true, true}}, {{"--out", "FILE", "", true}}}),
              HasSubstr("Usage: x [OPTIONS] --out FILE RUN...\n"));
}

TEST(Completion, OptionsWithoutAValueOfferNone) {
  EXPECT_THAT(bash_completion(loom(), kWords), Not(HasSubstr("--quick)")));
}

}  // namespace heddle::command_text_test
