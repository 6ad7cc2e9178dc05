// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/memory/holder_tree.hpp"

#include <QObject>
#include <QTimer>

#include <functional>

namespace orrery {

class Selection;

/// What holds a stage's memory at one moment, for the views of it. The stage is the chosen one, or else the fullest; the moment
/// is the shared cursor while there is one, else the chosen moment, else the stage's peak.
class MemoryHolders : public QObject {
    Q_OBJECT
public:
    using Source = std::function<std::vector<MemoryHolder>(const Result& result, int stage, double time)>;

    MemoryHolders(Selection& selection, Source source, QObject* parent = nullptr);

    void setResult(const ResultPtr& result);
    void setActive(bool active); ///< nothing is looked up while no view of it is seen
    bool isActive() const { return active_; }

    const ResultPtr& result() const { return result_; }
    int stage() const { return stage_; }  ///< -1 without a result
    double time() const { return time_; } ///< s
    bool isAtPeak() const { return atPeak_; }
    const std::vector<MemoryHolder>& holders() const { return holders_; }
    const HolderTree& tree() const { return tree_; }
    double totalBytes() const { return tree_.isEmpty() ? 0 : tree_.node(tree_.root()).bytes; }
    QString subtitle() const; ///< "stage 0 at its peak, 3.204 s"

    int chosen() const; ///< a node of the tree; the root: everything
    void choose(int node);
    void lookUpNow();                                                             ///< without waiting for the cursor to rest
    bool hasStages() const { return result_ && !result_->memory.stages.empty(); } ///< there is something to look up
    void lookUpIfDue();                                                           ///< for what is not seen but wanted, as an export

signals:
    void changed();       ///< another moment, stage or result
    void chosenChanged(); ///< comes after `changed` too

private:
    void lookUpSoon();

    Selection& selection_;
    Source source_;
    ResultPtr result_;
    bool active_ = false;
    bool due_ = true;
    int stage_ = -1;
    double time_ = 0;
    bool atPeak_ = true;
    std::vector<MemoryHolder> holders_;
    HolderTree tree_;
    QString chosenPath_;
    QTimer pause_; ///< a moved cursor comes with every mouse event
};

} // namespace orrery
