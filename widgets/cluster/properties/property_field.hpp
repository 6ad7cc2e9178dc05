// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/base/problem.hpp"

#include <QWidget>

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;

namespace orrery {

class Theme;

/// What a typed text means: a value for the document (null: back to the default), or why it can't be one.
using TypedValue = std::variant<Json, QString>;

/// Readers of typed text; out of range or not a number gives a sentence that says what would do.
TypedValue readWhole(const QString& text, int least, int most);
TypedValue readNumber(const QString& text, double least, double most, bool zeroAllowed);
/// GB/s; "400 Gb/s" is taken as 50.
TypedValue readBandwidth(const QString& text);

/// A labelled field of the properties panel: text with its unit or a choice, what is wrong with it below.
///
/// A value is taken when it is finished (Enter, or the focus leaves) and sound; else the field says what is wrong and the
/// document stays as it was.
class PropertyField : public QWidget {
    Q_OBJECT
public:
    struct Choice {
        QString name;
        Json value;
    };

    PropertyField(const QString& label, const QString& unit, const Theme& theme, QWidget* parent = nullptr);

    void setReader(std::function<TypedValue(const QString&)> reader) { reader_ = std::move(reader); }
    void setChoices(const std::vector<Choice>& choices);
    void setHintMaker(std::function<QString(double)> hint) { hint_ = std::move(hint); } ///< "= 400 Gb/s"
    void setPointers(std::vector<std::string> pointers) { pointers_ = std::move(pointers); }
    const std::vector<std::string>& pointers() const { return pointers_; }

    /// Shows a value of the document; nothing: several that differ. A field that is being typed in keeps its text.
    void setValue(const std::optional<Json>& value);
    void setPlaceholder(const QString& text); ///< what an empty field stands for
    void setProblem(const Problem* problem);  ///< from outside; null: none
    bool hasError() const;
    QLineEdit* edit() const { return edit_; }
    QComboBox* combo() const { return combo_; }

signals:
    void valueChanged(const Json& value); ///< null: remove the key

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void commit();
    void showMessage();
    void showHint(const QString& text);

    const Theme& theme_;
    QLineEdit* edit_ = nullptr;
    QComboBox* combo_ = nullptr;
    QLabel* unit_ = nullptr;
    QLabel* message_ = nullptr;
    std::vector<Choice> choices_;
    std::function<TypedValue(const QString&)> reader_;
    std::function<QString(double)> hint_;
    std::vector<std::string> pointers_;
    QString shown_;    ///< the document's value as text
    QString wrong_;    ///< what is wrong with the typed text
    QString hintText_; ///< "= 400 Gb/s"
    QString problem_;  ///< what the scenario's check says
    bool problemIsError_ = false;
};

} // namespace orrery
