// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>

namespace orrery {

class Theme;

/// A title that is edited where it stands: looks like a label until it is clicked or reached by Tab. Enter or leaving takes the
/// text, Escape puts the old one back. Where there is no room it ends in an ellipsis.
class TitleEdit : public QLineEdit {
    Q_OBJECT
public:
    explicit TitleEdit(const Theme& theme, QWidget* parent = nullptr);

    const QString& title() const { return title_; }
    void setTitle(const QString& title); ///< a title that is being edited keeps what was typed

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void renamed(const QString& title);

protected:
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void showTitle();
    void take();

    const Theme& theme_;
    QString title_;
};

} // namespace orrery
