// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/launch_script/shell_expansion.hpp"
#include "core/exchange/launch_script/shell_script.hpp"

#include <gtest/gtest.h>

namespace orrery {
namespace {

/// The words of each command, joined by bars.
std::vector<std::string> commands(const std::string& text, const std::map<std::string, std::string>& given = {}) {
    std::vector<std::string> result;
    for (const ShellCommand& command : readShellScript(LinedText::ofFile(text), "x.sh", given, {}).commands) {
        std::string words;
        for (const LinedText& word : command.words) words += (words.empty() ? "" : "|") + word.text();
        result.push_back(words);
    }
    return result;
}
std::string last(const std::string& text, const std::map<std::string, std::string>& given = {}) {
    const auto all = commands(text, given);
    return all.empty() ? "" : all.back();
}

TEST(ShellScript, VariablesAndDefaults) {
    EXPECT_EQ(last("A=4\nrun --a $A --b ${A} --c ${B:-7} --d ${A:-9} --e \"$A x\""), "run|--a|4|--b|4|--c|7|--d|4|--e|4 x");
    EXPECT_EQ(last("run ${B:=3} $B"), "run|3|3");
    EXPECT_EQ(last("A=1\nrun ${A:+--yes} ${B:+--no} x"), "run|--yes|x");
    EXPECT_EQ(last("A=path/to/model.json\nrun ${A##*/} ${A%.json} ${A%%/*} ${A^^}"), "run|model.json|path/to/model|path|PATH/TO/MODEL.JSON");
    EXPECT_EQ(last("run $A ${1} '$A'", {{"A", "5"}}), "run|5|${1}|$A");
}

TEST(ShellScript, WhatIsNotSetStaysAsWritten) {
    EXPECT_EQ(last("run --nnodes $SLURM_NNODES --x ${Y[@]} --h $(hostname)"), "run|--nnodes|$SLURM_NNODES|--x|${Y[@]}|--h|$(hostname)");
    EXPECT_EQ(last("#SBATCH --nodes=48\n#SBATCH --gres=gpu:8 # eight\nrun $SLURM_NNODES $SLURM_GPUS_ON_NODE"), "run|48|8");
}

TEST(ShellScript, StringsOfOptionsAndArrays) {
    EXPECT_EQ(last("ARGS=\" \\\n --a 1 \\\n --b 'x y' \\\n\"\nrun $ARGS"), "run|--a|1|--b|'x|y'");
    EXPECT_EQ(last("A=(\n --a 1 # (why)\n # --gone\n --b \"x y\"\n)\nA+=(--c)\nrun \"${A[@]}\" ${#A[@]} ${A[1]}"), "run|--a|1|--b|x y|--c|5|1");
    EXPECT_EQ(last("E=()\nrun \"${E[@]}\" ${E[@]} end"), "run|end");
    EXPECT_EQ(last("A=\"--a\"\nA+=\" --b\"\nA=\"$A --c\"\nrun $A"), "run|--a|--b|--c");
}

TEST(ShellScript, Arithmetic) {
    EXPECT_EQ(last("G=8\nN=4\nrun $(($G*$N)) $((G * (N+1) - 2)) $((7/2)) $((7%4)) $((G/0))"), "run|32|38|3|3|$((G/0))");
    const ShellVariables none;
    EXPECT_FALSE(shellArithmetic("9223372036854775807 + 1", none));
    EXPECT_FALSE(shellArithmetic("(1", none));
    EXPECT_EQ(shellArithmetic("2 + 3 * -4", none), -10);
}

TEST(ShellScript, ConditionsTakeTheirBranch) {
    const std::string choose = "if [ $SIZE = 7 ]; then L=32\nelif [[ \"$SIZE\" == 13 && -n $SIZE ]]; then\n L=40; else L=1; fi\nrun $L";
    EXPECT_EQ(last(choose, {{"SIZE", "7"}}), "run|32");
    EXPECT_EQ(last(choose, {{"SIZE", "13"}}), "run|40");
    EXPECT_EQ(last(choose, {{"SIZE", "70"}}), "run|1");
    const std::string cases = "case $SIZE in\n 7B|8B) L=32 ;;\n 1*) L=40;;\n *) L=80\nesac\nrun $L";
    EXPECT_EQ(last(cases, {{"SIZE", "8B"}}), "run|32");
    EXPECT_EQ(last(cases, {{"SIZE", "13B"}}), "run|40");
    EXPECT_EQ(last(cases, {{"SIZE", "65B"}}), "run|80");
    EXPECT_EQ(last("[ -z \"$K\" ] && A=none || A=some\nrun $A"), "run|none");
    EXPECT_EQ(last("A=0\nif [ 5 -gt 3 ] && [ ! 2 -eq 3 ]; then A=1; fi\nrun $A"), "run|1");
}

TEST(ShellScript, FunctionsLoopsAndNestedShells) {
    EXPECT_EQ(last("train() {\n run --size $1\n}\ntrain 7"), "run|--size|7");
    EXPECT_EQ(commands("for S in 1 2 3; do\n run $S\ndone\nend"), (std::vector<std::string>{"run|1", "end"}));
    const ShellScript script = readShellScript(LinedText::ofFile("C=\"run --a 1\"\nsrun -N 4 bash -c \"$C --r \\$RANK\" 2>&1 | tee log"), "x.sh", {}, {});
    ASSERT_EQ(script.commands.size(), 2U);
    EXPECT_EQ(script.commands[0].words.size(), 5U);
    EXPECT_EQ(script.commands[0].words[4].text(), "$RANK");
    EXPECT_EQ(script.commands[0].outer.size(), 3U);
    EXPECT_EQ(script.commands[0].words[1].line(), 1) << "a word has the line it was written on";
}

TEST(ShellScript, HereDocumentsAndContinuations) {
    const ShellScript script = readShellScript(LinedText::ofFile("B=3\ncat <<EOT > f.json\n{\"b\": $B}\nEOT\nrun a \\\r\n  b \\ \n  c # d\nnext"), "x.sh", {}, {});
    EXPECT_EQ(script.files.at("f.json").text(), "{\"b\": 3}\n");
    EXPECT_EQ(commands("run a \\\r\n  b \\ \n  c # d\nnext"), (std::vector<std::string>{"run|a|b|c", "next"}));
    EXPECT_EQ(last("A=1 B=2 run x"), "run|x");
}

TEST(ShellScript, GrowthIsCutOff) {
    std::string doubling = "A=0123456789\n";
    for (int i = 0; i < 60; ++i) doubling += "A=$A$A\n";
    const ShellScript script = readShellScript(LinedText::ofFile(doubling + "run $A"), "x.sh", {}, {});
    EXPECT_LT(script.variables.text("A").size(), 40'000'000U);
    EXPECT_EQ(script.problems.back().code, "script-cut-off");
    EXPECT_EQ(last("f() { f; }\nf\nrun"), "run");
    EXPECT_EQ(readShellScript(LinedText::ofFile("f() { f; f; }\nf\nrun"), "x.sh", {}, {}).problems.back().code, "script-cut-off");
}

} // namespace
} // namespace orrery
