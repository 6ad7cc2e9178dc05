// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/manners/dialogs.hpp"

#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QMessageBox>
#include <QPushButton>

namespace orrery {

Dialogs systemDialogs(QWidget* window) {
    Dialogs dialogs;
    dialogs.openFile = [window](const QString& title, const QString& folder, const QString& filter) {
        return QFileDialog::getOpenFileName(window, title, folder, filter);
    };
    dialogs.openFiles = [window](const QString& title, const QString& folder, const QString& filter) {
        return QFileDialog::getOpenFileNames(window, title, folder, filter);
    };
    dialogs.saveFile = [window](const QString& title, const QString& suggestion, const QString& filter) {
        return QFileDialog::getSaveFileName(window, title, suggestion, filter);
    };
    dialogs.folder = [window](const QString& title, const QString& start) { return QFileDialog::getExistingDirectory(window, title, start); };
    dialogs.unsaved = [window](const QString& name) {
        QMessageBox box(window);
        box.setIcon(QMessageBox::NoIcon);
        box.setText(QCoreApplication::translate("orrery::Dialogs", "Save the changes to %1?").arg(name));
        box.setInformativeText(QCoreApplication::translate("orrery::Dialogs", "They are lost otherwise."));
        box.setStandardButtons(QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel);
        box.setDefaultButton(QMessageBox::Save);
        switch (box.exec()) {
        case QMessageBox::Save: return UnsavedChoice::save;
        case QMessageBox::Discard: return UnsavedChoice::discard;
        default: return UnsavedChoice::cancel;
        }
    };
    dialogs.changedOnDisk = [window](const QString& path) {
        QMessageBox box(window);
        box.setIcon(QMessageBox::NoIcon);
        box.setText(QCoreApplication::translate("orrery::Dialogs", "%1 was changed by someone else.").arg(QFileInfo(path).fileName()));
        box.setInformativeText(QCoreApplication::translate("orrery::Dialogs", "Saving puts this window's scenario in its place; what was changed there is lost then."));
        const QAbstractButton* overwrite = box.addButton(QCoreApplication::translate("orrery::Dialogs", "Overwrite"), QMessageBox::DestructiveRole);
        QPushButton* elsewhere = box.addButton(QCoreApplication::translate("orrery::Dialogs", "Save elsewhere…"), QMessageBox::AcceptRole);
        box.addButton(QMessageBox::Cancel);
        box.setDefaultButton(elsewhere);
        box.exec();
        if (box.clickedButton() == overwrite) return OverwriteChoice::overwrite;
        return box.clickedButton() == static_cast<QAbstractButton*>(elsewhere) ? OverwriteChoice::save_elsewhere : OverwriteChoice::cancel;
    };
    dialogs.readOutside = [window](const QStringList& paths) {
        QMessageBox box(window);
        box.setIcon(QMessageBox::NoIcon);
        box.setTextFormat(Qt::PlainText);
        box.setText(QCoreApplication::translate("orrery::Dialogs", "This scenario names files outside its own folder. Read them?"));
        constexpr qsizetype mostListed = 10;
        box.setInformativeText(paths.mid(0, mostListed).join(QLatin1Char('\n')) + (paths.size() > mostListed ? QStringLiteral("\n…") : QString()));
        const QAbstractButton* read = box.addButton(QCoreApplication::translate("orrery::Dialogs", "Read them"), QMessageBox::AcceptRole);
        QPushButton* leave = box.addButton(QCoreApplication::translate("orrery::Dialogs", "Don't read"), QMessageBox::RejectRole);
        box.setDefaultButton(leave);
        box.exec();
        return box.clickedButton() == read;
    };
    dialogs.number = [window](const QString& title, const QString& label, double value, double least, double most) -> std::optional<double> {
        bool accepted = false;
        const double given = QInputDialog::getDouble(window, title, label, value, least, most, 1, &accepted);
        return accepted ? std::optional(given) : std::nullopt;
    };
    dialogs.wholeNumber = [window](const QString& title, const QString& label, int value, int least, int most) -> std::optional<int> {
        bool accepted = false;
        const int given = QInputDialog::getInt(window, title, label, value, least, most, 1, &accepted);
        return accepted ? std::optional(given) : std::nullopt;
    };
    return dialogs;
}

} // namespace orrery
