// SPDX-License-Identifier: GPL-3.0-or-later
// The window in simplified Chinese: every text has a translation, translations keep what their texts hold, and nothing that the window itself says is
// left in English. core speaks English, for it has no Qt; the window has words for the sentences of it that often stand on screen (core_words). Its other
// sentences (problems, formulas, references, error bars) and what examples, lessons and catalogues say are English in every language: they are taken out by what
// results and files hold, not by a list.

#include "app/desktop/commands/commands.hpp"
#include "app/desktop/document/examples.hpp"
#include "app/desktop/manners/translations.hpp"
#include "app/desktop/notices/banner.hpp"
#include "core/base/json.hpp"
#include "core/results/report/result.hpp"
#include "tests/desktop/window_fixture.hpp"
#include "tests/desktop/window_texts.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/folders.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/common/core_words.hpp"
#include "widgets/explore/explore_words.hpp"
#include "widgets/explore/form_keys.hpp"

#include <QApplication>
#include <QDialog>
#include <QFile>
#include <QLocale>
#include <QMenu>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <QXmlStreamReader>

#include <algorithm>
#include <functional>
#include <map>

using namespace orrery;
using orrery::test::Window;

namespace {

using test::catalog;

struct Message {
    QString context, source, comment;
    QStringList translations; ///< one a plural form
    bool numerus = false, finished = true;
    QString key() const { return context + u'|' + source + u'|' + comment; }
};

std::vector<Message> messagesOf(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) qFatal("no %s", qPrintable(path));
    QXmlStreamReader xml(&file);
    std::vector<Message> messages;
    QString context;
    while (!xml.atEnd()) {
        if (!xml.readNextStartElement()) continue;
        const auto name = xml.name();
        if (name == QLatin1String("name")) context = xml.readElementText();
        else if (name == QLatin1String("message")) messages.push_back({context, {}, {}, {}, xml.attributes().value("numerus") == QLatin1String("yes")});
        else if (name == QLatin1String("source")) messages.back().source = xml.readElementText();
        else if (name == QLatin1String("comment")) messages.back().comment = xml.readElementText();
        else if (name == QLatin1String("translation")) {
            messages.back().finished = !xml.attributes().hasAttribute("type");
            if (!messages.back().numerus) messages.back().translations << xml.readElementText();
        } else if (name == QLatin1String("numerusform")) messages.back().translations << xml.readElementText();
    }
    return messages;
}

QString chineseFile() { return QString::fromStdString(test::sourcePath("resources/translations/orrery_zh_CN.ts")); }

/// What must be alike in a text and its translation.
QStringList marksOf(const QString& text) {
    QStringList marks;
    static const QRegularExpression mark(QStringLiteral("%L?[0-9]|%n|</?[a-z]+[^<>]*>|\n|…"));
    for (auto each = mark.globalMatch(text); each.hasNext();) marks << each.next().captured();
    marks.sort();
    const bool hasMnemonic = !QKeySequence::mnemonic(text).isEmpty();
    return marks << (hasMnemonic ? QStringLiteral("a mnemonic") : QString());
}

} // namespace

class TranslationsTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        installTranslations(*QCoreApplication::instance(), LanguageChoice::chinese);
        QVERIFY2(asked_.load(QStringLiteral(":/orrery/i18n/orrery_zh_CN.qm")), "the compiled texts are in the program");
        QCoreApplication::installTranslator(&asked_);
    }

    /// The file, brought up to date with the sources as `update_translations` does it, has nothing new and nothing gone.
    void everyTextOfTheSourcesIsTranslated() {
        QTemporaryDir folder;
        const QString copy = folder.filePath("orrery_zh_CN.ts");
        QVERIFY(QFile::copy(chineseFile(), copy));
        QFile::setPermissions(copy, QFile::ReadOwner | QFile::WriteOwner);
        QProcess lupdate;
        lupdate.setWorkingDirectory(QString::fromStdString(test::sourcePath("")));
        lupdate.start(ORRERY_LUPDATE, {"-silent", "-locations", "none", "-no-obsolete", "-I", ".", "app/desktop", "widgets", "-ts", copy});
        QVERIFY(lupdate.waitForFinished(120000) && lupdate.exitCode() == 0);
        QStringList open, kept;
        for (const Message& message : messagesOf(copy)) {
            kept << message.key();
            if (!message.finished || message.translations.join(QString()).trimmed().isEmpty()) open << message.key();
        }
        QVERIFY2(kept.size() > 2500, qPrintable(QString::number(kept.size())));
        QVERIFY2(open.isEmpty(), qPrintable("Without a translation (packaging/translations missing zh_CN lists them):\n" + open.join('\n')));
        QStringList before;
        for (const Message& message : messagesOf(chineseFile())) before << message.key();
        kept.sort();
        before.sort();
        QCOMPARE(before, kept);
    }

    void translationsKeepWhatTheirTextsHold() {
        QStringList faults;
        for (const Message& message : messagesOf(chineseFile())) {
            if (message.translations.size() != 1) faults << message.key() + " has not one form"; // Chinese has one for any number
            for (const QString& translation : message.translations) {
                if (marksOf(message.source) != marksOf(translation)) faults << message.key() + " → " + translation;
                if (message.source.startsWith(' ') != translation.startsWith(' ')) faults << message.key() + " begins otherwise: " + translation;
            }
        }
        QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));
    }

    /// A text of one meaning has one translation within a context; where a letter is all that differs it may not change the word.
    void oneWordHasOneTranslation() {
        std::map<QString, QStringList> byTerm;
        const QStringList terms{"iteration time", "Iteration time", "peak memory", "Peak memory", "micro-batch", "accelerators", "Accelerators", "Roofline",
                                "goodput", "Goodput", "KV cache", "pipeline bubble", "Pipeline bubble", "prefill", "decode", "forward", "backward", "optimizer",
                                "activations", "gradients", "operator", "Operator", "schedule", "bandwidth", "latency", "sensitivity", "Sensitivity", "hosts"};
        for (const Message& message : messagesOf(chineseFile()))
            if (terms.contains(message.source) && message.comment.isEmpty()) byTerm[message.source.toLower()] << message.translations.front();
        for (auto& [term, translations] : byTerm) {
            // A unit has its measure word before it: "8 张加速卡".
            for (QString& one : translations) one.remove(QRegularExpression(QStringLiteral("^[张台个条]")));
            translations.removeDuplicates();
            QVERIFY2(translations.size() == 1, qPrintable(term + ": " + translations.join(" | ")));
        }
        QVERIFY(byTerm.size() > 15);
    }

    void theLocaleDecides_data() {
        QTest::addColumn<QString>("locale");
        QTest::addColumn<QString>("texts");
        for (const char* locale : {"zh_CN", "zh_SG", "zh_Hans_HK"}) QTest::newRow(locale) << locale << "zh_CN";
        for (const char* locale : {"en_US", "en_GB", "de_DE", "zh_TW", "zh_HK", "C"}) QTest::newRow(locale) << locale << "en";
    }
    void theLocaleDecides() {
        QFETCH(QString, locale);
        QFETCH(QString, texts);
        QCOMPARE(textsOf(LanguageChoice::system, QLocale(locale)), texts);
        QCOMPARE(textsOf(LanguageChoice::english, QLocale(locale)), QString("en"));
        QCOMPARE(textsOf(LanguageChoice::chinese, QLocale(locale)), QString("zh_CN"));
    }

    void theProgramSpeaksAsItsEnvironment_data() {
        QTest::addColumn<QString>("lang");
        QTest::addColumn<QString>("kept"); // in the settings
        QTest::addColumn<bool>("chinese");
        QTest::newRow("a Chinese desktop") << "zh_CN.UTF-8"
                                           << "" << true;
        QTest::newRow("an English desktop") << "en_US.UTF-8"
                                            << "" << false;
        QTest::newRow("Chinese chosen") << "en_US.UTF-8"
                                        << "zh_CN" << true;
        QTest::newRow("English chosen") << "zh_CN.UTF-8"
                                        << "en" << false;
        QTest::newRow("the system chosen") << "zh_CN.UTF-8"
                                           << "system" << true;
        QTest::newRow("a choice nobody knows") << "en_US.UTF-8"
                                               << "tlh" << false;
    }
    void theProgramSpeaksAsItsEnvironment() {
        QFETCH(QString, lang);
        QFETCH(QString, kept);
        QFETCH(bool, chinese);
        QTemporaryDir home;
        QVERIFY(QDir(home.path()).mkpath("orrery"));
        if (!kept.isEmpty()) QSettings(home.filePath("orrery/orrery.conf"), QSettings::IniFormat).setValue("language", kept);
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANGUAGE"}) environment.remove(name);
        environment.insert("LANG", lang);
        environment.insert("XDG_CONFIG_HOME", home.path());
        environment.insert("QT_QPA_PLATFORM", "offscreen");
        QProcess program;
        program.setProcessEnvironment(environment);
        program.start(ORRERY_PROGRAM, {"--help"});
        QVERIFY(program.waitForFinished(60000));
        const QString said = QString::fromUtf8(program.readAllStandardOutput());
        QCOMPARE(said.contains("绘制集群"), chinese);
        QCOMPARE(said.contains("Draw a cluster"), !chinese);
    }

    void theChoiceIsKeptAndSaysWhenItCounts() {
        Window window(catalog());
        QVERIFY(window.start());
        QVERIFY(window->commands().action("view.language.system")->isChecked());
        window.trigger("view.language.zh_CN");
        QVERIFY(languageIn(*window.settings) == LanguageChoice::chinese);
        QVERIFY(window->commands().action("view.language.zh_CN")->isChecked());
        QVERIFY2(window->banner().message().contains("下次启动"), qPrintable(window->banner().message()));
        window.reopen();
        QVERIFY(window->commands().action("view.language.zh_CN")->isChecked());
        window.trigger("view.language.system");
        QVERIFY(languageIn(*window.settings) == LanguageChoice::system);
    }

    void noMenuHasTwoEqualMnemonics() {
        Window window(catalog());
        QVERIFY(window.start());
        int menus = 0, letters = 0;
        std::vector<QMenu*> all;
        for (const CommandMenu& menu : window->commands().menus()) all.push_back(window->commands().menu(menu.id));
        for (QMenu* menu : all) {
            QVERIFY(menu);
            ++menus;
            std::map<QString, QString> taken;
            for (const QAction* action : menu->actions()) {
                const QString letter = QKeySequence::mnemonic(action->text()).toString();
                if (!action->isVisible() || letter.isEmpty()) continue;
                ++letters;
                QVERIFY2(!taken.contains(letter), qPrintable(menu->title() + ": " + action->text() + " and " + taken[letter]));
                taken[letter] = action->text();
            }
        }
        QVERIFY(menus > 8 && letters > 80);
        // Title of menu and title without its mnemonic, as the palette and the panels show it.
        for (const CommandMenu& menu : window->commands().menus()) {
            QVERIFY2(!plainText(menu.title).contains('&') && !plainText(menu.title).contains('('), qPrintable(menu.title));
        }
    }

    /// Keys and figures are typed by the names that the lists offer: each name leads to its own.
    void everyKeyIsFoundByItsName() {
        QVERIFY(formKeys().size() > 60);
        for (const FormKey& key : formKeys()) QCOMPARE(pointerOfKey(key.name).toStdString(), key.pointer);
    }

    void sentencesOfCoreKeepTheirNumbersAndNames() {
        QCOMPARE(coreWords(QString("bubble: 2 stages, 32 micro-batches")), QString("气泡：2 个流水级，32 个微批次"));
        QCOMPARE(coreWords(QString("default of the profile vllm-2025")), QString("软件配置 vllm-2025 的默认值"));
        QCOMPARE(coreWords(QString("tensor 16 and ZeRO 2")), QString("张量并行 16 并 ZeRO 级别 2"));
        for (const char* whole : {"", "tensor 16 and a word that nobody knows", "7 tensor ranks cannot share 64 attention heads."})
            QCOMPARE(coreWords(QString(whole)), QString(whole)); // as core says it, not half of it
    }

    void everyFigureHasANameOfItsOwn() {
        Window window(catalog());
        QVERIFY(window.start());
        std::map<QString, std::string> pointers;
        const std::function<void(const Json&, const std::string&)> walk = [&](const Json& value, const std::string& pointer) {
            for (const auto& [key, part] : value.items()) {
                const std::string at = pointer + "/" + key;
                if (part.is_object()) walk(part, at);
                if (!part.is_number()) continue;
                const QString name = figureName(at);
                QVERIFY2(!pointers.contains(name), qPrintable(name + ": " + QString::fromStdString(at) + ", " + QString::fromStdString(pointers[name])));
                pointers[name] = at;
            }
        };
        const Json result = toJson(*window->result());
        for (const char* part : {"memory", "time_breakdown_s", "bottleneck"})
            if (result.contains(part)) walk(result[part], std::string("/") + part);
        QVERIFY(pointers.size() > 10);
    }

    void nothingOfTheWindowIsEnglish_data() {
        QTest::addColumn<QString>("example");
        for (const char* example : {"llama-3.1-70b-8xdgx-h100", "llama-3.1-8b-h100-chat", "llama-3.1-70b-h100-batch", "deepseek-v3-6xdgx-h200-wide-experts", "toy-pipeline"})
            QTest::newRow(example) << example;
    }
    void nothingOfTheWindowIsEnglish() {
        QFETCH(QString, example);
        Window window(catalog());
        QVERIFY(window.start());
        const auto examples = shippedExamples();
        const auto chosen = std::find_if(examples.begin(), examples.end(), [&](const Example& one) { return one.fileName.startsWith(example); });
        QVERIFY(chosen != examples.end());
        if (!(chosen->document == window->document().json())) QVERIFY(window.resultAfter([&] { window->files().openExample(*chosen); }));
        test::WindowTexts texts(*window.window);
        for (const char* place : {"overview", "draw", "timeline", "memory", "serve", "explore", "recorded", "compare", "learn"}) {
            window.trigger(QStringLiteral("view.workspace.%1").arg(place));
            if (QByteArray(place) == "draw") window.trigger("edit.select_all");
            QTest::qWait(120);
            texts.take(*window.window, place);
        }
        window.trigger("view.panel.findings");
        QTest::qWait(60);
        texts.take(*window.window, "findings");
        for (const char* command : {"help.shortcuts", "help.about", "edit.paste_launch", "file.export.charts", "records.communication", "simulate.accuracy", "help.ways_in"}) {
            window.trigger(command);
            QTest::qWait(60);
            texts.take(*window.window, command);
            for (QWidget* other : QApplication::topLevelWidgets()) {
                if (other == window.window.get() || !other->isVisible() || qobject_cast<QMenu*>(other)) continue;
                texts.take(*other, command);
                other->close();
            }
        }
        const QStringList english = texts.english();
        for (const QString& one : english) qWarning("%s", qPrintable(one)); // the message of a failure has no room for all
        QVERIFY2(texts.seen() > 900, qPrintable(QString::number(texts.seen())));
        QVERIFY2(english.isEmpty(), qPrintable(QStringLiteral("%1 texts, listed above").arg(english.size())));
    }

    /// What the classes above asked for and the file does not have: a text that lupdate does not see, or sees under another name.
    void everyTextThatWasAskedForWasThere() {
        QVERIFY2(asked_.missed().isEmpty(), qPrintable(asked_.missed().join('\n')));
    }

    void cleanupTestCase() { QCoreApplication::removeTranslator(&asked_); }

private:
    test::WatchedTexts asked_;
};

ORRERY_WIDGET_TEST(TranslationsTest)
#include "translations_test.moc"
