// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/import/scenario_draft.hpp"

#include "core/base/json.hpp"

#include <utility>

namespace orrery {

void ScenarioDraft::set(const std::string& pointer, Json value) { document[Json::json_pointer(pointer)] = std::move(value); }

void ScenarioDraft::assume(const std::string& pointer, Json value, const std::string& why, const std::string& mend) {
    const std::string shown = value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
    noteAssumed(pointer, shown + " was taken: " + why + ".", mend);
    set(pointer, std::move(value));
}

void ScenarioDraft::noteAssumed(const std::string& pointer, const std::string& message, const std::string& mend) {
    Problem problem;
    problem.severity = Severity::note;
    problem.code = "assumed";
    problem.pointer = pointer;
    problem.message = message;
    problem.mend = mend;
    problems.push_back(std::move(problem));
}

void ScenarioDraft::add(Severity severity, int line, std::string code, std::string message, std::string mend) {
    Problem problem;
    problem.severity = severity;
    problem.code = std::move(code);
    problem.file = fileName_;
    problem.line = line;
    problem.message = std::move(message);
    problem.mend = std::move(mend);
    problems.push_back(std::move(problem));
}

void ScenarioDraft::note(int line, std::string code, std::string message, std::string mend) {
    add(Severity::note, line, std::move(code), std::move(message), std::move(mend));
}

void ScenarioDraft::warn(int line, std::string code, std::string message, std::string mend) {
    add(Severity::warning, line, std::move(code), std::move(message), std::move(mend));
}

void ScenarioDraft::fail(int line, std::string code, std::string message, std::string mend) {
    add(Severity::error, line, std::move(code), std::move(message), std::move(mend));
}

void ScenarioDraft::wrongValue(const GivenOption& option, const std::string& wanted) {
    const std::string value = option.value();
    if (leftOpen(value))
        warn(option.line, "value-left-open", option.written + " is " + value + ", which this text gives no value.",
             "Set it above, or hand its value over with the import.");
    else
        warn(option.line, "option-not-understood", option.written + (value.empty() ? " has no value" : " is \"" + value + "\"") + "; it must be " + wanted + ".",
             "It was left out; correct it or set the value in the scenario.");
}

std::optional<std::int64_t> ScenarioDraft::number(OptionList& options, const std::string& name, std::int64_t least) {
    const GivenOption* option = options.take(name);
    if (!option) return std::nullopt;
    const auto value = option->values.empty() ? std::nullopt : wholeNumber(option->values.front());
    if (value && *value >= least && *value <= mostNumber) return value;
    wrongValue(*option, "a whole number from " + std::to_string(least));
    return std::nullopt;
}

std::optional<double> ScenarioDraft::amount(OptionList& options, const std::string& name) {
    const GivenOption* option = options.take(name);
    if (!option) return std::nullopt;
    const auto value = option->values.empty() ? std::nullopt : anyNumber(option->values.front());
    if (value && *value >= 0) return value;
    wrongValue(*option, "a number from 0");
    return std::nullopt;
}

std::optional<std::string> ScenarioDraft::text(OptionList& options, const std::string& name) {
    const GivenOption* option = options.take(name);
    if (!option) return std::nullopt;
    if (!option->values.empty() && !leftOpen(option->values.front())) return option->values.front();
    wrongValue(*option, "a text");
    return std::nullopt;
}

int lineOf(const OptionList& options, const std::string& name) {
    int line = 0;
    for (const GivenOption& option : options.all())
        if (option.name == name) line = option.line;
    return line;
}

} // namespace orrery
