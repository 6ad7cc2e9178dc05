// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/calibration/fit.hpp"

#include "core/answers/calibration/least_squares.hpp"
#include "core/base/parallel.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>
#include <type_traits>

namespace orrery {
namespace {

constexpr double catalogueWeight = 1; ///< of the catalogue's value in the middle of the fitted ones
constexpr int digits = 4;             ///< significant ones that a fitted value is written with

template <typename Owner>
double inUnit(const FittedConstant<Owner>& constant, const Owner& owner) {
    return owner.*constant.member / constant.scale;
}

/// What a place stands for, whichever table it is in.
struct PlaceFacts {
    const char* name = "";
    double low = 0, high = 0, spread = 1;
    bool ofCatalogue = false;
};

PlaceFacts factsOf(const FitPlace& place) {
    const auto facts = [](const auto& row) { return PlaceFacts{row.name, row.low, row.high, row.spread, row.ofCatalogue}; };
    return place.ofGeneration ? facts(generationConstants()[place.constant]) : facts(profileConstants()[place.constant]);
}

class Fit {
public:
    Fit(std::vector<CaseModel>& cases, const Calibration& start, const FitOptions& options, const RunControl& control)
        : cases_(cases), options_(options), control_(control), calibration_(start) {
        drop(options.unfitted);
        for (const auto& [name, value] : options.held) drop({name});
        findPlaces();
        weigh();
    }

    ConstantFit run() {
        ConstantFit result;
        std::vector<double> at;
        for (std::size_t i = 0; i < places_.size(); ++i) at.push_back(startOf(i));
        LeastSquaresFit fit;
        for (int round = 0; round < std::max(1, options_.pooling); ++round) {
            std::vector<Unknown> unknowns;
            for (std::size_t i = 0; i < places_.size(); ++i) {
                const PlaceFacts facts = factsOf(places_[i]);
                unknowns.push_back({at[i], std::log(facts.low), std::log(facts.high), std::clamp(center(i), std::log(facts.low), std::log(facts.high)), facts.spread});
            }
            fit = leastSquares(
                unknowns, weights_, [this](const std::vector<double>& x, bool slopes) { return residuals(x, slopes); }, options_.squares);
            at = fit.unknowns;
            result.iterations += fit.iterations;
            pool(fit);
        }
        write(fit);
        result.calibration = calibration_;
        if (!options_.slopes) result.slopes = {places_, lastSlopes_};
        result.evaluations = evaluations_;
        return result;
    }

private:
    void drop(const std::vector<std::string>& names) {
        for (const std::string& name : names) {
            for (CalibrationEntry& entry : calibration_.generations) entry.constants.erase(name);
            for (CalibrationEntry& entry : calibration_.profiles) entry.constants.erase(name);
            calibration_.pooledGeneration.erase(name);
            calibration_.pooledProfile.erase(name);
        }
    }

    bool mayMove(const char* name) const {
        return options_.held.count(name) == 0 && std::find(options_.unfitted.begin(), options_.unfitted.end(), name) == options_.unfitted.end();
    }

    bool counts(const CaseModel& model) const { return options_.leftOut.empty() || model.group() != options_.leftOut; }

    /// Places of the entries that any case is of, in the order of the calibration; the catalogue's value of each, the middle of the
    /// machines in use.
    void findPlaces() {
        std::map<std::string, std::size_t> generations, profiles;
        for (std::size_t i = 0; i < calibration_.generations.size(); ++i)
            for (const std::string& accelerator : calibration_.generations[i].accelerators) generations[accelerator] = i;
        for (std::size_t i = 0; i < calibration_.profiles.size(); ++i) profiles[calibration_.profiles[i].id] = i;
        for (const CaseModel& model : cases_) {
            const auto generation = generations.find(model.accelerator());
            const auto profile = profiles.find(model.profile());
            generationOf_.push_back(generation == generations.end() ? none : generation->second);
            profileOf_.push_back(profile == profiles.end() ? none : profile->second);
        }
        for (std::size_t entry = 0; entry < calibration_.generations.size(); ++entry)
            for (std::size_t row = 0; row < generationConstants().size(); ++row) addPlace({true, entry, row}, generationConstants()[row], generationOf_);
        for (std::size_t entry = 0; entry < calibration_.profiles.size(); ++entry)
            for (std::size_t row = 0; row < profileConstants().size(); ++row) addPlace({false, entry, row}, profileConstants()[row], profileOf_);
        // Slopes of a fit with other unknowns are of no use.
        if (options_.slopes) {
            std::map<std::tuple<bool, std::size_t, std::size_t>, std::size_t> mine;
            for (std::size_t i = 0; i < places_.size(); ++i) mine[{places_[i].ofGeneration, places_[i].entry, places_[i].constant}] = i;
            lastSlopes_.resize(cases_.size());
            for (std::size_t index = 0; index < cases_.size(); ++index)
                for (const auto& [place, slope] : options_.slopes->ofCase[index]) {
                    const FitPlace& other = options_.slopes->places[place];
                    const auto found = mine.find({other.ofGeneration, other.entry, other.constant});
                    if (found != mine.end()) lastSlopes_[index].emplace_back(found->second, slope);
                }
        }
    }

