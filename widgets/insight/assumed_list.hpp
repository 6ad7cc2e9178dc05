// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <QWidget>

#include <vector>

QT_BEGIN_NAMESPACE
class QStackedWidget;
QT_END_NAMESPACE

namespace orrery {

class AssumedModel;
class LinkTable;
class Theme;

/// The values that the user left out and that were filled in, with the reason. "set explicitly" writes one into the
/// scenario; Enter or a double click leads to its place.
class AssumedList : public QWidget {
    Q_OBJECT
public:
    explicit AssumedList(const Theme& theme, QWidget* parent = nullptr);

    AssumedModel* model() const { return model_; }
    LinkTable* view() const { return view_; }

public slots:
    void setResult(const orrery::ResultPtr& result);

signals:
    void goTo(const QString& pointer);
    void editRequested(const QString& undoText, const std::vector<orrery::ScenarioEdit>& edits);

private:
    AssumedModel* model_;
    LinkTable* view_;
    QStackedWidget* stack_;
};

} // namespace orrery
