// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/base/problem.hpp"
#include "core/model/architecture_table.hpp"
#include "core/model/config_reader.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

/// The part of a config that describes a language model.
struct UnwrappedConfig {
    Json config;
    std::string pointer;
};

/// Takes the language model out of a config that has it beside a vision or audio part, and says what is left out. What the wrapper says of
/// the language model (tied embeddings) goes with it where it doesn't say so itself.
UnwrappedConfig unwrapped(const Json& config, const std::string& pointer, Problems& problems, const ArchitectureTable& table);

/// The first of `architectures`; empty without one.
std::string classOf(const Json& config);

/// Whether the config's class makes logits: bare models and classifiers don't.
bool hasHead(const ConfigReader& config, const Json& row);

/// How `quantization_config` says that weights are stored; empty where there is none. A method that isn't known is a warning.
std::string storedFormat(const ConfigReader& config);

// Beyond these a number is a typing mistake, and products of sizes would leave what a double holds exactly.
constexpr std::int64_t mostLayers = 100'000;
constexpr std::int64_t mostWidth = 10'000'000;
constexpr std::int64_t mostHeads = 100'000;
constexpr std::int64_t mostExperts = 100'000;
constexpr std::int64_t mostVocabulary = 1'000'000'000;
constexpr std::int64_t mostPositions = 1'000'000'000;

/// Works out the rules of a row of resources/catalog/architectures.json over a config. A rule is a value itself, or an object:
///   {"key": NAME or [NAMES], "default": RULE}   the config's field, inner ones as "attn_config/kv_n_heads"; without "default" it must stand
///   {"key": …, "zero": true}                    a number that may be 0
///   {"same": PROPERTY}                          what was read before
///   {"product" | "sum" | "quotient": [RULES]}   of numbers; a quotient is rounded down
///   {"scaled": RULE, "by": RULE}                by a factor that is no whole number, at least 1
///   {"length": NAME}                            entries of a list or letters of a text
///   {"if": RULE, "then": RULE, "else": RULE}
///   {"has": NAME} {"not": RULE} {"any" | "all": [RULES]} {"is": [RULE, WORD]} {"above": [RULE, NUMBER]}
/// A word's rule may have "words": what each of the config's words means; another one is a problem.
class ConfigRules {
public:
    explicit ConfigRules(const ConfigReader& config) : config_(config) {}

    std::int64_t number(const Json& rule, std::int64_t most);
    bool flag(const Json& rule);
    std::string word(const Json& rule);
    double dropout(const Json& rule);
    double factor(const Json& rule);
    ActivationKind activation(const Json& rule, ActivationKind fallback);

    /// What {"same": property} gives from now on.
    void keep(const std::string& property, std::int64_t value) { kept_[property] = value; }
    /// The field that a rule reads first, as the config names it; empty where it reads none.
    std::string fieldOf(const Json& rule) const;
    const ConfigReader& config() const { return config_; }

    /// The reader of the object that holds a field, and the field's own names.
    struct Place {
        ConfigReader reader;
        FieldName name;
    };
    Place placeOf(const Json& keys) const;
    const Json* raw(const Json& keys) const;

private:
    const ConfigReader& config_;
    std::map<std::string, std::int64_t> kept_;
};

} // namespace orrery
