// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/base/problem.hpp"

#include <QAbstractButton>
#include <QLabel>
#include <QPixmap>
#include <QString>
#include <QTextDocument>
#include <QWidget>

#include <cmath>

namespace orrery::test {

/// The contract's first example as a document.
inline Json exampleDocument() {
    return Json::parse(R"({
      "format": "orrery-scenario/1", "name": "llama-3.1-70b-64-h100",
      "model": {"preset": "llama-3.1-70b"},
      "cluster": {"accelerator": "h100-sxm", "accelerators_per_node": 8, "nodes": 8},
      "workload": {"kind": "training", "sequence_length": 8192, "global_batch_size": 128, "micro_batch_size": 1, "precision": "bf16"},
      "parallelism": {"tensor": 8, "sequence": true, "pipeline": 2, "zero_stage": 1}
    })");
}

/// Applies edits as the document does: replace or add, null removes.
inline void apply(Json& document, const std::vector<ScenarioEdit>& edits) {
    for (const ScenarioEdit& edit : edits) {
        const Json::json_pointer place(edit.pointer);
        if (!edit.value->is_null()) document[place] = edit.value;
        else if (document.contains(place)) document.at(place.parent_pointer()).erase(place.back());
    }
}

/// Everything of a widget's labels and buttons whose text needs more room than it has, as sentences.
inline QStringList cutTexts(const QWidget& root) {
    QStringList cut;
    const auto tell = [&](const QWidget& widget, const QString& text, int needed, int has) {
        if (needed > has) cut.append(QStringLiteral("“%1” needs %2 px and has %3 (%4)").arg(text).arg(needed).arg(has).arg(widget.objectName()));
    };
    for (const QLabel* label : root.findChildren<QLabel*>()) {
        if (!label->isVisible() || label->text().isEmpty()) continue;
        if (label->wordWrap()) {
            tell(*label, label->text() + QStringLiteral(" (height)"), label->heightForWidth(label->width()), label->height());
            QTextDocument words;
            words.setDefaultFont(label->font());
            words.setDocumentMargin(0);
            words.setHtml(label->text());
            tell(*label, label->text(), static_cast<int>(std::ceil(words.idealWidth() > label->width() ? [&] {
                words.setTextWidth(label->width());
                return words.idealWidth();
            }()
                                                                                                       : 0)),
                 label->width());
        } else {
            tell(*label, label->text(), label->sizeHint().width(), label->width());
        }
    }
    for (const QAbstractButton* button : root.findChildren<QAbstractButton*>()) {
        if (!button->isVisible() || button->text().isEmpty()) continue;
        tell(*button, button->text(), button->sizeHint().width(), button->width());
        tell(*button, button->text() + QStringLiteral(" (height)"), button->minimumSizeHint().height(), button->height());
    }
    return cut;
}

/// Saves a picture for people to look at, where the environment asks for them.
inline void picture(QWidget& widget, const QString& name) {
    const QString folder = qEnvironmentVariable("ORRERY_SCREENSHOTS");
    if (!folder.isEmpty()) widget.grab().save(folder + QLatin1Char('/') + name + QStringLiteral(".png"));
}

} // namespace orrery::test
