// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/calibration/serving_fit.hpp"

#include "core/answers/calibration/least_squares.hpp"
#include "core/answers/validation/predictor.hpp"
#include "core/base/json.hpp"
#include "core/base/parallel.hpp"
#include "core/catalog/catalog.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>

namespace orrery {
namespace {

/// A slope is taken over this much of a constant's logarithm. That is large beside what one step more or less does to a served request.
constexpr double step = 0.2;

/// How far off a group's predictions are expected to be (logarithm). One stack on one testbed errs alike, so a group counts as one
/// observation; the priors weigh against it.
constexpr double groupError = 0.15;

struct ServedCase {
    MeasuredCase measured;
    std::size_t profile = 0;
};

bool forInference(const FrameworkProfile& profile) { return std::find(profile.use.begin(), profile.use.end(), "inference") != profile.use.end(); }

double inUnit(const FittedConstant<ServingProfile>& constant, const FrameworkProfile& profile) { return profile.serving.*constant.member / constant.scale; }

/// One measured figure, with what a constant's logarithm does to the logarithm of its prediction.
struct Row {
    std::size_t group = 0, profile = 0;
    double measured = 0;  ///< logarithm
    double predicted = 0; ///< logarithm, where the slopes were taken
    std::vector<double> slopes;
};

class ServingFit {
public:
    ServingFit(const std::vector<MeasuredCase>& cases, const Catalog& catalog, const FileReader& readFile, const RunControl& control)
        : catalog_(catalog), readFile_(readFile), control_(control) {
        std::vector<std::string> profileOf(cases.size());
        forEachIndex(cases.size(), control.threads, [&](std::size_t index) {
            try {
                const ScenarioReading reading = readScenario(cases[index].scenario, catalog_, readFile_);
                if (reading.scenario && !reading.scenario->isTraining()) profileOf[index] = reading.scenario->execution.profile.id;
            } catch (const std::exception&) { // a fault with one case is that case's alone: its validation names it
            }
        });
        for (std::size_t index = 0; index < cases.size(); ++index) {
            const FrameworkProfile* listed = catalog_.framework(profileOf[index]);
            if (listed == nullptr) continue;
            cases_.push_back({cases[index], placeOf(profileOf[index], profiles_)});
            placeOf(cases[index].group, groups_);
        }
        for (const FittedConstant<ServingProfile>& constant : servingConstants()) priors_.push_back(middle(constant));
        for (const std::string& profile : profiles_)
            for (std::size_t i = 0; i < priors_.size(); ++i) {
                const double own = inUnit(servingConstants()[i], *catalog_.framework(profile));
                at_.push_back(own > 0 ? std::log(own) : priors_[i]);
            }
    }

    std::vector<LeftOutFit> run() {
        std::vector<LeftOutFit> folds;
        if (cases_.empty()) return folds;
        linearise();
        at_ = fitWithout(groups_.size());
        linearise();
        for (std::size_t group = 0; group < groups_.size(); ++group) folds.push_back({groups_[group], calibrationAt(fitWithout(group))});
        return folds;
    }

private:
    static std::size_t placeOf(const std::string& name, std::vector<std::string>& list) {
        const auto found = std::find(list.begin(), list.end(), name);
        if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
        list.push_back(name);
        return list.size() - 1;
    }

    /// Mean logarithm over the catalogue's profiles that serve.
    double middle(const FittedConstant<ServingProfile>& constant) const {
        double sum = 0;
        int count = 0;
        for (const FrameworkProfile& profile : catalog_.frameworks()) {
            const double value = inUnit(constant, profile);
            if (!forInference(profile) || !(value > 0)) continue;
            sum += std::log(value);
            ++count;
        }
        return count > 0 ? sum / count : std::log(std::sqrt(constant.low * constant.high));
    }

    Calibration calibrationAt(const std::vector<double>& at) const {
        Calibration calibration = catalog_.calibration();
        for (std::size_t profile = 0; profile < profiles_.size(); ++profile) {
            auto entry = std::find_if(calibration.profiles.begin(), calibration.profiles.end(), [&](const CalibrationEntry& one) { return one.id == profiles_[profile]; });
            if (entry == calibration.profiles.end()) {
                calibration.profiles.push_back({profiles_[profile], {}, {}, 0});
                entry = calibration.profiles.end() - 1;
            }
            for (std::size_t i = 0; i < priors_.size(); ++i) entry->constants[servingConstants()[i].name] = fewDigits(std::exp(at[profile * priors_.size() + i]));
        }
        return calibration;
    }

