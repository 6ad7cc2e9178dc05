// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/validation/validate.hpp"
#include "core/base/boxed_json.hpp"
#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/scenario/reader/reader.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery {

/// One measured figure of a run and what was predicted for it.
struct MeasuredFigure {
    std::string metric; ///< as in a file of measured cases: "iteration_time_s", "peak_memory_bytes"
    double measured = 0;
    std::optional<double> predicted;        ///< nothing where the run could not be simulated
    std::optional<double> predictedLeftOut; ///< by constants fitted without the run's group
};

/// A measured run with what the shipped program predicts for it, and the scenario that it is.
struct MeasuredRun {
    std::string id;
    std::string group;
    std::string source;
    std::string sourceUrl;
    std::string accelerator; ///< catalogue id
    double accelerators = 0;
    std::string model;  ///< catalogue id, or type and size
    std::string kind;   ///< "dense" or "moe"
    std::string family; ///< Hugging Face's model type
    double parameters = 0;
    bool queued = false;   ///< requests were served
    std::string framework; ///< profile id
    std::string precision;
    std::string memoryKind; ///< what a measured peak counts: "device", "allocated", "reserved"
    std::vector<MeasuredFigure> figures;
    std::optional<bool> outOfMemory, predictedOutOfMemory; ///< where that was measured
    BoxedJson scenario;
};

/// All runs that predictions are held against: resources/catalog/evidence.json, made by `orrery-cli validate … --evidence`.
struct Evidence {
    std::vector<MeasuredRun> runs;
};

/// The file's text, one line a run; models and sources stand in it once. Equal evidence gives equal bytes.
std::string toText(const Evidence& evidence);

/// What of it is read: everything; or no scenarios, which are most of the text, and which error bars do without.
enum class EvidenceParts { all,
                           figures };

/// Reads such a text. Throws std::runtime_error that names the run when it is malformed: a fault of the shipped file.
Evidence evidenceFromText(std::string_view text, EvidenceParts parts = EvidenceParts::all);

class Catalog; // core/catalog

/// Predicted values by case id and metric.
using PredictedValues = std::map<std::pair<std::string, std::string>, double>;

/// Puts together measured cases and what was predicted for them. `leftOut`: by constants fitted without the case's group, where that
/// was done. Numbers are rounded to seven digits. A case that measured nothing but whether it fits is kept for that.
Evidence makeEvidence(const std::vector<MeasuredCase>& cases, const Validation& validation, const PredictedValues& leftOut,
                      const Catalog& catalog, const FileReader& readFile);

/// The predicted values of an `orrery-validation/1` document; a problem when it is none.
PredictedValues predictedValues(const Json& validation, Problems& problems);
PredictedValues predictedValues(const Validation& validation);

/// Gives each run the number of its source; sources are numbered by first appearance. Runs of one collection are of one source, and collections that share
/// a publication are one: what such runs have in common (a machine, a recipe, a way of measuring) no other evidence needs to have.
std::vector<std::size_t> sourcesOf(const Evidence& evidence);

} // namespace orrery
