// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <QColor>
#include <QCoreApplication>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

class Selection;
class Theme;

/// Which pipeline stage each rank works in, and the colour that its square gets for it.
class RankStages {
    Q_DECLARE_TR_FUNCTIONS(orrery::RankStages)
public:
    RankStages(const Theme& theme, const Selection& shared) : theme_(theme), shared_(shared) {}

    void setResult(const ResultPtr& result); ///< null: none known
    /// Colours to show in place of the stages', by rank; empty: the stages' again.
    void setColours(const std::vector<QColor>& colours) { colours_ = colours; }

    bool showsInstances() const { return serves_; }                               ///< what is a stage elsewhere is an instance of an engine
    int shownStages() const { return colours_.empty() && !loops_ ? stages_ : 0; } ///< that squares are coloured by, and a legend tells
    QColor stageColour(int stage) const;
    const std::vector<QString>& jobs() const { return jobs_; } ///< that run beside
    QColor jobColour(int job) const;                           ///< paler than what the scenario itself runs
    QColor rankColour(int rank) const;                         ///< invalid: none known
    QStringList groupLabel(int firstRank, int lastRank) const; ///< "stage 0" where squares are coloured by stage, and shorter; empty: not known
    QString stagesOf(int firstRank, int lastRank) const;       ///< "stages 0–3"; empty: not known

private:
    static QString roleName(const std::string& role);          ///< empty: it does all
    int stageOf(int rank) const;                               ///< -1: none
    std::pair<int, int> stageRange(int first, int last) const; ///< the lowest and the highest of these ranks; -1: none
    int jobOf(int rank) const;                                 ///< -1: none
    QString jobsOf(int first, int last) const;                 ///< "beside: NAME"; empty: none
    QString roleOf(int low, int high) const;                   ///< that these instances share; empty: none, or several

    const Theme& theme_;
    const Selection& shared_;
    std::vector<std::int16_t> stageOfRank_; ///< -1: none
    std::vector<QString> roles_;            ///< of instances; empty text: it does all
    std::vector<std::int16_t> jobOfRank_;   ///< beside; -1: none
    std::vector<QString> jobs_;             ///< names of jobs beside
    int stages_ = 0;
    bool serves_ = false; ///< stages are instances of an engine
    bool loops_ = false;  ///< stages are halves of reinforcement learning, whose names say all
    std::vector<QColor> colours_;
};

} // namespace orrery