    Validation predictions(const std::vector<double>& at) const {
        const Catalog calibrated = catalog_.withCalibration(calibrationAt(at));
        std::vector<MeasuredCase> measured;
        measured.reserve(cases_.size());
        for (const ServedCase& one : cases_) measured.push_back(one.measured);
        return validate(measured, scenarioPredictor(calibrated, readFile_, control_.memoryCeiling), control_);
    }

    void linearise() {
        const Validation here = predictions(at_);
        std::vector<Validation> moved;
        for (std::size_t constant = 0; constant < priors_.size(); ++constant) {
            std::vector<double> there = at_;
            for (std::size_t profile = 0; profile < profiles_.size(); ++profile) there[profile * priors_.size() + constant] += step;
            moved.push_back(predictions(there));
        }
        std::map<std::string, std::size_t> caseOf;
        for (std::size_t i = 0; i < cases_.size(); ++i) caseOf[cases_[i].measured.id] = i;
        const auto logarithm = [](const ScoredRow& row) { return row.predicted.is_number() ? std::log(row.predicted.get<double>()) : NAN; };
        rows_.clear();
        for (std::size_t i = 0; i < here.rows.size(); ++i) {
            const ServedCase& of = cases_[caseOf.at(here.rows[i].id)];
            Row row{placeOf(of.measured.group, groups_), of.profile, here.rows[i].measured.is_number() ? std::log(here.rows[i].measured.get<double>()) : NAN, logarithm(here.rows[i]), {}};
            bool finite = std::isfinite(row.measured) && std::isfinite(row.predicted);
            for (const Validation& one : moved) {
                row.slopes.push_back((logarithm(one.rows[i]) - row.predicted) / step);
                finite = finite && std::isfinite(row.slopes.back());
            }
            if (finite) rows_.push_back(std::move(row));
        }
    }

    /// The constants' logarithms by all groups but one; `groups_.size()` leaves none out. Each group has the same weight.
    std::vector<double> fitWithout(std::size_t group) const {
        std::vector<const Row*> rows;
        std::map<std::size_t, double> inGroup;
        for (const Row& row : rows_) {
            if (row.group == group) continue;
            rows.push_back(&row);
            ++inGroup[row.group];
        }
        std::vector<double> weights;
        weights.reserve(rows.size());
        for (const Row* row : rows) weights.push_back(1 / inGroup[row->group]);
        std::vector<Unknown> unknowns;
        for (std::size_t i = 0; i < at_.size(); ++i) {
            const FittedConstant<ServingProfile>& constant = servingConstants()[i % priors_.size()];
            unknowns.push_back({priors_[i % priors_.size()], std::log(constant.low), std::log(constant.high), priors_[i % priors_.size()], constant.spread});
        }
        const auto residuals = [&](const std::vector<double>& at, bool withSlopes) {
            std::vector<Residual> list(rows.size());
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const Row& row = *rows[i];
                list[i].value = row.predicted - row.measured;
                for (std::size_t k = 0; k < priors_.size(); ++k) {
                    const std::size_t unknown = row.profile * priors_.size() + k;
                    list[i].value += row.slopes[k] * (at[unknown] - at_[unknown]);
                    if (withSlopes) list[i].slopes.emplace_back(unknown, row.slopes[k]);
                }
            }
            return list;
        };
        LeastSquaresOptions options;
        options.priorWeight = groupError * groupError;
        return leastSquares(unknowns, weights, residuals, options).unknowns;
    }

    const Catalog& catalog_;
    const FileReader& readFile_;
    const RunControl& control_;
    std::vector<ServedCase> cases_;
    std::vector<std::string> profiles_, groups_;
    std::vector<double> priors_; ///< by constant: logarithm
    std::vector<double> at_;     ///< by profile and constant: logarithms where `rows_` are linear
    std::vector<Row> rows_;
};

} // namespace

std::vector<LeftOutFit> fitServingWithoutEachGroup(const std::vector<MeasuredCase>& cases, const Catalog& catalog, const FileReader& readFile,
                                                   const RunControl& control) {
    return ServingFit(cases, catalog, readFile, control).run();
}

} // namespace orrery
