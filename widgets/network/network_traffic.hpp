// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/network_report.hpp"
#include "core/results/report/result.hpp"

#include <QObject>
#include <QString>
#include <QTimer>

#include <memory>
#include <vector>

namespace orrery {

class Selection;

using NetworkReportPtr = std::shared_ptr<const NetworkReport>;

/// What the links of a result carry in the time that the views look at: the chosen range where there is one, else the
/// cursor's moment, else the whole iteration. Computed once for all views, at most once a frame.
class NetworkTraffic : public QObject {
    Q_OBJECT
public:
    enum class Scope { moment,
                       range,
                       iteration };

    explicit NetworkTraffic(Selection& selection, QObject* parent = nullptr);

    bool isKnown() const { return network_ != nullptr && !network_->links.empty(); }
    const ResultPtr& result() const { return result_; }
    const NetworkReport& network() const { return *network_; } ///< only where isKnown()
    const Timeline& timeline() const { return result_->timeline; }
    const std::vector<LinkLoad>& loads() const { return loads_; } ///< by link of the report

    Scope scope() const { return scope_; }
    double from() const { return from_; } ///< s into the iteration
    double to() const { return to_; }
    QString scopeText() const; ///< "at 12.3 ms", "mean over 3.10–9.04 ms", "whole iteration"

    /// Links that the chosen operator sends over, by link of the report; empty while no operator that sends is chosen.
    const std::vector<bool>& lit() const { return lit_; }
    QString litText() const { return litText_; } ///< "all-gather, tensor · ring, 2 hops"

    /// The whole iteration, whatever is chosen in time.
    bool alwaysWhole() const { return alwaysWhole_; }
    void setAlwaysWhole(bool whole);

    void updateNow(); ///< without waiting for the frame

public slots:
    void setResult(const orrery::ResultPtr& result, const orrery::NetworkReportPtr& network);

signals:
    void replaced(); ///< another report; `changed` and `litChanged` follow
    void changed();  ///< other loads
    void litChanged();

private:
    void updateSoon();
    void updateLit();

    Selection& selection_;
    ResultPtr result_;
    NetworkReportPtr network_;
    std::vector<LinkLoad> loads_;
    Scope scope_ = Scope::iteration;
    double from_ = 0;
    double to_ = 0;
    bool alwaysWhole_ = false;
    std::vector<bool> lit_;
    QString litText_;
    QTimer pending_; ///< the cursor moves with every mouse event: loads follow once a frame
};

} // namespace orrery

Q_DECLARE_METATYPE(orrery::NetworkReportPtr)
