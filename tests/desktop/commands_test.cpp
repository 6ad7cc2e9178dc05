// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/commands/commands.hpp"
#include "app/desktop/commands/fuzzy.hpp"
#include "app/desktop/document/recent_files.hpp"
#include "app/desktop/manners/theme_choice.hpp"
#include "tests/support/widget_test.hpp"

#include <QMenu>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QWidget>

using namespace orrery;

class CommandsTest : public QObject {
    Q_OBJECT
private slots:
    void aRegistryMakesMenusAndActions() {
        QWidget window;
        CommandRegistry registry(&window);
        int runs = 0;
        bool on = false;
        bool allowed = false;
        registry.addMenu({"file", {}, "&File"});
        registry.addMenu({"file.more", "file", "&More"});
        registry.add({"a", "file", "&Alpha", {QKeySequence("Ctrl+A")}, [&] { ++runs; }, [&] { return allowed; }, {}, {}, false});
        registry.add({"b", "file.more", "Beta", {}, [&] { on = !on; }, {}, [&] { return on; }, {}, true});
        registry.add({"c", "file", "Gamma", {}, [] {}, {}, {}, [&] { return on ? QString("Shown") : QString(); }, false});
        QMenuBar bar;
        registry.fill(bar);

        QAction* a = registry.action("a");
        QVERIFY(!a->isEnabled());
        allowed = true;
        registry.refresh();
        QVERIFY(a->isEnabled());
        a->trigger();
        QCOMPARE(runs, 1);

        QVERIFY(registry.action("b")->isCheckable());
        QVERIFY(!registry.action("c")->isVisible());
        registry.action("b")->trigger();
        QVERIFY(registry.action("b")->isChecked());
        QVERIFY(registry.action("c")->isVisible());
        QCOMPARE(registry.action("c")->text(), QString("Shown"));

        QVERIFY(registry.menu("file.more")->actions().contains(registry.action("b")));
        QCOMPARE(registry.menuTitle("file.more"), QString("File ▸ More"));
        QVERIFY(!registry.action("nothing"));
        QVERIFY(window.actions().contains(a));
    }

    void plainTextDropsMnemonics() {
        QCOMPARE(plainText("&Open…"), QString("Open…"));
        QCOMPARE(plainText("This && that"), QString("This & that"));
    }

    void fuzzyFindsLettersInOrder() {
        QVERIFY(fuzzyScore("", "anything"));
        QVERIFY(fuzzyScore("sva", "Save as…"));
        QVERIFY(fuzzyScore("SAVE", "Save as…"));
        QVERIFY(fuzzyScore("save as", "Save as…"));
        QVERIFY(!fuzzyScore("avs x", "Save as…"));
        QVERIFY(!fuzzyScore("saves", "Save"));
        QVERIFY(!fuzzyScore("a", ""));
    }

    void fuzzyPrefersWordsAndRuns() {
        const auto better = [](const char* pattern, const char* good, const char* bad) {
            const auto a = fuzzyScore(pattern, good);
            const auto b = fuzzyScore(pattern, bad);
            return a && b && *a > *b;
        };
        QVERIFY(better("rl", "Reset layout", "Roofline"));
        QVERIFY(better("fit", "Cluster: fit", "File from list"));
        QVERIFY(better("save", "Save", "Save as…"));
        QVERIFY(better("dark", "Dark", "Duplicate a rack"));
    }

    void recentFilesAreNewestFirstAndFew() {
        QTemporaryDir folder;
        QSettings settings(folder.filePath("s.ini"), QSettings::IniFormat);
        {
            RecentFiles recent(settings);
            for (int i = 0; i < 12; ++i) recent.add(folder.filePath(QString("%1.orrery.json").arg(i)));
            recent.add(folder.filePath("10.orrery.json"));
        }
        RecentFiles recent(settings);
        QCOMPARE(recent.paths().size(), qsizetype(RecentFiles::capacity));
        QCOMPARE(recent.label(0), QString("10.orrery.json"));
        QCOMPARE(recent.label(1), QString("11.orrery.json"));
        QCOMPARE(recent.label(20), QString());
        recent.add(folder.filePath("sub/10.orrery.json"));
        QVERIFY(recent.label(0).contains("sub")); // two of one name: the folder tells them apart
        recent.clear();
        QVERIFY(recent.paths().isEmpty());
    }

    void themeNamesGoBothWays() {
        for (const ThemeChoice choice : themeChoices()) QCOMPARE(*themeFromName(themeName(choice)), choice);
        QVERIFY(!themeFromName("mauve"));
        QCOMPARE(variantFor(ThemeChoice::system, true), ThemeVariant::dark);
        QCOMPARE(variantFor(ThemeChoice::system, false), ThemeVariant::light);
    }
};

ORRERY_WIDGET_TEST(CommandsTest)
#include "commands_test.moc"
