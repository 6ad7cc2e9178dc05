// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/service/run_bounds.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/base/units.hpp"
#include "core/order/requests/sessions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <variant>

namespace orrery {
namespace {

// Bytes as measured (gcc 12, 64 bit): 120 MB for 200,000 requests in 1.0 million steps, 740 MB for 50,000 in 9.9 million; rounded up.
constexpr double bytesOfRequest = 320, bytesOfStep = 80, bytesOfPrompt = 48, bytesOfToken = 64;
constexpr double bytesOfSaidToken = 0.5;        ///< a hash of 8 bytes for 16 tokens
constexpr double spared = 0.95;                 ///< of the ceiling that a mend fills
constexpr double mostTokensOfStep = 2147483647; ///< that are counted in 32 bits

double meanOf(const LengthLaw& law) {
    switch (law.kind) {
    case LengthKind::uniform:
    case LengthKind::zipf: return (double(law.least) + law.most) / 2; // zipf's is less
    default: return std::clamp(law.mean, double(law.least), double(law.most));
    }
}

struct Load {
    double count = 0, input = 1, output = 1;
    double seconds = 0;                                        ///< over which requests arrive
    double together = std::numeric_limits<double>::infinity(); ///< requests under way at most
};

Load loadOf(const RequestsSpec& requests) {
    Load load;
    if (const auto* law = std::get_if<RequestLaw>(&requests)) {
        load.count = law->count;
        load.input = meanOf(law->input);
        load.output = meanOf(law->output);
        if (law->process == ArrivalProcess::closed_loop) load.together = std::max(1, law->concurrency);
        else if (law->process != ArrivalProcess::all_at_once) load.seconds = load.count / law->ratePerSecond;
        if (law->sessions) { // the mean prompt stands halfway through a session
            load.seconds += meanOf(law->sessions->turns) * law->sessions->toolWait;
            load.together *= std::max(1, law->sessions->branches);
            load.count *= requestsOfSession(*law->sessions);
            load.input += (meanOf(law->sessions->turns) - 1) / 2 * (meanOf(law->sessions->turnInput.value_or(law->input)) + load.output);
        }
        return load;
    }
    const std::vector<Request>& list = std::get<RequestLog>(requests).list->requests;
    load.count = static_cast<double>(list.size());
    if (list.empty()) return load;
    double input = 0, output = 0;
    for (const Request& request : list) {
        input += request.input;
        output += request.output;
    }
    load.input = input / load.count;
    load.output = output / load.count;
    load.seconds = list.back().arrival - list.front().arrival;
    return load;
}

/// Steps of a pool's instances. Where requests wait for each other a step has as many of them as may run; where they come slowly steps follow
/// each other as fast as the smallest takes; and never are there more than tokens and prompts.
double stepsOf(const EnginePool& pool, const Load& load) {
    if (load.input + load.output > pool.options.settings.maxModelLength || pool.blocks < 1) return 0; // rejected
    const double instances = std::max(1, pool.instances()), requests = load.count / instances;
    const EngineSettings settings = pool.settings().engine;
    const double output = pool.role == InstanceRole::prefill ? 0 : load.output;
    const double length = load.input + load.output; // windows leave part of it behind: as many more fit
    const int behind = pool.window.worth(pool.window.blocksBehind(static_cast<std::int64_t>(length), settings.blockSize));
    const double room = static_cast<double>(pool.blocks) * settings.blockSize / (length - static_cast<double>(behind) * settings.blockSize);
    const double together = std::clamp(std::min({double(settings.maxSeqs), load.together / instances, room}), 1.0, std::max(1.0, requests));
    const double prompts = pool.role == InstanceRole::decode ? 0 : requests * std::max(1.0, std::ceil(load.input / settings.maxBatchedTokens));
    StepBatch smallest;
    smallest.decodes = 1;
    smallest.decodeContext = 1;
    const double least = pool.clock->seconds(smallest);
    const double idleFree = least > 0 ? load.seconds / least : std::numeric_limits<double>::infinity();
    return instances * std::min(requests * output + prompts, idleFree + requests * output / together + prompts + output);
}

std::string inGigabytes(double bytes) { return formatNumber(std::ceil(bytes / units::gigabyte * 10) / 10) + " GB"; }

Problem tooLarge(const std::string& pointer, std::string what, double bytes, const RunControl& control) {
    Problem problem;
    problem.code = "run-too-large";
    problem.pointer = pointer;
    problem.message = std::move(what) + " takes about " + inGigabytes(bytes) + " of memory; a run may have " + inGigabytes(control.memoryCeiling) + ".";
    return problem;
}

void offer(Problem& problem, const std::string& what, std::int64_t value) {
    problem.mend = "Use " + what + " up to " + std::to_string(value) + ", or raise the memory ceiling.";
    problem.edits = {{problem.pointer, value}};
}

} // namespace

ServedSize sizeOfServing(const ServingWorkload& workload, const std::vector<EnginePool>& pools) {
    const Load load = loadOf(workload.requests);
    ServedSize size;
    size.requests = load.count;
    for (const EnginePool& pool : pools) size.steps += stepsOf(pool, load);
    size.bytes = size.requests * bytesOfRequest + size.steps * bytesOfStep;
    if (const auto* law = std::get_if<RequestLaw>(&workload.requests); law != nullptr && law->sessions) size.bytes += size.requests * (load.input + load.output) * bytesOfSaidToken;
    return size;
}

bool keepsSteps(const ServingWorkload& workload, const ServedSize& size, const RunControl& control) { return !workload.fleet || size.bytes <= control.memoryCeiling; }

std::optional<Problem> servedBeyondCeiling(const ServingWorkload& workload, const std::vector<EnginePool>& pools, const RunControl& control) {
    ServedSize size = sizeOfServing(workload, pools);
    if (!keepsSteps(workload, size, control)) size.bytes -= size.steps * bytesOfStep;
    if (size.bytes <= control.memoryCeiling) return std::nullopt;
    const std::string what = "Serving " + counted(static_cast<std::int64_t>(size.requests), "request") + " in up to " + formatNumber(std::ceil(size.steps / 1e5) / 10) + " million steps";
    const double share = spared * control.memoryCeiling / size.bytes;
    const auto* law = std::get_if<RequestLaw>(&workload.requests);
    if (!law) {
        Problem problem = tooLarge("/workload/requests/file", what, size.bytes, control);
        problem.mend = "Serve a file of up to " + std::to_string(static_cast<std::int64_t>(size.requests * share)) + " of them, or raise the memory ceiling.";
        return problem;
    }
    if (const double count = std::floor(size.requests * share); count >= 1) {
        Problem problem = tooLarge("/workload/requests/count", what, size.bytes, control);
        offer(problem, "a count", static_cast<std::int64_t>(count));
        return problem;
    }
    Problem problem = tooLarge("/workload/requests/output_tokens", what, size.bytes, control);
    offer(problem, "output_tokens", std::max<std::int64_t>(1, static_cast<std::int64_t>(meanOf(law->output) * share)));
    return problem;
}

std::optional<Problem> batchBeyondCeiling(const InferenceWorkload& workload, const RunControl& control) {
    const double batch = workload.batchSize, input = workload.inputLength;
    if (batch * input > mostTokensOfStep) {
        Problem problem;
        problem.code = "too-many-tokens";
        problem.pointer = "/workload/batch_size";
        problem.message = "A step over " + counted(std::int64_t{workload.batchSize}, "prompt") + " of " + counted(std::int64_t{workload.inputLength}, "token") + " has more tokens than an engine can count.";
        problem.mend = "Use up to " + std::to_string(static_cast<std::int64_t>(mostTokensOfStep / input)) + " sequences.";
        problem.edits = {{problem.pointer, static_cast<std::int64_t>(mostTokensOfStep / input)}};
        return problem;
    }
    const double ofBatch = batch * bytesOfPrompt, ofTokens = double(workload.outputLength) * bytesOfToken;
    if (ofBatch + ofTokens <= control.memoryCeiling) return std::nullopt;
    const bool batchIsLarger = ofBatch > ofTokens;
    const double room = spared * control.memoryCeiling - (batchIsLarger ? ofTokens : ofBatch);
    Problem problem = tooLarge(batchIsLarger ? "/workload/batch_size" : "/workload/output_length",
                               "A batch of " + counted(std::int64_t{workload.batchSize}, "sequence") + " with " + counted(std::int64_t{workload.outputLength}, "token") + " each", ofBatch + ofTokens, control);
    const double most = std::max(1.0, std::floor(std::max(room, 0.0) / (batchIsLarger ? bytesOfPrompt : bytesOfToken)));
    offer(problem, batchIsLarger ? "a batch" : "an output_length", static_cast<std::int64_t>(most));
    return problem;
}

} // namespace orrery
