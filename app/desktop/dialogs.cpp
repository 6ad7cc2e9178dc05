#include "app/desktop/dialogs.hpp"

#include <QCoreApplication>
#include <QFileDialog>
#include <QMessageBox>

namespace orrery {

Dialogs systemDialogs(QWidget* window) {
    Dialogs dialogs;
    dialogs.openFile = [window](const QString& title, const QString& folder, const QString& filter) {
        return QFileDialog::getOpenFileName(window, title, folder, filter);
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
    return dialogs;
}

} // namespace orrery
