// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/base/problem.hpp"
#include "core/exchange/launch_script/option_list.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// A scenario document as it grows, with what has to be said about it.
class ScenarioDraft {
public:
    explicit ScenarioDraft(std::string fileName) : fileName_(std::move(fileName)) {}

    Json document = Json::object();
    Problems problems;

    const std::string& fileName() const { return fileName_; }

    /// Puts a value at a JSON pointer, with the objects on the way.
    void set(const std::string& pointer, Json value);
    bool has(const std::string& pointer) const { return document.contains(Json::json_pointer(pointer)); }

    /// A value that the text does not give, with the reason for it.
    void assume(const std::string& pointer, Json value, const std::string& why, const std::string& mend = {});
    /// Says that a value was assumed, wherever it ends up.
    void noteAssumed(const std::string& pointer, const std::string& message, const std::string& mend = {});

    void note(int line, std::string code, std::string message, std::string mend = {});
    void warn(int line, std::string code, std::string message, std::string mend = {});
    void fail(int line, std::string code, std::string message, std::string mend = {});

    /// Takes a whole number from `least` to mostNumber; says what is wrong with a value that is none.
    std::optional<std::int64_t> number(OptionList& options, const std::string& name, std::int64_t least = 1);
    static constexpr std::int64_t mostNumber = 1'000'000'000; ///< beyond any size or degree; products of two stay exact
    /// Takes any number from 0.
    std::optional<double> amount(OptionList& options, const std::string& name);
    /// Takes a text; nothing, with a word about it, when the script leaves it open.
    std::optional<std::string> text(OptionList& options, const std::string& name);

private:
    void add(Severity severity, int line, std::string code, std::string message, std::string mend);
    void wrongValue(const GivenOption& option, const std::string& wanted);

    std::string fileName_;
};

/// The line of an option that is known to be given.
int lineOf(const OptionList& options, const std::string& name);

/// What an import does with an option of a program.
enum class FlagTreatment { read,      ///< it says something of the scenario
                           ignored,   ///< on purpose: no simulation needs it
                           refused,   ///< it changes what is simulated and can't be: said, or the end of the import
                           unknown }; ///< it falls to "was not understood"

struct FlagRow {
    std::string flag;
    FlagTreatment treatment = FlagTreatment::unknown;
    std::string reason; ///< of what is ignored or refused
};

/// "megatron-lm", "megatron-bridge", "torchtitan", "deepspeed", "vllm", "sglang", "tensorrt-llm", "dynamo".
const std::vector<std::string>& launcherWords();
const char* wordOf(FlagTreatment treatment);

/// Imports a small job of the launcher once for each flag and says what became of it: what a reader declares is what it does. Lines of
/// `flags` name one flag each, `#` begins a comment. Empty for a launcher that nobody knows.
std::vector<FlagRow> flagAccount(const std::string& launcher, std::string_view flags);

/// `# orrery: POINTER VALUE`: a comment of a launch text that says what no option of the program does (core/exchange/launch writes them).
std::string commentOf(const ScenarioEdit& edit);

/// Those of a text, in its order; a line that is not written so is named in `problems` as a warning.
std::vector<ScenarioEdit> commentEdits(const std::string& text, const std::string& fileName, Problems& problems);

} // namespace orrery
