// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/traced_job/traced_job.hpp"

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/model/architecture.hpp"
#include "core/records/traced_job/decoder_shapes.hpp"
#include "core/records/traced_job/machine_of_record.hpp"
#include "core/records/traced_job/traced_graph.hpp"
#include "core/records/traced_job/traced_operators.hpp"

#include <algorithm>
#include <set>

namespace orrery {
namespace {

using Source = TracedFinding::Source;

constexpr std::int64_t mostRanks = 1 << 20;

class ScenarioOfRecord {
public:
    ScenarioOfRecord(const KinetoTrace& trace, const Catalog& catalog, const TracedJobOptions& options) : trace_(trace), catalog_(catalog), options_(options), calls_(trace), groups_(tracedGroups(trace, calls_)) {}

    TracedJob run() {
        document_ = {{"format", "orrery-scenario/1"}, {"name", "recorded " + (options_.fileName.empty() ? std::string("job") : options_.fileName)}};
        const std::int64_t world = readWorld();
        const std::string accelerator = readAccelerator();
        const std::int64_t perNode = readPerNode(world);
        if (trace_.device.empty()) fail("no-device-work", "The record has no kernel: there is nothing to build a scenario from.", "Record with ProfilerActivity.CUDA.");
        if (hasErrors(job_.problems)) return std::move(job_);
        document_["cluster"] = {{"accelerator", accelerator}, {"accelerators_per_node", perNode}, {"nodes", world / perNode}};

        const DecoderProof proof = decoderShapes(trace_, calls_);
        const bool planned = !options_.graph && (proof.shapes || !options_.model.empty());
        if (planned) writePlan(proof, world);
        else writeGraph(proof);
        writeHybrid();
        if (hasErrors(job_.problems)) return std::move(job_);
        writeNotes();
        job_.planned = planned;
        job_.scenario = document_;
        return std::move(job_);
    }

private:
    // --- what is said, and by whom -------------------------------------------------------------------------------------------

    void find(const std::string& pointer, Json value, Source source, std::string why) { job_.findings.push_back({pointer, std::move(value), source, std::move(why)}); }

    void report(Severity severity, std::string code, std::string message, std::string mend) {
        Problem problem;
        problem.severity = severity;
        problem.code = std::move(code);
        problem.file = options_.fileName;
        problem.message = std::move(message);
        problem.mend = std::move(mend);
        job_.problems.push_back(std::move(problem));
    }
    void fail(std::string code, std::string message, std::string mend) { report(Severity::error, std::move(code), std::move(message), std::move(mend)); }

    /// A whole number that the user or the record says; 1, with an error that names the option, where neither does.
    std::int64_t asked(const std::string& pointer, const std::optional<std::int64_t>& given, std::int64_t recorded, const std::string& why, const std::string& lacking, const std::string& mend) {
        const std::int64_t value = given ? *given : recorded;
        if (given && recorded > 0 && recorded != *given) report(Severity::warning, "other-than-recorded", lacking + ": the record says " + std::to_string(recorded) + ", and the option's " + std::to_string(*given) + " is taken.", "Leave the option out to follow the record.");
        if (value < 1 || value > mostRanks) {
            fail("not-recorded", given ? lacking + " can't be " + std::to_string(*given) + "." : "The record doesn't say " + lacking + ".", mend);
            return 1;
        }
        find(pointer, value, given ? Source::user : Source::record, given ? "Given." : why);
        return value;
    }

    // --- the machine ---------------------------------------------------------------------------------------------------------

    std::int64_t readWorld() { return asked("/cluster", options_.world, trace_.worldSize.value_or(0), "distributedInfo of the record has this world_size.", "how many ranks the job has", "Give --world N."); }

    std::string readAccelerator() {
        if (!options_.accelerator.empty()) {
            if (catalog_.accelerator(options_.accelerator) == nullptr) fail("unknown-accelerator", "No accelerator is called \"" + options_.accelerator + "\".", "Give --accelerator with an id that \"list accelerators\" prints.");
            find("/cluster/accelerator", options_.accelerator, Source::user, "Given.");
            return options_.accelerator;
        }
        const DeviceMatch match = deviceMatch(trace_, catalog_);
        if (match.ids.size() == 1) {
            find("/cluster/accelerator", match.ids.front(), match.named ? Source::record : Source::assumed, match.why);
            return match.ids.front();
        }
        const std::string device = trace_.deviceName.empty() ? "which device it is of" : "which accelerator \"" + trace_.deviceName + "\" is";
        std::string choice;
        for (const std::string& id : match.ids) choice += (choice.empty() ? "" : " or ") + id;
        fail("not-recorded", "The record doesn't say " + device + (choice.empty() ? ": the catalogue has no such entry." : ": it may be " + choice + "."), "Give --accelerator ID" + (match.ids.empty() ? std::string() : ", for example " + match.ids.front()) + ".");
        return {};
    }

