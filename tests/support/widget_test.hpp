// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace orrery::test {

/// A class of Qt tests: its name, by which ctest asks for it, and how one is made.
struct WidgetTest {
    std::string name;
    std::function<std::unique_ptr<QObject>()> make;
};

/// Those of the running program. Many classes share a program, so that their headers are read, and the program is linked, once.
std::vector<WidgetTest>& widgetTests();

template <class Test> struct AddedWidgetTest {
    explicit AddedWidgetTest(const char* name) {
        widgetTests().push_back({name, [] { return std::make_unique<Test>(); }});
    }
};

} // namespace orrery::test

/// Stands at the end of a source of tests.
#define ORRERY_WIDGET_TEST(Class) \
    static const orrery::test::AddedWidgetTest<Class> added##Class(#Class);
