// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/help/first_run_card.hpp"

#include "app/desktop/commands/commands.hpp"

#include <QAction>
#include <QCommandLinkButton>
#include <QEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QMainWindow>
#include <QPushButton>
#include <QSettings>
#include <QVBoxLayout>

#include <vector>

namespace orrery {
namespace {

constexpr const char* seenKey = "first_run_card_seen";

/// The first lesson of the registry.
QString firstLesson(const CommandRegistry& commands) {
    for (const Command& command : commands.commands())
        if (command.id.startsWith(QLatin1String("learn.lesson."))) return command.id;
    return {};
}

} // namespace

FirstRunCard::FirstRunCard(QMainWindow& window, const CommandRegistry& commands) : QFrame(&window) {
    setObjectName(QStringLiteral("first_run_card"));
    setAttribute(Qt::WA_DeleteOnClose);
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 16, 20, 16);
    auto* title = new QLabel(tr("What would you like to do?"));
    QFont large = title->font();
    large.setPointSizeF(large.pointSizeF() * 1.3);
    large.setBold(true);
    title->setFont(large);
    layout->addWidget(title);
    struct Way {
        const char* name;
        QString title, text, command;
    };
    const std::vector<Way> ways = {
        {"way_plan", tr("&Find a plan"), tr("Try all plans of a space for this model and machine, and see the best"), QStringLiteral("simulate.search")},
        {"way_record", tr("Open a &record"), tr("Traces of PyTorch's profiler or Nsight Systems: who waits for whom, and why"), QStringLiteral("records.open")},
        {"way_lesson", tr("Take a &lesson"), tr("Say what will happen, then see it happen: twelve lessons, the first takes five minutes"), firstLesson(commands)},
    };
    for (const Way& way : ways) {
        QAction* action = commands.action(way.command);
        if (!action) continue;
        auto* button = new QCommandLinkButton(way.title, way.text);
        button->setObjectName(QLatin1String(way.name));
        // A title of four Chinese letters would make the card too narrow for its sentences.
        button->setMinimumWidth(button->fontMetrics().averageCharWidth() * 52);
        connect(button, &QAbstractButton::clicked, this, [this, action] {
            close();
            action->trigger();
        });
        layout->addWidget(button);
    }
    auto* stay = new QPushButton(tr("Look at the &example behind"));
    stay->setObjectName(QStringLiteral("way_example"));
    connect(stay, &QAbstractButton::clicked, this, &QWidget::close);
    layout->addWidget(stay, 0, Qt::AlignRight);
    window.installEventFilter(this);
    standInTheMiddle();
    QWidget::show();
    raise();
    stay->setFocus();
}

void FirstRunCard::offer(QMainWindow& window, const CommandRegistry& commands, QSettings& settings) {
    if (settings.value(seenKey).toBool()) return;
    settings.setValue(seenKey, true);
    new FirstRunCard(window, commands);
}

bool FirstRunCard::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize && watched == parent()) standInTheMiddle();
    return QFrame::eventFilter(watched, event);
}

void FirstRunCard::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) close();
    else QFrame::keyPressEvent(event);
}

void FirstRunCard::standInTheMiddle() {
    const QSize room = parentWidget()->size();
    resize(sizeHint().boundedTo(room));
    move((room.width() - width()) / 2, (room.height() - height()) / 2);
}

} // namespace orrery