    std::int64_t readPerNode(std::int64_t world) {
        if (!options_.perNode && world == 1) return 1;
        // A process that sees a single device of several ranks' may be kept from seeing its neighbours'.
        const std::int64_t seen = trace_.devices > 1 ? std::min(trace_.devices, world) : 0;
        const std::int64_t perNode = asked("/cluster/accelerators_per_node", options_.perNode, seen, "The record lists the " + std::to_string(trace_.devices) + " devices of its machine.", "how many of the job's accelerators one machine has", "Give --per-node N.");
        if (world % perNode == 0) return perNode;
        fail("not-whole-machines", std::to_string(world) + " ranks are no whole number of machines with " + std::to_string(perNode) + ".", "Give --per-node N that divides the ranks.");
        return 1;
    }

    // --- the plan ------------------------------------------------------------------------------------------------------------

    std::int64_t degree(const char* key, const std::optional<std::int64_t>& given, const TracedGroups::Degree& recorded, std::int64_t world) {
        if (!given && world == 1) return 1;
        return asked(std::string("/parallelism/") + key, given, recorded.ranks, recorded.why, std::string("how many ") + key + " ranks the job has", std::string("Give --") + key + " N.");
    }

    void writePlan(const DecoderProof& proof, std::int64_t world) {
        const std::int64_t tensor = degree("tensor", options_.tensor, groups_.tensor, world), pipeline = degree("pipeline", options_.pipeline, groups_.pipeline, world), context = degree("context", options_.context, groups_.context, world);
        const std::int64_t expert = options_.expert ? *options_.expert : std::max<std::int64_t>(1, groups_.expert.ranks);
        if (hasErrors(job_.problems)) return;
        if (world % (tensor * pipeline * context) != 0) return fail("not-a-plan", "tensor × pipeline × context is " + std::to_string(tensor * pipeline * context) + ", which does not divide the " + std::to_string(world) + " ranks.", "Give --tensor, --pipeline and --context as the job had them.");
        if (pipeline > 1 && !options_.rank && !trace_.rank) return fail("not-recorded", "The record doesn't say its rank, and with it its stage.", "Give --rank N.");
        if (tensor > 1) document_["parallelism"]["tensor"] = tensor;
        if (pipeline > 1) document_["parallelism"]["pipeline"] = pipeline;
        if (context > 1) document_["parallelism"]["context"] = context;
        if (expert > 1) document_["parallelism"]["expert"] = expert;
        if (!options_.model.empty()) writeNamedModel(proof, tensor);
        else writeProvenModel(*proof.shapes, tensor, pipeline);
        writeWorkload(proof.shapes, world / (tensor * pipeline * context), context);
    }

    void writeNamedModel(const DecoderProof& proof, std::int64_t tensor) {
        const ModelEntry* entry = catalog_.model(options_.model);
        if (entry == nullptr) return fail("unknown-model", "No model is called \"" + options_.model + "\".", "Give --model with an id that \"list models\" prints.");
        document_["model"] = {{"preset", options_.model}};
        find("/model/preset", options_.model, Source::user, "Given.");
        if (!proof.shapes) return;
        Problems ignored;
        const auto architecture = importArchitecture(entry->config, "", ignored);
        if (!architecture) return;
        const DecoderShapes& shapes = *proof.shapes;
        if (architecture->hidden != shapes.hidden || architecture->heads != shapes.heads * tensor || architecture->headDim != shapes.headDim)
            report(Severity::warning, "other-than-recorded", "The record's shapes are of a model with hidden size " + std::to_string(shapes.hidden) + ", " + std::to_string(shapes.heads * tensor) + " heads of " + std::to_string(shapes.headDim) + "; " + options_.model + " has " + std::to_string(architecture->hidden) + ", " + std::to_string(architecture->heads) + " of " + std::to_string(architecture->headDim) + ".", "Leave --model out to take what the record proves.");
    }

