// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/background/explore_worker.hpp"
#include "app/desktop/background/simulation_worker.hpp"
#include "core/base/boxed_json.hpp"
#include "core/results/report/result.hpp"

#include <QObject>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace orrery {

/// Results of several scenarios beside the one that is looked at: a document's variants. What was computed is kept as long as one of them asks
/// for it, so that an edit of one runs one; a result of a scenario that nobody asks for any more is dropped, even if it comes in late.
class VariantRuns : public QObject {
    Q_OBJECT
public:
    explicit VariantRuns(SimulationSteps steps, QObject* parent = nullptr);

    /// Says which scenarios are wanted, in order. Nothing runs before `start`.
    void want(std::vector<BoxedJson> documents, FileReader readFile, double memoryCeiling);
    /// The result of one of them that came from elsewhere.
    void take(const Json& document, const ResultPtr& result);
    /// Runs those without a result, in the background, one after the other.
    void start();
    void cancel() { worker_.cancel(); }
    bool isRunning() const { return worker_.isRunning(); }

    ResultPtr result(std::size_t index) const;      ///< null: not yet, or see `problem`
    QString problem(std::size_t index) const;       ///< why there is no result; empty: it is on its way
    static std::string keyOf(const Json& document); ///< what a simulation looks at

signals:
    void changed(); ///< another one has its result

private:
    struct Run {
        ResultPtr result;
        QString problem;
    };
    const Run* find(std::size_t index) const;
    void keep(const std::string& key, Run run);

    SimulationSteps steps_;
    std::vector<std::string> keys_; ///< of what is wanted
    std::vector<BoxedJson> documents_;
    FileReader readFile_;
    double memoryCeiling_ = 0;
    std::map<std::string, Run> runs_;
    std::set<std::string> started_; ///< what the worker is at
    ExploreWorker worker_;
};

} // namespace orrery