    template <typename Owner>
    void addPlace(const FitPlace& place, const FittedConstant<Owner>& constant, const std::vector<std::size_t>& entryOf) {
        if (!mayMove(constant.name)) return;
        double sum = 0;
        int count = 0;
        std::vector<std::size_t> felt;
        for (std::size_t index = 0; index < cases_.size(); ++index) {
            if (entryOf[index] != place.entry || !cases_[index].feels(constant)) continue;
            felt.push_back(index);
            if constexpr (std::is_same_v<Owner, KernelConstants>) sum += std::log(inUnit(constant, cases_[index].plainMachine()));
            else sum += std::log(inUnit(constant, cases_[index].plainProfile()));
            ++count;
        }
        if (count == 0) return;
        feltBy_.resize(cases_.size());
        for (const std::size_t index : felt) feltBy_[index].push_back(places_.size());
        places_.push_back(place);
        catalogue_.push_back(sum / count);
    }

    void weigh() {
        std::map<std::string, int> inGroup;
        for (const CaseModel& model : cases_)
            if (counts(model)) ++inGroup[model.group()];
        for (std::size_t index = 0; index < cases_.size(); ++index) {
            if (!counts(cases_[index])) continue;
            rows_.push_back(index);
            weights_.push_back(1.0 / inGroup[cases_[index].group()]);
        }
        feltBy_.resize(cases_.size());
    }

    CalibrationEntry& entryOf(const FitPlace& place) { return place.ofGeneration ? calibration_.generations[place.entry] : calibration_.profiles[place.entry]; }
    ConstantValues& pooledOf(const FitPlace& place) { return place.ofGeneration ? calibration_.pooledGeneration : calibration_.pooledProfile; }

    /// Logarithm of the pooled value for the place.
    double center(std::size_t i) {
        const PlaceFacts facts = factsOf(places_[i]);
        const ConstantValues& pooled = pooledOf(places_[i]);
        const auto found = pooled.find(facts.name);
        if (found == pooled.end()) return catalogue_[i];
        return std::log(found->second) + (facts.ofCatalogue ? catalogue_[i] : 0);
    }

    double startOf(std::size_t i) {
        const ConstantValues& own = entryOf(places_[i]).constants;
        const auto found = own.find(factsOf(places_[i]).name);
        return found == own.end() ? center(i) : std::log(found->second);
    }

    void put(const std::vector<double>& at, Calibration& calibration) const {
        for (std::size_t i = 0; i < places_.size(); ++i) {
            CalibrationEntry& entry = places_[i].ofGeneration ? calibration.generations[places_[i].entry] : calibration.profiles[places_[i].entry];
            entry.constants[factsOf(places_[i]).name] = std::exp(at[i]);
        }
    }

    std::vector<Residual> residuals(const std::vector<double>& at, bool withSlopes) {
        ++evaluations_;
        const bool take = withSlopes && !options_.slopes;
        if (take) lastSlopes_.assign(cases_.size(), {});
        std::vector<Residual> result(rows_.size());
        forEachIndex(rows_.size(), control_.threads, [&](std::size_t row) {
            const std::size_t index = rows_[row];
            CaseModel& model = cases_[index];
            Calibration tried = calibration_;
            put(at, tried);
            const double now = std::log(model.seconds(tried, options_.held));
            result[row].value = now - std::log(model.measured());
            if (take) {
                for (const std::size_t place : feltBy_[index]) {
                    // Towards the inside, where the upper bound is near.
                    const double step = at[place] + slopeStep > std::log(factsOf(places_[place]).high) ? -slopeStep : slopeStep;
                    std::vector<double> moved = at;
                    moved[place] += step;
                    put(moved, tried);
                    lastSlopes_[index].emplace_back(place, (std::log(model.seconds(tried, options_.held)) - now) / step);
                }
            }
            if (withSlopes) result[row].slopes = lastSlopes_[index];
        });
        return result;
    }

    void pool(const LeastSquaresFit& fit) {
        std::vector<PooledInput> fitted;
        for (std::size_t i = 0; i < places_.size(); ++i) {
            const double weight = fit.determined[i] >= options_.leastDetermined ? fit.determined[i] : 0;
            fitted.push_back({places_[i], fit.unknowns[i] - catalogue_[i], weight});
        }
        for (const bool ofGeneration : {true, false}) {
            const std::vector<double> ratios = pooledLogRatios(fitted, ofGeneration);
            ConstantValues& pooled = ofGeneration ? calibration_.pooledGeneration : calibration_.pooledProfile;
            for (std::size_t row = 0; row < ratios.size(); ++row) {
                const char* name = ofGeneration ? generationConstants()[row].name : profileConstants()[row].name;
                if (!mayMove(name)) continue;
                const auto any = std::find_if(fitted.begin(), fitted.end(), [&](const PooledInput& input) {
                    return input.place.ofGeneration == ofGeneration && input.place.constant == row && input.weight > 0;
                });
                pooled.erase(name);
                if (!(ofGeneration ? generationConstants()[row].pooled : profileConstants()[row].pooled)) continue;
                if (any == fitted.end()) continue;
                const bool isRatio = ofGeneration ? generationConstants()[row].ofCatalogue : profileConstants()[row].ofCatalogue;
                // What is no property of one machine or profile has the same value in the whole catalogue.
                const std::size_t at = static_cast<std::size_t>(any - fitted.begin());
                pooled[name] = fewDigits(std::exp(ratios[row] + (isRatio ? 0 : catalogue_[at])));
            }
        }
    }

