// SPDX-License-Identifier: GPL-3.0-or-later
// Runs one class of tests, named by the first argument; what follows goes to Qt Test.
#include "tests/support/event_watch.hpp"
#include "tests/support/widget_test.hpp"

#include <QtTest>

#include <algorithm>
#include <cstdio>

namespace orrery::test {

std::vector<WidgetTest>& widgetTests() {
    static std::vector<WidgetTest> all;
    return all;
}

} // namespace orrery::test

int main(int argc, char** argv) {
    using namespace orrery::test;
    const std::vector<WidgetTest>& all = widgetTests();
    const auto asked = argc < 2 ? all.end() : std::find_if(all.begin(), all.end(), [&](const WidgetTest& test) { return test.name == argv[1]; });
    if (asked == all.end()) {
        std::fprintf(stderr, "Name one of these classes first, then what Qt Test is to be told:\n");
        for (const WidgetTest& test : all) std::fprintf(stderr, "    %s\n", test.name.c_str());
        return 2;
    }
    QStringList arguments;
    for (int i = 0; i < argc; ++i)
        if (i != 1) arguments << QString::fromLocal8Bit(argv[i]);
    // Pixels are counted: no screen of the machine that tests may change them.
    QCoreApplication::setAttribute(Qt::AA_Use96Dpi, true);
    WatchedApplication application(argc, argv);
    return QTest::qExec(asked->make().get(), arguments);
}