    void writeProvenModel(const DecoderShapes& shapes, std::int64_t tensor, std::int64_t pipeline) {
        std::vector<std::string> assumed;
        document_["model"] = {{"config", *decoderConfig(shapes, tensor, pipeline, assumed)}};
        const Json& config = document_["model"]["config"];
        find("/model/config", config, Source::record, std::to_string(shapes.layers) + " attentions for each look-up of tokens are the rank's layers; the widths are those of its embedding, attentions and products.");
        for (std::string& sentence : assumed) find("/model/config", nullptr, Source::assumed, std::move(sentence));
    }

    std::int64_t number(const std::string& pointer, const std::optional<std::int64_t>& given, std::int64_t recorded, const std::string& why, const std::string& lacking, const std::string& option) { return asked(pointer, given, recorded, why, lacking, "Give " + option + " N."); }

    void writeWorkload(const std::optional<DecoderShapes>& shapes, std::int64_t data, std::int64_t context) {
        const bool training = shapes ? shapes->training : hasBackward();
        const std::int64_t tokens = shapes ? shapes->tokens : 0, batch = shapes ? shapes->batch : 0;
        const std::int64_t sequence = number(training ? "/workload/sequence_length" : "/workload/input_length", options_.sequenceLength, tokens * context, context > 1 ? "Attention meets this many tokens on each of the context ranks." : "Attention meets this many tokens.", "how many tokens a sequence has", "--sequence-length");
        const std::int64_t micro = number(training ? "/workload/micro_batch_size" : "/workload/batch_size", options_.microBatchSize, batch, "Attention meets this many sequences at once.", "how many sequences run at once", "--micro-batch-size");
        Json workload = {{"precision", precisionOf(shapes)}};
        if (training) {
            const auto steps = static_cast<std::int64_t>(std::max<std::size_t>(1, trace_.profilerSteps.size()));
            const std::int64_t perStep = shapes && shapes->forwards % steps == 0 ? shapes->forwards / steps : 0;
            const std::int64_t microBatches = number("/workload/global_batch_size", options_.microBatches, perStep, "In each of " + std::to_string(steps) + " steps of the profiler tokens are looked up so often.", "how many micro-batches a step has", "--micro-batches");
            workload.update({{"kind", "training"}, {"sequence_length", sequence}, {"micro_batch_size", micro}, {"global_batch_size", micro * microBatches * data}});
            if (shapes && !shapes->optimizer.empty()) workload["optimizer"] = shapes->optimizer;
            writeExecution(shapes);
        } else {
            const std::int64_t output = 1 + (shapes ? shapes->decodes : 0);
            workload.update({{"kind", "inference"}, {"batch_size", micro}, {"input_length", sequence}, {"output_length", output}});
            find("/workload/kind", "inference", Source::record, "No operator of a backward was recorded.");
            find("/workload/output_length", output, Source::record, "A token of the prompt's end, and one for each recorded forward over a cache.");
            if (data > 1) document_["parallelism"]["data"] = data;
        }
        document_["workload"] = std::move(workload);
    }

    void writeExecution(const std::optional<DecoderShapes>& shapes) {
        Json execution = Json::object();
        if (shapes) {
            execution["recompute"] = shapes->recomputed ? "full" : "none";
            find("/execution/recompute", execution["recompute"], Source::record, shapes->recomputed ? "Attention ran again inside the backward." : "No forward ran again inside the backward.");
        }
        const int zero = groups_.gathersInForward && groups_.scatters ? 3 : groups_.scatters ? 1
                                                                                             : 0;
        if (zero > 0) {
            document_["parallelism"]["zero_stage"] = zero;
            find("/parallelism/zero_stage", zero, Source::assumed, zero == 3 ? "Forwards gather and backwards scatter, as with sharded weights." : "Gradients are scattered and weights are not gathered in forwards.");
        }
        if (!execution.empty()) document_["execution"] = std::move(execution);
    }

