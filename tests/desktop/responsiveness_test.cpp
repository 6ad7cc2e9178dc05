// SPDX-License-Identifier: GPL-3.0-or-later
// The hand never waits for the core: what an edit does in the window's thread before it gives the keys back, without painting and layout. How long that is
// on the machine at hand is told by a fixed piece of work, done right after: a slow machine, or one with much beside the test, is no fault of the window.

#include "app/desktop/frame/window_views.hpp"
#include "app/desktop/manners/translations.hpp"
#include "core/base/json.hpp"
#include "tests/desktop/window_fixture.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/event_watch.hpp"
#include "tests/support/widget_test.hpp"
#include "tests/support/yardstick.hpp"
#include "widgets/forms/scenario_form.hpp"

#include <QElapsedTimer>
#include <QLineEdit>

#include <QMetaEnum>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

using namespace orrery;
using orrery::test::Window;

namespace {

using test::catalog;

constexpr double mostBlocked = 0.016; ///< s of the thread's own time: one picture of a screen
constexpr double yardstick = 0.0027;  ///< s that two cores of a server of 2023 take for it: on a slower machine edits are as much longer
constexpr double notable = 0.004;     ///< s; what is shorter is told to nobody
constexpr double twice = 2;           ///< pictures that even a single event may not last: what other programs do to the caches is less

/// Counts what took the thread for longer than a picture.
class BlockWatch {
public:
    BlockWatch() {
        test::WatchedApplication::instance().setWatch([this](const QObject& receiver, QEvent::Type type, double seconds) {
            ++events_;
            if (seconds > notable)
                take(seconds, QStringLiteral("%1 to %2 “%3” after %4").arg(QString::fromLatin1(QMetaEnum::fromType<QEvent::Type>().valueToKey(type)), QString::fromLatin1(receiver.metaObject()->className()), receiver.objectName(), doing_), test::WatchedApplication::paints(type));
        });
    }
    ~BlockWatch() { test::WatchedApplication::instance().setWatch({}); }
    Q_DISABLE_COPY_MOVE(BlockWatch)

    /// What the hand does is no event here: it is timed by itself.
    template <typename Work> void during(const QString& what, Work&& work) {
        doing_ = what;
        const double before = test::ownSeconds(), judgedBefore = judging_;
        work();
        take(test::ownSeconds() - before - (judging_ - judgedBefore), what, false);
    }
    /// What took longer than a picture: in the median of all times that it was done, or once for two pictures. A single one a little longer comes from
    /// other programs, which take the caches away, and not from what was done.
    std::map<QString, QString> blocks() const {
        std::map<QString, QString> lines;
        for (auto [what, times] : times_) {
            std::sort(times.begin(), times.end());
            const double median = times[(times.size() - 1) / 2];
            if (median > mostBlocked || times.back() > twice * mostBlocked) lines[what] = QStringLiteral("%1 of %2 ms, at most %3: %4").arg(times.size()).arg(1e3 * median, 0, 'f', 1).arg(1e3 * times.back(), 0, 'f', 1).arg(what);
        }
        return lines;
    }
    const QStringList& pictures() const { return pictures_; }
    /// The longest of all that was no picture, the longest first.
    QString longest(std::size_t count) const {
        QStringList lines;
        for (auto at = others_.rbegin(); at != others_.rend() && lines.size() < static_cast<qsizetype>(count); ++at) lines << at->second;
        return lines.join(QLatin1Char('\n'));
    }
    int events() const { return events_; }

private:
    void take(double seconds, const QString& what, bool picture) {
        if (seconds > mostBlocked && !picture) seconds /= slowness();
        const QString line = QStringLiteral("%1 ms %2").arg(1e3 * seconds, 0, 'f', 1).arg(what);
        if (picture && seconds > mostBlocked) pictures_ << line;
        if (picture) return;
        others_.emplace(seconds, line);
        times_[what].push_back(seconds);
    }

    /// How many times as long as on the machine that the limit is meant for, here and now; the time that it takes to tell is nobody's.
    double slowness() {
        const double before = test::ownSeconds(), times = std::max(1.0, test::yardstickSeconds() / yardstick);
        judging_ += test::ownSeconds() - before;
        return times;
    }

