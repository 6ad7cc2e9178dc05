// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/base/problem.hpp"
#include "core/model/architecture.hpp"
#include "core/model/architecture_table.hpp"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

/// A field of a config and the other names it goes by (GPT-2's `n_embd` is `hidden_size` elsewhere).
struct FieldName {
    const char* name;
    const char* other = nullptr;
    const char* third = nullptr;
};

/// Reads fields of a Hugging Face config and collects what is wrong with them. A null counts as a missing field.
/// Problems name the field as the config does, or by its first name when it is missing. Readers of inner objects add to the same list
/// of fields that were asked for.
class ConfigReader {
public:
    ConfigReader(const Json& config, std::string pointer, Problems& problems)
        : config_(config), pointer_(std::move(pointer)), problems_(problems), asked_(std::make_shared<std::set<std::string>>()) {}

    /// Whether anything asked for a field of this name, wherever it stands.
    bool wasAsked(const std::string& name) const { return asked_->count(name) > 0; }
    const Json& config() const { return config_; }
    /// Name by which the config has the field; its first one when it is missing.
    const char* nameOf(FieldName name) const { return locate(name).name; }

    bool has(FieldName name) const { return locate(name).value != nullptr; }
    /// The field as it stands, where its kind decides how it is read; null when missing.
    const Json* raw(const char* name) const { return locate({name}).value; }

    /// A whole number from 1 to `most`; a problem and 1 when it is missing or anything else.
    std::int64_t size(FieldName name, std::int64_t most) const;
    /// The same, but `fallback` when missing.
    std::int64_t size(FieldName name, std::int64_t most, std::int64_t fallback) const;
    /// A whole number from 0 to `most`.
    std::int64_t count(FieldName name, std::int64_t most, std::int64_t fallback) const;
    bool flag(FieldName name, bool fallback) const;
    /// A number greater than zero.
    double factor(FieldName name, double fallback) const;
    /// A probability: at least 0 and less than 1.
    double dropout(FieldName name, double fallback) const;
    std::string text(FieldName name, const std::string& fallback) const;
    ActivationKind activation(FieldName name, ActivationKind fallback) const;

    /// A list of texts (`layer_types`) or of whole numbers from 0 (`mlp_only_layers`); none when missing or wrong.
    std::optional<std::vector<std::string>> texts(FieldName name) const;
    std::optional<std::vector<std::int64_t>> counts(FieldName name, std::int64_t most) const;

    /// An inner object (`attn_config`); an empty one when missing.
    ConfigReader inner(const char* name) const;

    void fail(const char* code, const std::string& name, std::string message, std::string mend) const;
    /// Says that the field is missing.
    void missing(const char* name) const;
    void warn(const char* code, const std::string& name, std::string message, std::string mend) const;

private:
    struct Field {
        const char* name;
        const Json* value;
        std::string quoted() const { return "The config's `" + std::string(name) + "`"; }
    };

    Field locate(FieldName name) const;
    /// The field when it is there and of the kind that `is` asks for; a problem when it is of another.
    Field typed(FieldName name, bool (Json::*is)() const noexcept, const char* wanted) const;
    std::int64_t whole(FieldName name, std::int64_t least, std::int64_t most, std::int64_t fallback) const;
    void wrongType(const std::string& name, const Json& value, const char* wanted) const;

    const Json& config_;
    std::string pointer_;
    Problems& problems_;
    std::shared_ptr<std::set<std::string>> asked_;
};

/// What a config of an unknown type looks like; null where nothing does.
const Likeness* likenessOf(const Json& config, const ArchitectureTable& table);

/// A problem for each field that changes what layers a model has, says so (it is not null, false, 0 or all alike), and was asked for by
/// nothing in the row: the model would silently be another one.
void refuseUnreadStructure(const Json& row, const ConfigReader& reader, const ArchitectureTable& table, const std::string& type);

} // namespace orrery
