// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/json_forward.hpp"
#include "core/results/report/result.hpp"

#include <QString>
#include <QStringList>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// One of several scenarios side by side.
struct ComparedScenario {
    QString name;
    BoxedJson document;
    ResultPtr result; ///< null: it has none
};

/// The RESULT POINTER of what a result is mostly asked for: the iteration time, the latency.
std::string usualFigure(const Result& result);
double usualFigureOf(const Result& result);

/// Whether two results have the same figures.
bool areOfOneKind(const Result& a, const Result& b);

/// "−39 %", "+2.4 %"; "±0 %" for none.
QString signedChange(double from, double to);
/// A figure's difference in its own unit, "−7.90 s".
QString signedFigure(const std::string& pointer, double difference);
/// The role in the style sheet of a change: "good", "warning", or "secondary" for one too small to be seen.
const char* changeRole(const std::string& pointer, double from, double to);
/// The change of the usual figure of two results, with how sure it is: "−6.1 ± 2 %". A change that may be none has the role of none.
QString sureChangeWords(const Result& from, const Result& to);
const char* sureChangeRole(const Result& from, const Result& to);

/// A part of the usual figure with its colour, for thumbnails.
struct FigurePart {
    QString name;
    double value = 0;
    std::optional<TimePart> part; ///< of training; prompts are forward
    bool decodes = false;         ///< answers: they have a hue of their own
};
std::vector<FigurePart> usualParts(const Result& result);

/// What edits change of a document, short: "t 8→4".
QStringList differenceChips(const Json& base, const std::vector<ScenarioEdit>& edits);

/// The value at a place of a scenario: as it stands there, else as it was assumed.
QString inputWords(const ComparedScenario& scenario, const std::string& pointer);

/// An input that documents differ in: one row of a comparison, however many places of the documents it stands in.
struct ComparedInput {
    QString name;        ///< "network speed", "tensor", "latency of 256 links"
    std::string pointer; ///< the first place
    QStringList values;  ///< of each document
};

/// Says the value at a place of the document with this number.
using InputWords = std::function<QString(std::size_t document, const std::string& pointer)>;

/// What the others have otherwise than the first, in the order of the documents. A network that is as many times as fast in all of its
/// links is one input, and so are hosts that more of a drawing's nodes make, and places of a list that change from one value to one other.
std::vector<ComparedInput> comparedInputs(const std::vector<const Json*>& documents, const InputWords& words);

/// Whether a place is part of what the drawing says or of its network's speed: it changes with others.
bool isOfDrawing(const std::string& pointer);

} // namespace orrery
