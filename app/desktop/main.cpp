// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/exit_status.hpp"
#include "app/common/file_io.hpp"
#include "app/common/user_catalog.hpp"
#include "app/desktop/export/render_command.hpp"
#include "app/desktop/help/first_run_card.hpp"
#include "app/desktop/manners/scale_choice.hpp"
#include "app/desktop/manners/start_clock.hpp"
#include "app/desktop/manners/translations.hpp"
#include "app/desktop/window/main_window.hpp"
#include "core/catalog/catalog.hpp"
#include "resources/program_version.hpp"

#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QSettings>
#include <QStandardPaths>
#include <QTimer>

#include <cstring>
#include <iostream>

namespace {

bool haveDisplay() {
    return !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") ||
           !qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM");
}

int runWindow(QApplication& application) {
    QCommandLineParser parser;
    parser.setApplicationDescription(QCoreApplication::translate(
        "orrery::Main", "Draw a cluster, choose a model and a plan, and watch one training iteration, or requests being served.\n"
                        "“orrery render --help” tells how to draw charts without a window; “orrery-cli” has no window at all."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument("file", QCoreApplication::translate("orrery::Main", "A scenario (.orrery.json), a study (.orrery-study.json), a launch script, a model's config.json, or recorded traces, those of one job together."), "[file…]");
    const QCommandLineOption timeStart("time-start", QCoreApplication::translate("orrery::Main", "Tell how long the start took, and quit after the first result."));
    parser.addOption(timeStart);
    parser.process(application);

    orrery::Problems unread; // of the user's own tables; "orrery-cli simulate" tells of them
    const orrery::Catalog catalog = orrery::userCatalog(unread);
    QSettings settings;
    const QString state = QDir(QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation)).filePath("recovery");
    orrery::MainWindow window({catalog, settings, state, orrery::simulationSteps(catalog), orrery::systemPaletteIsDark()});
    auto* clock = new orrery::StartClock(window, parser.isSet(timeStart));
    // The window is there before anything is read or simulated.
    QObject::connect(clock, &orrery::StartClock::firstPaint, &window, [&window, &settings, &parser, paths = parser.positionalArguments(), &timeStart] {
        window.start(paths);
        if (paths.isEmpty() && !parser.isSet(timeStart)) orrery::FirstRunCard::offer(window, window.commands(), settings);
    });
    if (parser.isSet(timeStart)) {
        QObject::connect(&window, &orrery::MainWindow::resultShown, clock, [clock, &application] {
            clock->firstResult();
            QTimer::singleShot(0, &application, &QCoreApplication::quit);
        });
    }
    window.show();
    return QApplication::exec();
}

} // namespace

int main(int argc, char** argv) {
    orrery::reportFileSizeLimitAsError();
    const bool render = argc > 1 && std::strcmp(argv[1], "render") == 0;
    if (render && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    const bool onlyText = argc > 1 && (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "--version") == 0);
    if (onlyText && !haveDisplay()) qputenv("QT_QPA_PLATFORM", "offscreen");
    if (!render && !haveDisplay()) {
        std::cerr << "orrery: there is no display to open a window on. “orrery render” draws charts without one, "
                     "“orrery-cli simulate” prints the numbers.\n";
        return orrery::exit_internal;
    }
    QCoreApplication::setOrganizationName("orrery");
    QCoreApplication::setApplicationName("orrery");
    QCoreApplication::setApplicationVersion(QString::fromStdString(orrery::versionWords()));
    if (!render) orrery::applyScale(orrery::scaleIn(QSettings()));
    QApplication application(argc, argv);
    QGuiApplication::setDesktopFileName("org.orrery.Orrery");
    orrery::installTranslations(application, orrery::languageIn(QSettings()));
    QApplication::setWindowIcon(QIcon(":/orrery/orrery.svg"));
    try {
        return render ? orrery::runRender(QCoreApplication::arguments().mid(2)) : runWindow(application);
    } catch (const std::exception& fault) {
        std::cerr << "orrery: internal fault: " << fault.what() << '\n';
        return orrery::exit_internal;
    }
}