    std::string precisionOf(const std::optional<DecoderShapes>& shapes) {
        const std::string format = shapes ? shapes->format : "";
        const std::string precision = format == "fp8" ? "fp8" : sixteenBits();
        if (format == "32") report(Severity::warning, "no-such-precision", "The record's products are of 32-bit numbers, for which a scenario has no precision; " + sixteenBits() + " stands there.", "Run the recorded graph (--graph): it keeps the recorded times.");
        find("/workload/precision", precision, format == "16" || format == "fp8" ? Source::record : Source::assumed, format.empty() ? "The record does not say." : "The products' numbers have that many bits.");
        return precision;
    }

    /// The 16-bit format that the accelerator multiplies.
    std::string sixteenBits() const {
        const Accelerator* accelerator = catalog_.accelerator(document_["cluster"]["accelerator"].get<std::string>());
        return accelerator != nullptr && !accelerator->peakDense.contains("bf16") ? "fp16" : "bf16";
    }

    bool hasBackward() const {
        return std::any_of(calls_.operators().begin(), calls_.operators().end(), [](const TracedOperator& op) { return op.phase == TracedPhase::backward; });
    }

    // --- the recorded graph --------------------------------------------------------------------------------------------------

    void writeGraph(const DecoderProof& proof) {
        const TracedGraph graph = tracedGraph(trace_, calls_);
        document_["model"] = {{"graph", {{"nodes", *graph.nodes}}}};
        document_["parallelism"] = Json::object();
        document_["workload"] = {{"kind", "training"}, {"sequence_length", 1}, {"global_batch_size", document_["cluster"]["nodes"].get<std::int64_t>() * document_["cluster"]["accelerators_per_node"].get<std::int64_t>()}, {"micro_batch_size", 1}, {"precision", sixteenBits()}};
        const std::string from = graph.step.empty() ? "the record" : graph.step;
        find("/model/graph", nullptr, Source::record, std::to_string(graph.kernels) + " kernels and copies of " + from + " with their recorded times; its collectives run on the cluster" + (options_.graph ? "." : ", for as a decoder it is not proven: " + proof.missing + "."));
        find("/workload", nullptr, Source::assumed, "Sequences and batches do not matter to a recorded graph; one of each rank stands there.");
        find("/model/graph", nullptr, Source::assumed, "The device is never idle for its host: gaps between kernels are not in the graph.");
        if (graph.shapeless > 0) report(Severity::warning, "kernels-without-operator", std::to_string(graph.shapeless) + " of " + std::to_string(graph.kernels) + " kernels and copies stand in no operator whose shapes are known; they keep their recorded times on any accelerator.", "Record with record_shapes=True, and without captured graphs, to have more of them known.");
        if (graph.unsized > 0) report(Severity::warning, "unsized-collectives", "The record doesn't say the bytes of " + std::to_string(graph.unsized) + " collectives; they keep their recorded times, waiting included.", "Record with record_shapes=True: then the calls of collectives say their bytes.");
    }

    void writeHybrid() {
        for (const auto& [rank, file] : options_.recorded) document_["hybrid"]["ranks"][std::to_string(rank)] = file;
        if (!options_.recorded.empty() && options_.communication) document_["hybrid"]["communication"] = communicationRulesDocument(*options_.communication);
    }

    void writeNotes() {
        static const std::map<Source, const char*> heads{{Source::record, "Proven by the record"}, {Source::user, "Given"}, {Source::assumed, "Not proven"}};
        std::string notes;
        for (const auto& [source, head] : heads) {
            std::string lines;
            for (const TracedFinding& finding : job_.findings) {
                if (finding.source != source) continue;
                const bool plain = finding.value->is_primitive() && !finding.value->is_null();
                lines += "- " + finding.pointer + (plain ? " = " + (finding.value->is_string() ? finding.value->get<std::string>() : finding.value->dump()) : "") + (source == Source::user ? "" : ": " + finding.why) + "\n";
            }
            if (!lines.empty()) notes += std::string(head) + ":\n" + lines;
        }
        document_["notes"] = notes;
    }

    const KinetoTrace& trace_;
    const Catalog& catalog_;
    const TracedJobOptions& options_;
    TracedCalls calls_;
    TracedGroups groups_;
    Json document_;
    TracedJob job_;
};

} // namespace

TracedJob tracedJob(const KinetoTrace& trace, const Catalog& catalog, const TracedJobOptions& options) { return ScenarioOfRecord(trace, catalog, options).run(); }

} // namespace orrery
