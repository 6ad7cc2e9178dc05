#pragma once

#include "app/desktop/status_pill.hpp"

#include <QFrame>

class QLabel;

namespace orrery {

/// The row under the menus: which scenario this is, whether it is saved, and how the numbers stand.
class TitleRow : public QFrame {
    Q_OBJECT
public:
    explicit TitleRow(const Theme& theme, QWidget* parent = nullptr);

    void setTitle(const QString& fileName, const QString& toolTip);
    void setModified(bool modified);
    void setDescription(const QString& text); ///< the scenario's own name, in secondary ink
    StatusPill& pill() { return *pill_; }

private:
    void takeFonts();
    void elide();
    void resizeEvent(QResizeEvent* event) override;

    const Theme& theme_;
    QLabel* name_;
    QLabel* modified_;
    QLabel* description_;
    StatusPill* pill_;
    QString descriptionText_;
};

} // namespace orrery
