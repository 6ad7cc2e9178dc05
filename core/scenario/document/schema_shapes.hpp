// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/scenario/document/schema_table.hpp"
#include "core/scenario/scenario_words.hpp"

/// The vocabulary that the schema tables are written in, and the tables themselves, one a section of the contract.
namespace orrery::schema {

Shape anything();
Shape text();
Shape word(std::vector<std::string> allowed);
/// A word that an enum's table spells as a text.
template <class Enum> Shape wordFor() { return word(textWords<Enum>()); }
/// The name of the key that an enum's table spells.
template <class Enum> std::string keyFor(Enum value) { return std::string(wordOf(value)); }
Shape boolean();
Shape integer(double least, double most);
Shape number(double least, double most);
Shape positive(double most); ///< greater than zero, by as much as numbers can stand (leastPositive)
Shape list(Shape element, std::size_t minItems = 0);
Shape map(Shape element);
Shape object(std::vector<Field> fields);
Shape choice(std::vector<Shape> alternatives);
Shape orNull(Shape shape);

Field field(std::string key, Shape shape, std::string description, Json fallback = nullptr);
Field required(std::string key, Shape shape, std::string description);

/// `images`: so many, under a key of the workload's kind, of one size.
Field imagesField(std::string count, std::string description);

/// Bounds that no real machine or job comes near; beyond them numbers are typing mistakes and would overflow.
inline constexpr double mostSequences = 1e8;
inline constexpr double mostTokens = 1e8;
inline constexpr double mostRanks = 1e6;
inline constexpr double mostExpertSlots = 1e6;

Shape acceleratorObject();
Shape clusterShape();
Shape workloadShape();
std::vector<Field> inferenceFields(); ///< of `workload`, kind inference
std::vector<Field> servingFields();
std::vector<Field> trainingFields();
std::vector<Field> rlFields();
Shape parallelismShape();
Shape executionShape();
Shape measuredProfileShape(); ///< of a file that `execution.profile` names
Shape searchShape();
Shape variantShape();
Shape reliabilityShape();
Shape hybridShape();
Shape economicsShape();
Shape collectivesShape();
Shape jitterShape();
Shape stragglerShape();
Shape degradedLinkShape();

} // namespace orrery::schema
