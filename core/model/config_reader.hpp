#pragma once

#include "core/base/json.hpp"
#include "core/base/problem.hpp"
#include "core/model/architecture.hpp"

#include <initializer_list>
#include <string>

namespace orrery {

/// Reads fields of a Hugging Face config and collects what is wrong with them. A null counts as a missing field.
/// Fields go by several names (GPT-2's `n_embd` is `hidden_size` elsewhere); problems name the first one.
class ConfigReader {
public:
    using Names = std::initializer_list<const char*>;

    ConfigReader(const Json& config, std::string pointer, Problems& problems)
        : config_(config), pointer_(std::move(pointer)), problems_(problems) {}

    bool has(Names names) const { return find(names) != nullptr; }

    /// A whole number from 1 to `most`; a problem and 1 when it is missing or anything else.
    std::int64_t size(Names names, std::int64_t most) const;
    /// The same, but `fallback` when missing.
    std::int64_t size(Names names, std::int64_t most, std::int64_t fallback) const;
    bool flag(Names names, bool fallback) const;
    /// A number greater than zero.
    double factor(Names names, double fallback) const;
    /// A probability: at least 0 and less than 1.
    double dropout(Names names, double fallback) const;
    std::string text(Names names, const std::string& fallback) const;
    ActivationKind activation(Names names, ActivationKind fallback) const;

    /// An inner object (`attn_config`); an empty one when missing.
    ConfigReader inner(const char* name) const;

    void fail(const char* code, const char* name, std::string message, std::string mend) const;

private:
    struct Field {
        const char* name;
        const Json* value;
    };

    const Json* find(Names names) const { return locate(names).value; }
    Field locate(Names names) const;
    void wrongType(const Field& field, const char* wanted) const;

    const Json& config_;
    std::string pointer_;
    Problems& problems_;
};

} // namespace orrery
