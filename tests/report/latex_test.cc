#include "report/comparison/latex.h"

#include "tests/support/matchers.h"

namespace heddle::report::latex_test {

TEST(Latex, EscapesText) {
  EXPECT_EQ(latex_text("a_b & 5 % of {x} #1 $2"), "a\\_b \\& 5 \\% of \\{x\\} \\#1 \\$2");
  EXPECT_EQ(latex_text("\\~^<>|"),
            "\\textbackslash{}\\textasciitilde{}\\textasciicircum{}\\textless{}\\textgreater{}"
            "\\textbar{}");
  EXPECT_EQ(latex_text("dress+categories=[0.05,0.2]"), "dress+categories={[}0.05,0.2]");
  EXPECT_EQ(latex_text("first-fit \xc3\xa9\n\x1b"), "first-fit \xc3\xa9  ");
}

TEST(Latex, TablesHaveTheRulesOfBooktabs) {
  EXPECT_EQ(latex_table({{"metric"}, {"policy"}, {"min-max"}, {"change", true}},
                        {{"makespan, s", "first-fit", "98.0-102.0", "-12.5 %"},
                         {"", "[a]", "1", "-1.0 % to +2.0 %"},
                         {"waiting"}}),
            "\\begin{tabular}{@{}lllr@{}}\n"
            "\\toprule\n"
            "metric & policy & min-max & change \\\\\n"
            "\\midrule\n"
            "makespan, s & first-fit & 98.0--102.0 & $-$12.5\\,\\% \\\\\n"
            " & {[}a] & 1 & $-$1.0\\,\\% to +2.0\\,\\% \\\\\n"
            "\\addlinespace\n"
            "waiting &  &  &  \\\\\n"
            "\\bottomrule\n"
            "\\end{tabular}\n");
}

TEST(Latex, NumbersInBracketsHaveAMinus) {
  EXPECT_THAT(latex_table({{"x", true}}, {{"(-1.9 %)"}, {"1-2"}}),
              testing::HasSubstr("($-$1.9\\,\\%) \\\\\n1--2 "));
}

TEST(Latex, RowsWithoutGroupsAreNotSeparated) {
  EXPECT_EQ(latex_table({{"x", true}}, {{"1"}, {"2"}}),
            "\\begin{tabular}{@{}r@{}}\n\\toprule\nx \\\\\n\\midrule\n1 \\\\\n2 \\\\\n"
            "\\bottomrule\n\\end{tabular}\n");
}

TEST(Latex, ANoteIsTextForReaders) {
  EXPECT_EQ(latex_note("98 % intervals"),
            "\\par\\smallskip{\\footnotesize 98 \\% intervals\\par}\n");
}

TEST(Latex, EachLineOfACommentIsOne) {
  EXPECT_EQ(latex_comment("one\n\\two"), "% one\n% \\two\n");
  EXPECT_EQ(latex_comment(""), "");
}

}  // namespace heddle::report::latex_test
