// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/study/study.hpp"
#include "core/scenario/reader/reader.hpp"

#include <QObject>

#include <stop_token>
#include <thread>

namespace orrery {

class Catalog; // core/catalog

/// Simulates a study's scenarios one after the other in a thread of its own.
class StudyWorker : public QObject {
    Q_OBJECT
public:
    explicit StudyWorker(const Catalog& catalog, QObject* parent = nullptr); ///< the catalogue outlives it
    ~StudyWorker() override;                                                 ///< asks the run to stop and waits for it

    /// Starts over. What an older study still delivers is dropped.
    void run(Study study, FileReader readFile);
    bool isRunning() const { return running_; }

signals:
    // Both come in the thread that owns the worker.
    void advanced(const orrery::StudyResultPtr& result); ///< what is there so far; the first has every point and no outcome
    void finished(const orrery::StudyResultPtr& result, double seconds);

private:
    void post(quint64 generation, std::function<void()> deliver);

    const Catalog& catalog_;
    quint64 generation_ = 0; ///< owner's thread only
    bool running_ = false;   ///< owner's thread only
    std::jthread thread_;
};

} // namespace orrery
