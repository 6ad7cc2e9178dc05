// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/requests/generate_requests.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/order/requests/random_stream.hpp"
#include "core/order/requests/sessions.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr double longestLength = 1e8; // tokens
constexpr double widestZipf = 1e7;    // entries of its table

/// A distribution and the keys without which it means nothing.
struct LengthWords {
    const char* name;
    LengthKind kind;
    std::vector<std::string> needs;
};

const std::vector<LengthWords>& lengthWords() {
    static const std::vector<LengthWords> words = {{"constant", LengthKind::constant, {"mean"}}, {"uniform", LengthKind::uniform, {"min", "max"}}, {"normal", LengthKind::normal, {"mean", "std"}}, {"lognormal", LengthKind::lognormal, {"mean", "std"}}, {"exponential", LengthKind::exponential, {"mean"}}, {"zipf", LengthKind::zipf, {"min", "max", "exponent"}}};
    return words;
}

class LengthReader {
public:
    LengthReader(const Json& value, std::string pointer, Problems& problems) : value_(value), pointer_(std::move(pointer)), problems_(problems) {}

    std::optional<LengthLaw> read() {
        LengthLaw law;
        if (value_.is_number()) {
            law.mean = number(value_, "", 1, longestLength, true);
            return finished(law);
        }
        if (!value_.is_object() || !value_.contains("distribution") || !value_["distribution"].is_string()) {
            add("bad-length", "", "a length is a number of tokens or an object with a \"distribution\"", R"(write 512, or {"distribution": "normal", "mean": 512, "std": 100})");
            return std::nullopt;
        }
        const std::string name = value_["distribution"].get<std::string>();
        const auto words = std::find_if(lengthWords().begin(), lengthWords().end(), [&](const LengthWords& one) { return one.name == name; });
        if (words == lengthWords().end()) {
            std::vector<std::string> names;
            for (const LengthWords& one : lengthWords()) names.emplace_back(one.name);
            add("unknown-distribution", "/distribution", "there is no distribution " + inQuotes(name), "choose " + joinWords(quoted(names), "or"));
            return std::nullopt;
        }
        law.kind = words->kind;
        for (const std::string& key : words->needs)
            if (!value_.contains(key)) add("missing-key", "", "a " + name + " distribution needs " + inQuotes(key), "add " + inQuotes(key));
        readKeys(law);
        return finished(law);
    }

private:
    void readKeys(LengthLaw& law) {
        const std::vector<std::string> known = {"distribution", "mean", "std", "min", "max", "exponent"};
        for (const auto& [key, entry] : value_.items()) {
            if (key == "mean") law.mean = number(entry, "/mean", 1, longestLength, law.kind == LengthKind::constant);
            else if (key == "std") law.deviation = number(entry, "/std", 0, longestLength, false);
            else if (key == "exponent") law.exponent = number(entry, "/exponent", 0, 100, false);
            else if (key == "min") law.least = static_cast<int>(number(entry, "/min", 1, longestLength, true));
            else if (key == "max") law.most = static_cast<int>(number(entry, "/max", 1, longestLength, true));
            else if (key != "distribution") {
                const auto nearest = nearestWord(key, known);
                add("unknown-key", "/" + key, "a distribution of lengths has no key " + inQuotes(key), nearest ? "did you mean " + inQuotes(nearest->word) + "?" : "remove it");
            }
        }
    }
    std::optional<LengthLaw> finished(LengthLaw law) {
        if (law.kind == LengthKind::constant) law.most = std::max(law.most, static_cast<int>(law.mean));
        if (law.least > law.most) add("bad-length", "/max", "the greatest length " + std::to_string(law.most) + " is below the least " + std::to_string(law.least), "swap \"min\" and \"max\"");
        else if (law.kind == LengthKind::zipf && law.most - law.least >= widestZipf) add("bad-length", "/max", "a zipf distribution has at most ten million lengths", "lower \"max\"");
        if (failed_) return std::nullopt;
        return law;
    }
    double number(const Json& entry, const std::string& below, double low, double high, bool isWhole) {
        if (entry.is_number()) {
            const auto value = entry.get<double>();
            if (value >= low && value <= high && (!isWhole || value == std::floor(value))) return value;
        }
        add("bad-length", below, std::string("expected a ") + (isWhole ? "whole " : "") + "number from " + formatNumber(low) + " to " + formatNumber(high), "correct the number");
        return low;
    }
    void add(const char* code, const std::string& below, std::string message, std::string mend) {
        Problem problem;
        problem.code = code;
        problem.pointer = pointer_ + below;
        problem.message = std::move(message);
        problem.mend = std::move(mend);
        problems_.push_back(std::move(problem));
        failed_ = true;
    }

    const Json& value_;
    std::string pointer_;
    Problems& problems_;
    bool failed_ = false;
};

} // namespace

std::optional<LengthLaw> readLengthLaw(const Json& value, const std::string& pointer, Problems& problems) { return LengthReader(value, pointer, problems).read(); }

