// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// Field of a config that changes what layers a model has. Where the row that reads the config doesn't ask for it and its value is none of
/// the neutral ones, the model would be another one than its config says.
struct StructuralField {
    std::string name;
    std::string what; ///< it stands for: "experts"
};

/// A type that nobody listed, told by its fields: all of `fields` stand in the config.
struct Likeness {
    std::vector<std::string> fields;
    std::string type; ///< whose row reads it
};

/// resources/catalog/architectures.json: for each `model_type` of Hugging Face the rule for every property of core/model's Architecture.
/// A row may say which other row it is like; then it holds what differs. Immutable.
class ArchitectureTable {
public:
    /// Throws std::runtime_error that names the row when the text is malformed.
    static ArchitectureTable fromText(std::string_view text);
    /// What the program ships.
    static const ArchitectureTable& shipped();
    static std::string_view shippedText();

    /// The row with its elders' properties; null for an unknown type.
    const Json* row(std::string_view type) const;
    /// The row of a vision tower, by the type of its own config or of the model that holds it; null where neither is known.
    const Json* tower(std::string_view type) const;
    /// Type of the row whose `class` a config's `architectures` names; null for none.
    const std::string* typeOfClass(std::string_view className) const;
    /// What a config of the type holds where a wrapper's inner part leaves a field out; null for none.
    const Json* defaults(std::string_view type) const;
    /// Why a type that is known has no row: "Mamba layers" …; null where nothing is known of it.
    const std::string* refusal(std::string_view type) const;
    const std::vector<StructuralField>& structuralFields() const { return structural_; }
    /// Parts of names that fields about layers have; a field with one that nobody reads is named.
    const std::vector<std::string>& structuralWords() const { return structuralWords_; }
    /// Fields with such a part that change no layer's operators: how a model is trained, sampled or stored.
    bool isHarmless(const std::string& field) const { return harmless_.count(field) > 0; }
    const std::vector<Likeness>& likenesses() const { return likenesses_; }
    /// Keys under which wrappers hold their language model.
    const std::vector<std::string>& wrapperKeys() const { return wrapperKeys_; }
    std::vector<std::string> types() const;

private:
    std::map<std::string, BoxedJson, std::less<>> rows_, towers_, defaults_;
    std::map<std::string, std::string, std::less<>> classes_, refusals_;
    std::vector<StructuralField> structural_;
    std::vector<std::string> structuralWords_;
    std::set<std::string> harmless_;
    std::vector<Likeness> likenesses_;
    std::vector<std::string> wrapperKeys_;
};

} // namespace orrery
