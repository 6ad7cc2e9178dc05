// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/house/include_graph.hpp"
#include "tests/support/folders.hpp"

#include <gtest/gtest.h>

namespace orrery::test {
namespace {

/// A house in order: base below model below report, a view, a program.
SourceTree soundTree() {
    return {
        {"CMakeLists.txt", "project(Made)\nadd_subdirectory(core)\nadd_subdirectory(widgets)\nadd_subdirectory(app/cli)\n"},
        {"core/CMakeLists.txt", "function(orrery_core_module name)\n  add_library(orrery_core_${name} STATIC)\nendfunction()\n"
                                "add_subdirectory(base)\nadd_subdirectory(model) # not add_subdirectory(report)\nadd_subdirectory(report)\n"},
        {"core/base/CMakeLists.txt", "orrery_core_module(base SOURCES text.cpp)\n"},
        {"core/base/text.hpp", "#pragma once\n#include <string>\n"},
        {"core/base/text.cpp", "#include \"core/base/text.hpp\"\n"},
        {"core/model/CMakeLists.txt", "orrery_core_module(model SOURCES graph.cpp USES base)\n"},
        {"core/model/graph.hpp", "#pragma once\n\n#include \"core/base/text.hpp\"\n"},
        {"core/model/graph.cpp", "#include \"core/model/graph.hpp\"\n"},
        {"core/report/CMakeLists.txt", "orrery_core_module(report\n  SOURCES result.cpp\n  USES base model)\n"},
        {"core/report/result.hpp", "#pragma once\n\n#include \"core/model/graph.hpp\"\n"},
        {"core/report/result.cpp", "#include \"core/report/result.hpp\"\n\n#include \"core/base/text.hpp\"\n"},
        {"widgets/CMakeLists.txt", "add_subdirectory(common)\n"},
        {"widgets/common/CMakeLists.txt", "orrery_widget_module(common SOURCES theme.hpp theme.cpp CORE report LINKS Qt6::Charts)\n"},
        {"widgets/common/theme.cpp", "#include \"core/report/result.hpp\"\n\n#include <QColor>\n"},
        {"app/cli/CMakeLists.txt", "add_executable(made-cli main.cpp)\ntarget_link_libraries(made-cli PRIVATE orrery_core_report)\n"},
        {"app/cli/main.cpp", "#include \"core/report/result.hpp\"\n"},
    };
}

using Problems = std::vector<std::string>;
Problems problemsOf(const SourceTree& tree) { return IncludeGraph(tree).problems(); }

} // namespace

TEST(IncludeGraph, everyTargetUsesWhatItDeclaresAndNothingAbove) {
    const IncludeGraph graph(readSourceTree(sourcePath(""), {"core", "widgets", "app", "resources"}));
    for (const std::string& problem : graph.problems()) ADD_FAILURE() << problem;
    // Something was looked at.
    EXPECT_GT(graph.targetCount(), 40u);
    EXPECT_GT(graph.arrowCount(), 150u);
}

TEST(IncludeGraph, findsNothingWhereAllIsInOrder) {
    const IncludeGraph graph(soundTree());
    EXPECT_EQ(graph.problems(), Problems{});
    EXPECT_EQ(graph.targetCount(), 5u);
    EXPECT_EQ(graph.arrowCount(), 5u);
}

TEST(IncludeGraph, reportsAnArrowUpwards) {
    SourceTree tree = soundTree();
    tree["core/base/text.cpp"] += "#include \"core/report/result.hpp\"\n";
    tree["core/base/CMakeLists.txt"] = "orrery_core_module(base SOURCES text.cpp USES report)\n";
    EXPECT_EQ(problemsOf(tree),
              Problems{"core/base/text.cpp:2: includes core/report/result.hpp, an arrow upwards: orrery_core_report is added after orrery_core_base and uses it, a "
                       "circle (orrery_core_base → orrery_core_report → orrery_core_base): move what both need to a folder below them"});
}

TEST(IncludeGraph, reportsAFolderAddedTooLate) {
    SourceTree tree = soundTree();
    tree["core/CMakeLists.txt"] = "add_subdirectory(model)\nadd_subdirectory(base)\nadd_subdirectory(report)\n";
    EXPECT_EQ(problemsOf(tree),
              Problems{"core/model/graph.hpp:3: includes core/base/text.hpp, an arrow upwards: orrery_core_base is added after orrery_core_model: move what is "
                       "needed to a folder below both, or add core/base before core/model"});
}

TEST(IncludeGraph, findsACircleOfSeveral) {
    SourceTree tree = soundTree();
    tree["core/report/result.cpp"] = "#include \"core/report/result.hpp\"\n";
    tree["core/report/CMakeLists.txt"] = "orrery_core_module(report SOURCES result.cpp USES model)\n";
    tree["core/base/text.cpp"] += "#include \"core/report/result.hpp\"\n";
    tree["core/base/CMakeLists.txt"] = "orrery_core_module(base SOURCES text.cpp USES report)\n";
    ASSERT_EQ(problemsOf(tree).size(), 1u);
    EXPECT_NE(problemsOf(tree)[0].find("(orrery_core_base → orrery_core_report → orrery_core_model → orrery_core_base)"), std::string::npos);
}

TEST(IncludeGraph, reportsAUseThatIsDeclaredForNothing) {
    SourceTree tree = soundTree();
    tree["core/report/result.cpp"] = "#include \"core/report/result.hpp\"\n";
    EXPECT_EQ(problemsOf(tree),
              Problems{"core/report/CMakeLists.txt:3: orrery_core_report declares that it uses orrery_core_base, but includes nothing of it: remove base"});
}

TEST(IncludeGraph, reportsAUseThatOthersDeclareAlone) {
    SourceTree tree = soundTree();
    tree["core/report/CMakeLists.txt"] = "orrery_core_module(report SOURCES result.cpp USES model)\n";
    EXPECT_EQ(problemsOf(tree), Problems{"core/report/result.cpp:3: includes core/base/text.hpp, but orrery_core_report does not declare that it uses "
                                         "orrery_core_base: add base to its uses in core/report/CMakeLists.txt, or do without"});
}

TEST(IncludeGraph, keepsQtOutOfTheCore) {
    SourceTree tree = soundTree();
    tree["core/base/text.cpp"] += "#include <QString>\n";
    tree["core/model/CMakeLists.txt"] += "target_link_libraries(orrery_core_model PRIVATE Qt6::Core)\n";
    const Problems problems = problemsOf(tree);
    ASSERT_EQ(problems.size(), 2u);
    EXPECT_EQ(problems[0],
              "core/base/text.cpp:2: includes QString, which is of Qt: core/base builds without it, so do this in widgets or app/desktop");
    EXPECT_EQ(problems[1], "core/model/CMakeLists.txt:2: links Qt6::Core: core builds without Qt");
}

TEST(IncludeGraph, keepsProgramsOutOfViewsAndViewsOutOfTheCore) {
    SourceTree tree = soundTree();
    tree["widgets/common/theme.cpp"] += "#include \"app/cli/text.hpp\"\n";
    tree["core/base/text.cpp"] += "#include \"widgets/common/theme.hpp\"\n";
    const Problems problems = problemsOf(tree);
    ASSERT_EQ(problems.size(), 2u);
    EXPECT_TRUE(problems[0].starts_with("core/base/text.cpp:2: includes widgets/common/theme.hpp: nothing in core may know of widgets"));
    EXPECT_TRUE(problems[1].starts_with("widgets/common/theme.cpp:4: includes app/cli/text.hpp: nothing in widgets may know of app"));
}

TEST(IncludeGraph, reportsAFileThatNoTargetOwns) {
    SourceTree tree = soundTree();
    tree["core/units.hpp"] = "#pragma once\n";
    tree["core/base/text.cpp"] += "#include \"core/units.hpp\"\n";
    const Problems problems = problemsOf(tree);
    ASSERT_EQ(problems.size(), 2u);
    EXPECT_TRUE(problems[0].starts_with("core/base/text.cpp:2: includes core/units.hpp, which is no file of a target"));
    EXPECT_TRUE(problems[1].starts_with("core/units.hpp:1: belongs to no target"));
}

TEST(IncludeGraph, tellsTargetsOfOneFolderApartByTheirSources) {
    SourceTree tree = soundTree();
    tree["core/report/CMakeLists.txt"] = "orrery_core_module(names SOURCES names.cpp)\norrery_core_module(report SOURCES result.cpp USES base model)\n";
    tree["core/report/names.hpp"] = "#pragma once\n";
    tree["core/report/names.cpp"] = "#include \"core/report/names.hpp\"\n";
    EXPECT_EQ(problemsOf(tree), Problems{});
    tree["core/report/result.cpp"] += "#include \"core/report/names.hpp\"\n";
    ASSERT_EQ(problemsOf(tree).size(), 1u);
    EXPECT_NE(problemsOf(tree)[0].find("orrery_core_report does not declare that it uses orrery_core_names"), std::string::npos);
}

} // namespace orrery::test
