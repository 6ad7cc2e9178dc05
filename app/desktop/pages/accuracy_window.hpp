// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/manners/dialogs.hpp"
#include "core/answers/evidence/evidence.hpp"
#include "core/base/json_forward.hpp"
#include "core/results/report/result.hpp"

#include <QWidget>

#include <memory>

QT_BEGIN_NAMESPACE
class QLabel;
QT_END_NAMESPACE

namespace orrery {

class Catalog; // core/catalog
class AccuracyPage;
class Theme;

/// The accuracy page in a window of its own, with its exports.
class AccuracyWindow : public QWidget {
    Q_OBJECT
public:
    /// The catalogue must outlive the window.
    AccuracyWindow(const Catalog& catalog, const Theme& theme, const Dialogs& dialogs, QWidget* parent = nullptr);

    void setEvidence(std::shared_ptr<const Evidence> evidence);
    void setResult(const ResultPtr& result);

    AccuracyPage* page() const { return page_; }
    QString statusText() const;

    enum class Export { chart,
                        groups,
                        runs,
                        report };
    void exportAs(Export what, const QString& ending);

signals:
    void openRequested(const orrery::Json& scenario); ///< a measured run's, to be looked at in the main window

private:
    QByteArray textOf(Export what) const; ///< of those that are text

    const Catalog& catalog_;
    std::shared_ptr<const Evidence> evidence_ = std::make_shared<const Evidence>();
    const Dialogs& dialogs_;
    AccuracyPage* page_;
    QLabel* status_;
};

} // namespace orrery
