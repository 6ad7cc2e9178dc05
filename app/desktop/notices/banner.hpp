// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

#include <functional>
#include <vector>

class QLabel;
class QHBoxLayout;

namespace orrery {

class Theme;

/// One line across the window that says what is the matter and offers what would do, without stopping anybody.
class Banner : public QFrame {
    Q_OBJECT
public:
    enum class Tone { error,
                      warning,
                      note };
    struct Choice {
        QString text;
        std::function<void()> run;
    };

    explicit Banner(const Theme& theme, QWidget* parent = nullptr);

    /// `mend` stands after the message in secondary ink. A closable banner has a button that takes it away.
    void showMessage(Tone tone, const QString& message, const QString& mend, std::vector<Choice> choices, bool closable);
    void dismiss();
    QString message() const;

private:
    void paint();

    const Theme& theme_;
    Tone tone_ = Tone::note;
    QLabel* message_;
    QLabel* mend_;
    QHBoxLayout* buttons_;
};

} // namespace orrery