    /// The fitted values that the cases had a say in; the others are left to the pooled ones.
    void write(const LeastSquaresFit& fit) {
        for (CalibrationEntry& entry : calibration_.generations) entry.constants.clear(), entry.cases = 0;
        for (CalibrationEntry& entry : calibration_.profiles) entry.constants.clear(), entry.cases = 0;
        for (std::size_t i = 0; i < places_.size(); ++i) {
            if (fit.determined[i] < options_.leastDetermined) continue;
            const PlaceFacts facts = factsOf(places_[i]);
            entryOf(places_[i]).constants[facts.name] = std::clamp(fewDigits(std::exp(fit.unknowns[i])), facts.low, facts.high);
        }
        for (const std::size_t index : rows_) {
            if (generationOf_[index] != none) ++calibration_.generations[generationOf_[index]].cases;
            if (profileOf_[index] != none) ++calibration_.profiles[profileOf_[index]].cases;
        }
    }

    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    std::vector<CaseModel>& cases_;
    const FitOptions& options_;
    const RunControl& control_;
    Calibration calibration_;
    std::vector<std::size_t> generationOf_, profileOf_; ///< by case
    std::vector<FitPlace> places_;
    std::vector<double> catalogue_;                                       ///< by place: logarithm of the catalogue's value
    std::vector<std::vector<std::size_t>> feltBy_;                        ///< by case: places
    std::vector<std::size_t> rows_;                                       ///< cases that count
    std::vector<double> weights_;                                         ///< by row
    std::vector<std::vector<std::pair<std::size_t, double>>> lastSlopes_; ///< by case
    int evaluations_ = 0;
};

} // namespace

std::vector<double> pooledLogRatios(const std::vector<PooledInput>& fitted, bool ofGeneration) {
    std::vector<double> sums(ofGeneration ? generationConstants().size() : profileConstants().size(), 0), weights(sums.size(), catalogueWeight);
    for (const PooledInput& input : fitted) {
        if (input.place.ofGeneration != ofGeneration) continue;
        sums[input.place.constant] += input.weight * input.logRatio;
        weights[input.place.constant] += input.weight;
    }
    for (std::size_t row = 0; row < sums.size(); ++row) sums[row] /= weights[row];
    return sums;
}

ConstantFit fitConstants(std::vector<CaseModel>& cases, const Calibration& start, const FitOptions& options, const RunControl& control) {
    return Fit(cases, start, options, control).run();
}

double fewDigits(double value) {
    std::array<char, 32> text{};
    const auto written = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits);
    double result = value;
    std::from_chars(text.data(), written.ptr, result);
    return result;
}

Calibration withoutConstants(Calibration calibration) {
    for (std::vector<CalibrationEntry>* list : {&calibration.generations, &calibration.profiles})
        for (CalibrationEntry& entry : *list) {
            entry.constants.clear();
            entry.cases = 0;
        }
    calibration.pooledGeneration.clear();
    calibration.pooledProfile.clear();
    return calibration;
}

ConstantFit fitFromScratch(std::vector<CaseModel>& cases, const Calibration& entries, const FitOptions& options, const RunControl& control) {
    const Calibration plain = withoutConstants(entries);
    const ConstantFit first = fitConstants(cases, plain, options, control);
    agreeWithSimulation(cases, first.calibration, options.held, control);
    ConstantFit second = fitConstants(cases, first.calibration, options, control);
    second.iterations += first.iterations;
    second.evaluations += first.evaluations;
    return second;
}

std::vector<std::pair<std::string, std::vector<double>>> errorsByGroup(std::vector<CaseModel>& cases, const Calibration& calibration,
                                                                       const ConstantValues& held, const RunControl& control) {
    std::vector<double> errors(cases.size());
    forEachIndex(cases.size(), control.threads, [&](std::size_t index) {
        errors[index] = 100 * (cases[index].seconds(calibration, held) / cases[index].measured() - 1);
    });
    std::vector<std::pair<std::string, std::vector<double>>> groups;
    for (std::size_t index = 0; index < cases.size(); ++index) {
        const auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == cases[index].group(); });
        if (found != groups.end()) found->second.push_back(errors[index]);
        else groups.push_back({cases[index].group(), {errors[index]}});
    }
    return groups;
}

} // namespace orrery
