#include "core/model/config_reader.hpp"

#include <cmath>
#include <utility>

namespace orrery {

ConfigReader::Field ConfigReader::locate(Names names) const {
    for (const char* name : names) {
        const auto found = config_.find(name);
        if (found != config_.end() && !found->is_null()) return {name, &*found};
    }
    return {*names.begin(), nullptr};
}

void ConfigReader::fail(const char* code, const char* name, std::string message, std::string mend) const {
    Problem problem;
    problem.code = code;
    problem.pointer = pointer_ + "/" + name;
    problem.message = std::move(message);
    problem.mend = std::move(mend);
    problems_.push_back(std::move(problem));
}

void ConfigReader::wrongType(const Field& field, const char* wanted) const {
    fail("wrong-type", field.name, "The config's `" + std::string(field.name) + "` is " + field.value->dump() + ", not " + wanted + ".",
         "Give " + std::string(wanted) + ".");
}

std::int64_t ConfigReader::size(Names names, std::int64_t most) const {
    if (!has(names)) {
        const char* name = *names.begin();
        fail("missing-config-field", name, "The model's config has no `" + std::string(name) + "`.",
             "Add `" + std::string(name) + "` to the config, as in the model's config.json.");
        return 1;
    }
    return size(names, most, 1);
}

std::int64_t ConfigReader::size(Names names, std::int64_t most, std::int64_t fallback) const {
    const Field field = locate(names);
    if (!field.value) return fallback;
    if (!field.value->is_number()) {
        wrongType(field, "a whole number");
        return 1;
    }
    const double value = field.value->get<double>();
    if (!(value >= 1 && value <= static_cast<double>(most)) || value != std::floor(value)) {
        fail("out-of-range", field.name,
             "The config's `" + std::string(field.name) + "` is " + field.value->dump() + "; it must be a whole number from 1 to " +
                 std::to_string(most) + ".",
             "Check the value against the model's config.json.");
        return 1;
    }
    return static_cast<std::int64_t>(value);
}

bool ConfigReader::flag(Names names, bool fallback) const {
    const Field field = locate(names);
    if (!field.value) return fallback;
    if (field.value->is_boolean()) return field.value->get<bool>();
    wrongType(field, "true or false");
    return fallback;
}

double ConfigReader::factor(Names names, double fallback) const {
    const Field field = locate(names);
    if (!field.value) return fallback;
    if (!field.value->is_number()) {
        wrongType(field, "a number");
        return fallback;
    }
    const double value = field.value->get<double>();
    if (value > 0 && value <= 1000) return value;
    fail("out-of-range", field.name, "The config's `" + std::string(field.name) + "` is " + field.value->dump() + "; it must be above 0 and at most 1000.",
         "Check the value against the model's config.json.");
    return fallback;
}

double ConfigReader::dropout(Names names, double fallback) const {
    const Field field = locate(names);
    if (!field.value) return fallback;
    if (!field.value->is_number()) {
        wrongType(field, "a number");
        return fallback;
    }
    const double value = field.value->get<double>();
    if (value >= 0 && value < 1) return value;
    fail("out-of-range", field.name, "The config's `" + std::string(field.name) + "` is " + field.value->dump() + "; a dropout is at least 0 and less than 1.",
         "Give 0 for no dropout.");
    return fallback;
}

std::string ConfigReader::text(Names names, const std::string& fallback) const {
    const Field field = locate(names);
    if (!field.value) return fallback;
    if (field.value->is_string()) return field.value->get<std::string>();
    wrongType(field, "a text");
    return fallback;
}

ActivationKind ConfigReader::activation(Names names, ActivationKind fallback) const {
    const Field field = locate(names);
    if (!field.value) return fallback;
    if (!field.value->is_string()) {
        wrongType(field, "a text");
        return fallback;
    }
    const std::string name = field.value->get<std::string>();
    if (name.rfind("gelu", 0) == 0 || name == "quick_gelu") return ActivationKind::gelu; // gelu_new, gelu_fast, gelu_pytorch_tanh …
    if (name == "silu" || name == "swish") return ActivationKind::silu;
    if (name == "relu") return ActivationKind::relu;
    fail("unknown-activation", field.name, "The activation `" + name + "` isn't known.", "Use gelu, relu or silu.");
    return fallback;
}

ConfigReader ConfigReader::inner(const char* name) const {
    static const Json nothing = Json::object();
    const Field field = locate({name});
    if (field.value && field.value->is_object()) return ConfigReader(*field.value, pointer_ + "/" + name, problems_);
    if (field.value) wrongType(field, "an object");
    return ConfigReader(nothing, pointer_ + "/" + name, problems_);
}

} // namespace orrery
