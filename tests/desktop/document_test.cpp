// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/file_io.hpp"
#include "app/desktop/document/autosave.hpp"
#include "app/desktop/document/document.hpp"
#include "app/desktop/document/document_file.hpp"
#include "app/desktop/document/recovery.hpp"
#include "core/base/json.hpp"
#include "tests/support/qt_files.hpp"
#include "tests/support/widget_test.hpp"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace orrery;

namespace {

using test::bytesOf;

// Keys in no alphabetical order, so that a writer that sorts them is found out.
const char* const scenarioText = R"({
  "format": "orrery-scenario/1",
  "name": "Test",
  "workload": {
    "sequence_length": 4096,
    "kind": "training"
  },
  "model": {
    "preset": "llama-3.1-8b"
  },
  "cluster": {
    "nodes": 1,
    "accelerator": "h100-sxm5-80gb"
  }
}
)";

QString writeFile(const QTemporaryDir& folder, const QString& name, const QByteArray& bytes) {
    const QString path = folder.filePath(name);
    QDir().mkpath(QFileInfo(path).absolutePath());
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) qFatal("no temporary file");
    file.write(bytes);
    return path;
}

} // namespace

class DocumentTest : public QObject {
    Q_OBJECT
private slots:
    void savesTheBytesItLoaded() {
        QTemporaryDir folder;
        const QString path = writeFile(folder, "a.orrery.json", scenarioText);
        ScenarioDocument document;
        QVERIFY(document.load(path).empty());
        QVERIFY(!document.isModified());
        const QString copy = folder.filePath("b.orrery.json");
        QVERIFY(document.save(copy).empty());
        QCOMPARE(bytesOf(copy), QByteArray(scenarioText));
        QCOMPARE(document.filePath(), copy);
    }

    void undoToTheStartGivesTheFirstBytes() {
        QTemporaryDir folder;
        ScenarioDocument document;
        QVERIFY(document.load(writeFile(folder, "a.orrery.json", scenarioText)).empty());
        QVERIFY(document.edit("Tensor", {{"/parallelism/tensor", 2}}));
        QVERIFY(document.edit("Nodes", {{"/cluster/nodes", nullptr}}));
        QVERIFY(document.edit("Length", {{"/workload/sequence_length", 8192}, {"/name", "Other"}}));
        QVERIFY(document.isModified());
        QVERIFY(document.toBytes() != scenarioText);
        while (document.undoStack().canUndo()) document.undoStack().undo();
        QCOMPARE(document.toBytes(), QByteArray(scenarioText));
        QVERIFY(!document.isModified());
        while (document.undoStack().canRedo()) document.undoStack().redo();
        QCOMPARE(document.json().at("workload").at("sequence_length").get<int>(), 8192);
    }

    void quickEditsOfOnePlaceAreOneStep() {
        ScenarioDocument document;
        document.reset(Json::parse(scenarioText));
        for (const int length : {1, 12, 128}) document.edit("Length", {{"/workload/sequence_length", length}});
        QCOMPARE(document.undoStack().count(), 1);
        document.edit("Other", {{"/name", "x"}});
        QCOMPARE(document.undoStack().count(), 2);
        document.undoStack().undo();
        document.undoStack().undo();
        QCOMPARE(document.toBytes(), QByteArray(scenarioText));
    }

    void slowEditsAreTwoSteps() {
        ScenarioDocument document;
        document.reset(Json::parse(scenarioText));
        document.edit("Length", {{"/workload/sequence_length", 1}});
        QTest::qWait(1100);
        document.edit("Length", {{"/workload/sequence_length", 2}});
        QCOMPARE(document.undoStack().count(), 2);
    }

