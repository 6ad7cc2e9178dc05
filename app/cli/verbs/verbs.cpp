// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/verbs/verbs.hpp"

#include "app/cli/verbs/verb_answers.hpp"
#include "app/cli/verbs/verb_arguments.hpp"
#include "core/base/json.hpp"
#include "core/exchange/launch/launch.hpp"
#include "core/scenario/document/schema_document.hpp"
#include "core/scenario/document/schema_shapes.hpp"

#include <iterator>
#include <string>
#include <utility>

namespace orrery {
namespace {

using schema::field;
using schema::integer;
using schema::number;
using schema::object;
using schema::required;
using schema::text;
using schema::word;

constexpr const char* scenarioWords = "A scenario: the document itself (see scenario_schema), the path of its file (FILE#NAME for a variant), or a text that begins with \"orrery:\".";
constexpr double mostSeconds = 1e6;

Field detailField() { return field("detail", word({"headline", "full"}), "How much of the result: without long lists, or all of it.", "headline"); }

std::vector<std::string> schemaSections() {
    std::vector<std::string> sections;
    const Json schema = scenarioSchema();
    for (const auto& [key, part] : schema.at("properties").items()) sections.push_back(key);
    return sections;
}

Shape planArguments() {
    return object({
        required("model", text(), "Catalogue id (list models), path of a config.json or its folder, or a model of Hugging Face's cache as ORG/NAME."),
        required("machine", text(), "NxPLATFORM, such as 32xdgx-h100 (list platforms)."),
        field("train", object({field("sequence", integer(0, schema::mostTokens), "Tokens of a sequence; 0: the usual."), field("batch", integer(0, schema::mostSequences), "Sequences of a step; 0: the usual.")}), "Plan a training; also where neither is given."),
        field("serve", object({field("rate", number(0, 1e9), "Requests/s; 0: as many as there can be."), field("input", integer(1, schema::mostTokens), "Tokens of a prompt.", 1024), field("output", integer(1, schema::mostTokens), "Tokens of an answer.", 256), field("ttft", number(0, mostSeconds), "Limit of the time to the first token, s; 0: none."), field("tpot", number(0, mostSeconds), "Limit of the time per token, s; 0: none.")}), "Plan a service."),
        field("margin", text(), "Share of the memory to leave free, as 5% or 0.05; by the error of the memory account unless given."),
        field("network", text(), "Bandwidth of an accelerator's network, as 800Gb/s or 100GB/s; the platform's unless given."),
        field("framework", text(), "Profile id (list frameworks)."),
        field("precision", text(), "bf16, fp16, fp8, mxfp8, nvfp4, …"),
        detailField(),
    });
}

Shape importArguments() {
    return object({
        field("text", text(), "The launch: a shell script, a command line, or a configuration (TOML, JSON, YAML)."),
        field("file", text(), "Path of its file, instead of the text."),
        field("accelerator", text(), "Catalogue id of the accelerator; an H100 unless given."),
        field("model", text(), "Catalogue id of the model, where the launch names none."),
        field("variables", schema::map(text()), "Variables that the script would find set."),
    });
}

Shape sweepArguments() {
    return object({
        required("scenario", scenarioArgument(), scenarioWords),
        required("vary", schema::map(schema::choice({text(), schema::list(schema::anything(), 1)})), "Pointers into the scenario, each with a list of values, or a text: 1..8, 1..8:2, log:1..64:7."),
        field("metrics", schema::list(text()), "Pointers into the result, or names of the scenario's measures; the usual figures unless given."),
        field("most", number(1, 1e9), "Points that are allowed; more are refused before the first.", 20000),
        detailField(),
    });
}

Shape tracesArguments() {
    return object({
        field("files", schema::list(text()), "Paths of recorded traces, or RANK=PATH."),
        field("what", word({"info", "replay", "flight", "scenario", "beside", "hybrid", "plan"}), "What to tell of them.", "info"),
        field("scenario", scenarioArgument(), "Of beside, hybrid and plan: the scenario."),
        field("accelerator", text(), "Of scenario: catalogue id of the accelerator, where the record names none."),
        field("model", text(), "Of scenario: catalogue id of the model."),
        detailField(),
    });
}

Shape searchArguments() {
    Shape space = object({});
    space.open = true;
    return object({
        required("scenario", scenarioArgument(), scenarioWords),
        field("search", std::move(space), "What to search, in place of the scenario's own: {\"vary\": {POINTER: [values]}, \"objective\": {\"minimize\" or \"maximize\": RESULT POINTER}, \"constraints\": [{\"pointer\", \"op\", \"value\"}]}."),
        field("most", number(1, 1e9), "Combinations that are allowed; more are refused before the first.", 2'000'000),
        field("exhaustive", schema::boolean(), "Simulate every combination that is a scenario.", false),
        detailField(),
    });
}

} // namespace

std::vector<Verb> verbs() {
    const auto ofScenario = [](std::vector<Field> more = {}) {
        std::vector<Field> fields{required("scenario", scenarioArgument(), scenarioWords)};
        fields.insert(fields.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
        return object(std::move(fields));
    };
    const Shape side = scenarioArgument();
    return {
        {"plan", "Find the best plan", "The best way to train or serve a model on a machine, two others that differ, why each, how sure the order is, whether it fits, and the command that starts it.", planArguments(), answerPlan},
        {"simulate", "Simulate a scenario", "Time, rates, memory and their causes of a training iteration, a static batch or a served load. A scenario that does not fit the memory has fits: false and changes that would make it fit.", ofScenario({detailField()}), answerSimulate},
        {"estimate", "Estimate a scenario", "Time and peak memory of a training iteration in milliseconds, a few percent from the simulation's; other work is simulated.", ofScenario(), answerEstimate},
        {"search", "Search a space of plans", "The best combinations of values of some keys, the Pareto front, and which rule ruled out how many.", searchArguments(), answerSearch},
        {"sweep", "Sweep some keys", "Every combination of values of some keys: figures of each, and whether it fits.", sweepArguments(), answerSweep},
        {"compare", "Compare", "Where the difference between A and B comes from, in parts that sum to it: two scenarios or saved results, or two recorded traces (files or folders of ranks).", object({required("a", side, std::string("A. ") + scenarioWords + " Or the path of a recorded trace, or of a folder with the traces of a job's ranks."), required("b", side, "The same."), field("metric", text(), "Of scenarios: pointer into the result; the time of an iteration, of a batch or of a request unless given."), detailField()}), answerCompare},
        {"explain", "Explain figures", "Formula, inputs and sources of the figures of a scenario's result, and the causes of its time.", ofScenario({field("pointers", schema::list(text()), "Pointers into the result, such as /iteration_time_s; all figures unless given.")}), answerExplain},
        {"validate_input", "Check a scenario", "What is wrong with a scenario: each problem with a JSON pointer, a mend in words and, where there is one, as edits.", ofScenario(), answerValidate},
        {"import_launch", "Import a launch", "A Megatron-LM, torchtitan, DeepSpeed, vLLM, SGLang or TensorRT-LLM launch as a scenario, and what of it was not understood.", importArguments(), answerImport},
        {"launch", "Write a launch", "The command that starts a scenario's training or server.", ofScenario({required("for", word(launchToolWords()), "The program.")}), answerLaunch},
        {"traces", "Read recorded traces", "What recorded traces say: what is in them (info), all ranks together (replay), who is missing in a job that stands still (flight), the recorded job as a scenario (scenario), a simulation beside a record (beside), a scenario with recorded ranks (hybrid), which ranks to record (plan).", tracesArguments(), answerTraces},
        {"list", "List the catalogue", "Models, accelerators, platforms or framework profiles that a scenario can name, with sources.", object({required("what", word({"models", "accelerators", "platforms", "frameworks"}), "Which of the catalogues."), field("match", text(), "A part of the id or name; all unless given."), field("detail", word({"names", "full"}), "Ids and names, or entries as they are.", "names")}), answerList},
        {"scenario_schema", "Schema of scenarios", "The JSON Schema of a scenario document, or of one of its sections.", object({field("section", word(schemaSections()), "One key of the document; all of it unless given.")}), answerSchema},
    };
}

} // namespace orrery