    QString doing_;
    QStringList pictures_;
    std::map<QString, std::vector<double>> times_; ///< s, by what was done
    std::multimap<double, QString> others_;        ///< by seconds
    int events_ = 0;
    double judging_ = 0; ///< s
};

struct RandomEdit {
    const char* field;
    std::vector<const char*> values;
};

const std::vector<RandomEdit>& randomEdits() {
    static const std::vector<RandomEdit> edits{
        {"/parallelism/tensor", {"1", "2", "4", "8", "7"}},
        {"/parallelism/pipeline", {"1", "2", "4", "8", "3"}},
        {"/workload/micro_batch_size", {"1", "2", "4"}},
        {"/workload/global_batch_size", {"64", "128", "256", "1024", "100000"}},
        {"/workload/sequence_length", {"2048", "4096", "8192"}},
        {"/cluster/nodes", {"8", "16", "32", "64", "100", "1000", "100000"}},
        {"/cluster/scale_out/bandwidth_gb_s", {"25", "50", "800 Gb/s"}},
        {"/parallelism/context", {"1", "2"}},
    };
    return edits;
}

/// The workers deliver a result meanwhile, or why there is none.
void waitForAnswer(Window& window) {
    QElapsedTimer clock;
    clock.start();
    while (clock.elapsed() < 60 || (window->worker().isRunning() && clock.elapsed() < 1500)) {
        QCoreApplication::processEvents(QEventLoop::ExcludeUserInputEvents);
        QTest::qSleep(2);
    }
}

} // namespace

class ResponsivenessTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { installTranslations(*QCoreApplication::instance()); }

    /// What other programs do to the caches and the memory takes the window's time too, and never the same edit's twice: what blocks is tried again.
    void noEditBlocksTheWindow() {
        std::map<QString, QString> blocks;
        for (int session = 0; session < 3; ++session) {
            const std::map<QString, QString> now = blocksOfASession();
            if (QTest::currentTestFailed()) return;
            if (session == 0) blocks = now;
            std::erase_if(blocks, [&now](const auto& block) { return !now.contains(block.first); });
            if (blocks.empty()) return;
        }
        QStringList lines;
        for (const auto& [what, line] : blocks) lines << line;
        QFAIL(qPrintable(QStringLiteral("%1 blocks, such as\n%2").arg(lines.size()).arg(lines.mid(0, 60).join(QLatin1Char('\n')))));
    }

private:
    /// 200 random edits; a failure of its own ends the test.
    static std::map<QString, QString> blocksOfASession() {
        std::map<QString, QString> blocks;
        [&blocks] {
            Window window(catalog());
            QVERIFY(window.start());
            std::mt19937 random(7);
            BlockWatch watch;
            int large = 0, answers = 0, mends = 0;
            for (int number = 0; number < 200; ++number) {
                const RandomEdit& edit = randomEdits()[random() % randomEdits().size()];
                const char* value = number % 40 == 20 ? "100000" : edit.values[random() % edit.values.size()];
                const char* field = number % 40 == 20 ? "/cluster/nodes" : edit.field;
                if (QLatin1String(value) == QLatin1String("100000") && QLatin1String(field) == QLatin1String("/cluster/nodes")) ++large;
                auto* line = window->findChild<QLineEdit*>(QString::fromLatin1(field));
                QVERIFY2(line, field);
                const QString what = QStringLiteral("%1 = %2").arg(QLatin1String(field), QLatin1String(value));
                line->setText(QString::fromLatin1(value));
                emit line->textEdited(line->text());
                const ResultPtr before = window->result();
                watch.during(what, [&] { emit line->returnPressed(); });
                waitForAnswer(window);
                if (window->result() != before) ++answers;
                // What can't be is taken back, so that the next edit has an answer again.
                else watch.during(QStringLiteral("undo of ") + what, [&] { window.trigger(QStringLiteral("edit.undo")); }), waitForAnswer(window);
                // Somebody waits for what would make it fit, too.
                if (window->result() && !window->result()->fits && mends < 12) {
                    QSignalSpy tried(&window->worker(), &SimulationWorker::mendsReady);
                    if (tried.wait(20000)) ++mends;
                    waitForAnswer(window);
                }
                if (number == 100) watch.during(QStringLiteral("pin"), [&] { window.trigger(QStringLiteral("simulate.pin")); });
            }
            QVERIFY2(answers > 60, qPrintable(QString::number(answers)));
            QVERIFY(large >= 5);
            QVERIFY2(mends > 2, qPrintable(QString::number(mends)));
            QVERIFY2(watch.events() > 1000, "nothing was watched");
            qInfo().noquote() << watch.pictures().size() << "pictures above" << 1e3 * mostBlocked << "ms\n" + watch.pictures().join(QLatin1Char('\n')) + "\nthe longest others:\n" + watch.longest(25);
            blocks = watch.blocks();
        }();
        return blocks;
    }
};

ORRERY_WIDGET_TEST(ResponsivenessTest)
#include "responsiveness_test.moc"