    void anEditThatChangesNothingIsNoStep() {
        ScenarioDocument document;
        document.reset(Json::parse(scenarioText));
        QVERIFY(document.edit("Length", {{"/workload/sequence_length", 4096}}));
        QCOMPARE(document.undoStack().count(), 0);
        QVERIFY(!document.edit("Nonsense", {{"/name/deeper", 1}}));
        QCOMPARE(document.toBytes(), QByteArray(scenarioText));
    }

    void refusesOtherFiles_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("code");
        QTest::newRow("later format") << QByteArray(R"({"format": "orrery-scenario/9"})") << "unknown-format";
        QTest::newRow("result") << QByteArray(R"({"format": "orrery-result/1"})") << "is-a-result";
        QTest::newRow("cases") << QByteArray(R"({"format": "orrery-cases/1"})") << "is-a-case-list";
        QTest::newRow("trace object") << QByteArray(R"({"traceEvents": []})") << "is-a-trace";
        QTest::newRow("trace array") << QByteArray(R"([{"ph": "X", "ts": 1}])") << "is-a-trace";
        QTest::newRow("config") << QByteArray(R"({"model_type": "llama"})") << "is-a-model-config";
        QTest::newRow("any JSON") << QByteArray("[1, 2]") << "not-a-scenario";
    }
    void refusesOtherFiles() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, code);
        QTemporaryDir folder;
        ScenarioDocument document;
        document.reset(Json::parse(scenarioText));
        const Problems problems = document.load(writeFile(folder, "x.json", bytes));
        QCOMPARE(problems.size(), std::size_t(1));
        QCOMPARE(QString::fromStdString(problems.front().code), code);
        QVERIFY(!problems.front().message.empty());
        QVERIFY(!problems.front().mend.empty());
        QCOMPARE(document.toBytes(), QByteArray(scenarioText));
    }

    void refusesWhatCannotBeRead() {
        QTemporaryDir folder;
        ScenarioDocument document;
        for (const QString& path : {folder.path(), folder.filePath("missing.json"),
                                    writeFile(folder, "broken.json", "{\n  \"format\": oops\n}")}) {
            const Problems problems = document.load(path);
            QVERIFY2(hasErrors(problems), qPrintable(path));
            QVERIFY(QString::fromStdString(problems.front().file).contains(path));
        }
        const Problems broken = document.load(folder.filePath("broken.json"));
        QCOMPARE(broken.front().line, 2);
        QVERIFY(broken.front().column > 0);
    }

    void savingBelowARegularFileFails() {
        QTemporaryDir folder;
        const QString file = writeFile(folder, "file", "x");
        ScenarioDocument document;
        document.reset(Json::parse(scenarioText));
        QVERIFY(hasErrors(document.save(file + "/inside.orrery.json")));
        QVERIFY(document.filePath().isEmpty());
    }

    void aFullDiskLeavesTheOldFileWhole() {
        QTemporaryDir folder;
        const QString path = writeFile(folder, "a.orrery.json", scenarioText);
        reportFileSizeLimitAsError();
        // A child process, because the limit can't be raised again here.
        const pid_t child = fork();
        if (child == 0) {
            const rlimit limit{64, 64};
            setrlimit(RLIMIT_FSIZE, &limit);
            ScenarioDocument document;
            document.load(path);
            document.edit("Name", {{"/name", std::string(5000, 'x')}});
            const Problems problems = document.save(path);
            const bool told = hasErrors(problems) && !problems.front().mend.empty() && document.isModified();
            _exit(told ? 0 : 1);
        }
        int status = -1;
        waitpid(child, &status, 0);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
        QCOMPARE(bytesOf(path), QByteArray(scenarioText));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList("a.orrery.json"));
    }

    void aConfigBecomesTheModel() {
        QTemporaryDir folder;
        const QString config = writeFile(folder, "config.json", R"({"model_type": "llama", "hidden_size": 64, "pad": null})");
        ScenarioDocument document;
        document.reset(Json::parse(scenarioText));
        QVERIFY(document.embedModelConfig(config).empty());
        QCOMPARE(document.json().at("model").dump(), std::string(R"({"config":{"model_type":"llama","hidden_size":64,"pad":null}})"));
        document.undoStack().undo();
        QCOMPARE(document.toBytes(), QByteArray(scenarioText));
        QVERIFY(hasErrors(document.embedModelConfig(writeFile(folder, "no.json", "{}"))));
    }

    void relativeFilesFollowAScenarioToAnotherFolder() {
        QTemporaryDir folder;
        writeFile(folder, "here/config.json", R"({"model_type": "llama"})");
        QDir().mkpath(folder.filePath("there"));
        for (const char* key : {"config_file", "graph_file"}) {
            Json scenario = Json::parse(scenarioText);
            scenario["model"] = Json{{key, "config.json"}};
            const QString path = writeFile(folder, "here/a.orrery.json", scenarioBytes(scenario));
            ScenarioDocument document;
            QVERIFY(document.load(path).empty());
            QVERIFY(document.save(folder.filePath("there/b.orrery.json")).empty());
            QCOMPARE(document.json().at("model").at(key).get<std::string>(), std::string("../here/config.json"));
            std::string error;
            const auto text = scenarioFileReader(document.baseFolder(), filesOutside(document.json(), document.baseFolder()))("../here/config.json", error);
            QVERIFY2(text && text->find("llama") != std::string::npos, error.c_str());
            QVERIFY(!scenarioFileReader(document.baseFolder())("../here/config.json", error)); // nobody said yes
            QCOMPARE(bytesOf(folder.filePath("there/b.orrery.json")), document.toBytes());
        }
    }

    void aScenarioWithoutAFileSaysWhyItCannotReadRelativeOnes() {
        std::string error;
        QVERIFY(!scenarioFileReader({})("config.json", error));
        QVERIFY(QString::fromStdString(error).contains("Save the scenario"));
    }

    void unsavedWorkIsFoundAgain() {
        QTemporaryDir folder;
        ScenarioDocument document;
        document.reset(Json::parse(scenarioText));
        {
            RecoveryStore crashed(folder.path());
            Autosave autosave(document, crashed);
            autosave.setDelay(10);
            document.edit("Name", {{"/name", "Unsaved"}});
            QTRY_COMPARE(QDir(folder.path()).entryList({"*.recovery.json"}).size(), 1);
            // While that program runs, its work is nobody else's.
            QCOMPARE(RecoveryStore(folder.path()).abandoned().size(), std::size_t(0));
        }
        RecoveryStore next(folder.path());
        const std::vector<RecoveredWork> works = next.abandoned();
        QCOMPARE(works.size(), std::size_t(1));
        QCOMPARE(works.front().document->at("name").get<std::string>(), std::string("Unsaved"));
        QCOMPARE(works.front().document->dump(), document.json().dump());
        ScenarioDocument restored;
        restored.restore(works.front().document, works.front().filePath);
        QVERIFY(restored.isModified());
        QCOMPARE(restored.toBytes(), document.toBytes());
        RecoveryStore::discard(works.front());
        QVERIFY(next.abandoned().empty());
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).size(), 0);
    }

    void savedWorkLeavesNothingToRecover() {
        QTemporaryDir folder;
        QTemporaryDir state;
        ScenarioDocument document;
        document.reset(Json::parse(scenarioText));
        RecoveryStore store(state.path());
        Autosave autosave(document, store);
        document.edit("Name", {{"/name", "Unsaved"}});
        autosave.writeNow();
        QCOMPARE(QDir(state.path()).entryList({"*.recovery.json"}).size(), 1);
        QVERIFY(document.save(folder.filePath("a.orrery.json")).empty());
        QCOMPARE(QDir(state.path()).entryList(QDir::Files | QDir::Hidden).size(), 0);
    }

    void workIsCopiedWithinASecondOfEveryEdit() {
        QTemporaryDir state;
        ScenarioDocument document;
        document.reset(Json::parse(scenarioText));
        RecoveryStore store(state.path());
        Autosave autosave(document, store);
        const auto copied = [&] {
            for (const QString& name : QDir(state.path()).entryList({"*.recovery.json"}))
                return Json::parse(bytesOf(QDir(state.path()).filePath(name)).toStdString(), nullptr, false).value("scenario", Json()).dump();
            return std::string();
        };
        // Steady typing, each edit looked for a second later at most.
        for (int i = 0; i < 4; ++i) {
            document.edit("Name", {{"/name", "Edit " + std::to_string(i)}});
            QElapsedTimer clock;
            clock.start();
            while (copied() != document.json().dump() && clock.elapsed() < 1000) QTest::qWait(20);
            QVERIFY2(clock.elapsed() < 1000, "the edit would have been lost");
            QTest::qWait(150 * i);
        }
    }

    void aFileThatSomeoneElseChangedIsKnown() {
        QTemporaryDir folder;
        const QString path = writeFile(folder, "a.orrery.json", scenarioText);
        ScenarioDocument document;
        QVERIFY(document.load(path).empty());
        QVERIFY(!document.isFileChanged());
        QVERIFY(document.edit("Name", {{"/name", "Mine"}}));
        QVERIFY(!document.isFileChanged());               // the document changed, not the file
        writeFile(folder, "a.orrery.json", scenarioText); // written anew, with the same content
        QVERIFY(!document.isFileChanged());
        writeFile(folder, "a.orrery.json", QByteArray(scenarioText).replace("Test", "Best")); // as many bytes
        QVERIFY(document.isFileChanged());
        QVERIFY(document.save(path).empty());
        QVERIFY(!document.isFileChanged());
        QFile::remove(path);
        QVERIFY(!document.isFileChanged()); // there is nothing to lose

        // Work restored after a crash knows the file as it was when that work began.
        writeFile(folder, "a.orrery.json", scenarioText);
        QVERIFY(document.load(path).empty());
        ScenarioDocument restored;
        restored.restore(document.json(), path, document.fileHash());
        QVERIFY(!restored.isFileChanged());
        writeFile(folder, "a.orrery.json", QByteArray(scenarioText).replace("Test", "Best"));
        QVERIFY(restored.isFileChanged());
        restored.restore(document.json(), path);
        QVERIFY(restored.isFileChanged()); // nobody knows: asked once rather than lost
    }

    void whatIsNoRegularFileIsRefusedAtOnce() {
        QTemporaryDir folder;
        const QString pipe = folder.filePath("pipe.orrery.json");
        QCOMPARE(::mkfifo(pipe.toLocal8Bit().constData(), 0600), 0);
        QElapsedTimer clock;
        clock.start();
        for (const QString& path : {pipe, QStringLiteral("/dev/zero")}) {
            Problems problems;
            QVERIFY(!readJsonFile(path, problems));
            QCOMPARE(problems.size(), std::size_t(1));
            QVERIFY2(QString::fromStdString(problems.front().message).contains("not a regular file"), problems.front().message.c_str());
            problems.clear();
            QVERIFY(!readLaunchFile(path, problems));
            QVERIFY(!isScenarioFile(path));
            QVERIFY(contentHash(path).isEmpty());
        }
        std::string error;
        QVERIFY(!scenarioFileReader(folder.path())("pipe.orrery.json", error));
        QVERIFY(clock.elapsed() < 5000);
    }

    void aBrokenRecoveryFileIsPassedOver() {
        QTemporaryDir folder;
        writeFile(folder, "x.recovery.json", "{");
        writeFile(folder, "y.recovery.json", R"({"format": "orrery-recovery/1", "scenario": 3})");
        QVERIFY(RecoveryStore(folder.path()).abandoned().empty());
    }
};

ORRERY_WIDGET_TEST(DocumentTest)
#include "document_test.moc"