LengthSource::LengthSource(const LengthLaw& law) : law_(law) {
    if (law.kind == LengthKind::lognormal) { // of the logarithm, by the moments of the lengths
        const double variance = portableLog(1 + (law.deviation / law.mean) * (law.deviation / law.mean));
        logDeviation_ = std::sqrt(variance);
        logMean_ = portableLog(law.mean) - variance / 2;
    }
    if (law.kind == LengthKind::zipf) {
        double sum = 0;
        cumulative_.reserve(static_cast<std::size_t>(law.most - law.least) + 1);
        for (int rank = 1; rank <= law.most - law.least + 1; ++rank) cumulative_.push_back(sum += portableExp(-law.exponent * portableLog(rank)));
        for (double& chance : cumulative_) chance /= sum;
    }
}

int LengthSource::draw(RandomStream& random) const {
    double length = law_.mean;
    switch (law_.kind) {
    case LengthKind::constant: break;
    case LengthKind::uniform: length = law_.least + std::floor(random.uniform() * (static_cast<double>(law_.most) - law_.least + 1)); break;
    case LengthKind::normal: length = law_.mean + law_.deviation * random.normal(); break;
    case LengthKind::lognormal: length = portableExp(logMean_ + logDeviation_ * random.normal()); break;
    case LengthKind::exponential: length = law_.mean * random.exponential(); break;
    case LengthKind::zipf: length = law_.least + static_cast<double>(std::lower_bound(cumulative_.begin(), cumulative_.end(), random.uniform()) - cumulative_.begin()); break;
    }
    return static_cast<int>(std::clamp(std::floor(length + 0.5), static_cast<double>(law_.least), static_cast<double>(law_.most)));
}

namespace {

double gapAfter(const RequestLaw& law, RandomStream& random) {
    switch (law.process) {
    case ArrivalProcess::poisson: return random.exponential() / law.ratePerSecond;
    case ArrivalProcess::gamma: return random.gamma(law.shape) / (law.shape * law.ratePerSecond);
    default: return 0;
    }
}

/// When something happens that a steady rate of 1 would have brought at a time: the inverse of the rate's integral, so that arrivals of a process
/// follow the curve as they would follow a clock that runs unevenly (the time-change theorem of point processes: Daley and Vere-Jones, 2003, 7.4).
class ArrivalCurve {
public:
    explicit ArrivalCurve(const RequestLaw& law) : period_(law.curvePeriod) {
        double sum = 0;
        for (const double weight : law.curve) sum += weight;
        double until = 0;
        for (const double weight : law.curve) until_.push_back(until += weight / sum);
        if (!until_.empty()) until_.back() = 1;
    }
    double operator()(double steady) const {
        if (until_.empty()) return steady;
        const double periods = std::floor(steady / period_), within = steady / period_ - periods;
        const auto part = std::min(std::upper_bound(until_.begin(), until_.end(), within), until_.end() - 1);
        const double from = part == until_.begin() ? 0 : *(part - 1);
        const double share = *part > from ? (within - from) / (*part - from) : 0;
        return (periods + (static_cast<double>(part - until_.begin()) + share) / static_cast<double>(until_.size())) * period_;
    }

private:
    double period_;
    std::vector<double> until_; ///< share of a period's requests up to the end of each part
};

} // namespace

int longestInput(const RequestLaw& law) {
    if (law.sessions && hasTurns(*law.sessions)) {
        int longest = 0;
        for (const Request& request : generateRequests(law).requests) longest = std::max(longest, request.input);
        return longest;
    }
    RandomStream inputs(law.seed, 2);
    const LengthSource input(law.input);
    int longest = 0;
    const int draws = law.input.kind == LengthKind::constant ? std::min(1, law.count) : law.count;
    for (int i = 0; i < draws; ++i) longest = std::max(longest, input.draw(inputs));
    return longest + law.imageTokens;
}

RequestList generateRequests(const RequestLaw& law) {
    RandomStream arrivals(law.seed, 1), inputs(law.seed, 2), outputs(law.seed, 3);
    const LengthSource input(law.input), output(law.output);
    RequestList list;
    if (law.process == ArrivalProcess::closed_loop) {
        list.concurrency = std::max(1, law.concurrency);
        list.ramp = law.ramp;
    }
    if (law.sharedPrefix > 0) list.hashBlockSize = law.sharedPrefix; // one block, the same in all
    list.requests.resize(static_cast<std::size_t>(std::max(0, law.count)));
    const ArrivalCurve curve(law);
    double now = 0;
    for (std::size_t i = 0; i < list.requests.size(); ++i) {
        Request& request = list.requests[i];
        if (law.process == ArrivalProcess::uniform) request.arrival = static_cast<double>(i) / law.ratePerSecond; // no sum, no drift
        else request.arrival = now;
        request.arrival = curve(request.arrival);
        request.input = input.draw(inputs) + law.imageTokens;
        request.output = output.draw(outputs);
        if (law.sharedPrefix > 0) request.hashes = {1};
        now += gapAfter(law, arrivals);
    }
    if (law.sessions && hasTurns(*law.sessions)) addTurns(list, law);
    return list;
}

} // namespace orrery
