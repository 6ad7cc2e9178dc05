// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/results/report/result.hpp"
#include "core/scenario/reader/reader.hpp"
#include "widgets/recorded/shown_records.hpp"

#include <QObject>
#include <QString>

#include <cstdint>
#include <functional>
#include <map>
#include <thread>
#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// Reads recorded traces in a thread of its own, and lays them out.
class RecordWorker : public QObject {
    Q_OBJECT
public:
    explicit RecordWorker(QObject* parent = nullptr);
    ~RecordWorker() override; ///< asks the reading to stop and waits for it

    /// Reads files of the ranks of one job, their kernels sorted by the rules. What an older request still delivers is dropped.
    void read(const QStringList& paths, CommunicationRules rules = shippedCommunicationRules());
    /// Sorts the kernels of what was read by other rules, and lays it out again; records of which the rules say nothing new are shared.
    void sortAgain(const ShownRecordsPtr& records, CommunicationRules rules);
    /// Lays out again what was read, with ranks that somebody said; by file.
    void tellRanks(const ShownRecordsPtr& records, const std::map<std::string, std::int64_t>& ranks);
    /// Runs a scenario with its hybrid, and lays its ranks out.
    void answer(const Json& document, const Catalog& catalog, FileReader readFile);
    /// Puts what a scenario without its hybrid gave beside one of the ranks; `place` -1: takes it away again.
    void putBeside(const ShownRecordsPtr& records, int place, const ResultPtr& result, const Json& document, const Catalog& catalog, FileReader readFile);
    void cancel();
    bool isRunning() const { return running_; }

signals:
    // All come in the thread that owns the worker.
    void progressed(const QString& file, double fraction); ///< of all that is to do
    void finished(const orrery::ShownRecordsPtr& records);
    void cancelled();

private:
    using Report = std::function<void(const QString& file, double fraction)>;
    void run(std::function<ShownRecordsPtr(const std::stop_token&, const Report&)> work);
    void post(quint64 generation, std::function<void()> deliver);

    quint64 generation_ = 0; ///< owner's thread only
    bool running_ = false;   ///< owner's thread only
    std::jthread thread_;
};

} // namespace orrery
