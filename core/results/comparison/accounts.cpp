// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/comparison/accounts.hpp"
#include "core/base/json.hpp"
#include "core/results/report/result_pointer.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace orrery {
namespace {

template <std::size_t count> bool isAmong(std::string_view word, const std::array<std::string_view, count>& words) { return std::find(words.begin(), words.end(), word) != words.end(); }

/// "attention.qkv" of "attention.qkv.backward".
std::string_view withoutDirection(std::string_view kind) {
    constexpr std::array<std::string_view, 4> directions{".backward", ".gradient_sum", ".cast", ".again"};
    for (const std::string_view direction : directions)
        if (kind.ends_with(direction)) return kind.substr(0, kind.size() - direction.size());
    return kind;
}

} // namespace

std::string operatorClass(std::string_view kind) {
    if (kind.ends_with(".dgrad") || kind.ends_with(".wgrad")) return "GEMM";
    if (kind.ends_with(".cast") || kind.ends_with(".gradient_sum")) return "elementwise"; // copies and sums beside the products that they serve
    const std::string_view forward = withoutDirection(kind);
    const std::string_view step = forward.substr(forward.rfind('.') + 1);
    constexpr std::array<std::string_view, 5> ofAttention{"core", "scores", "softmax", "context", "probability_dropout"};
    if (forward.starts_with("attention.") && isAmong(step, ofAttention)) return "attention";
    constexpr std::array<std::string_view, 22> products{"qkv", "q", "k", "v", "query", "key_value", "output", "q_down", "q_up", "q_absorb", "kv_down", "qkv_down", "kv_up", "value_up", "gate", "gate_up", "up", "down", "experts", "router", "logits", "lora"};
    if (isAmong(step, products)) return "GEMM";
    // Operators of recorded graphs go by the names that frameworks give them.
    for (const std::string_view word : {"attention", "flash", "sdpa"})
        if (kind.find(word) != std::string_view::npos && !kind.starts_with("attention.")) return "attention";
    for (const std::string_view word : {".mm", "addmm", "bmm", "linear", "matmul", "gemm", "convolution"})
        if (kind.find(word) != std::string_view::npos) return "GEMM";
    return "elementwise";
}

namespace {

std::optional<double> numberAt(const Json& result, const std::string& pointer) {
    const Json* value = resultAt(result, pointer);
    return value && value->is_number() ? std::optional(value->get<double>()) : std::nullopt;
}

void addNumbers(Account& account, const Json& members) {
    for (const auto& [name, value] : members.items())
        if (value.is_number()) account.parts.push_back({name, value.get<double>()});
}

std::optional<Account> breakdown(const Json& result, double value, const char* of = "/time_breakdown_s") {
    const Json* members = resultAt(result, of);
    if (!members || !members->is_object() || members->empty()) return std::nullopt;
    Account account{value, {}};
    addNumbers(account, *members);
    return account;
}

/// Operators' times of forward and backward by class, s; nothing where the result lists none.
std::vector<Account::Part> classesOf(const Json& result) {
    std::vector<Account::Part> classes{{"GEMM", 0}, {"attention", 0}, {"elementwise", 0}};
    const Json* operations = resultAt(result, "/operations");
    double all = 0;
    if (operations && operations->is_array()) {
        for (const Json& operation : *operations) {
            const std::string phase = operation.value("phase", "");
            if (phase != "forward" && phase != "backward") continue;
            const double time = operation.value("time_s", 0.0);
            const std::string name = operatorClass(operation.value("kind", ""));
            for (Account::Part& part : classes)
                if (part.name == name) part.value += time;
            all += time;
        }
    }
    if (!(all > 0)) classes.clear();
    return classes;
}

/// The breakdown of an iteration with forward and backward by what is computed there. Operators are means over all accelerators, the breakdown is
/// of the stage that ends the iteration: what it computes is shared out as operators take, after what communication beside them costs.
std::optional<Account> iterationAccount(const Json& result, double value) {
    std::optional<Account> account = breakdown(result, value);
    std::vector<Account::Part> classes = classesOf(result);
    if (!account || classes.empty()) return account;
    double computed = 0, all = 0;
    std::vector<Account::Part> others;
    if (result.value("kind", "") == "rl") return account; // its parts are whole jobs
    for (const Account::Part& part : account->parts) {
        if (part.name == "forward" || part.name == "backward") computed += part.value;
        else others.push_back(part);
    }
    const double slowed = std::min(computed, numberAt(result, "/interference_s").value_or(0.0));
    for (const Account::Part& part : classes) all += part.value;
    for (Account::Part& part : classes) part.value *= (computed - slowed) / all;
    account->parts = std::move(classes);
    account->parts.insert(account->parts.end(), others.begin(), others.end());
    if (slowed > 0) account->parts.push_back({"interference", slowed});
    return account;
}

/// Times of a phase's operators by what stands before the point of their kind ("attention.qkv": attention), and what the phase takes beside them.
void addPhase(Account& account, const Json& result, const std::string& phase, double seconds) {
    const Json* operations = resultAt(result, "/operations");
    const std::size_t first = account.parts.size();
    double inOperators = 0;
    if (operations && operations->is_array()) {
        for (const Json& operation : *operations) {
            if (operation.value("phase", "") != phase) continue;
            const std::string kind = operation.value("kind", "");
            const std::string name = phase + " " + kind.substr(0, kind.find('.'));
            const double time = operation.value("time_s", 0.0);
            inOperators += time;
            const auto part = std::find_if(account.parts.begin() + static_cast<std::ptrdiff_t>(first), account.parts.end(), [&](const Account::Part& one) { return one.name == name; });
            if (part == account.parts.end()) account.parts.push_back({name, time});
            else part->value += time;
        }
    }
    account.parts.push_back({phase + " besides", seconds - inOperators});
}

/// A static batch: prefill to the first token, then decode.
std::optional<Account> batchAccount(const Json& result, const std::string& pointer, double value) {
    const auto ttft = numberAt(result, "/ttft_s"), latency = numberAt(result, "/request_latency_s");
    if (!ttft || !latency) return std::nullopt;
    Account account{value, {}};
    if (pointer != "/tpot_s") addPhase(account, result, "prefill", *ttft);
    const double decoding = *latency - *ttft;
    if (pointer == "/ttft_s") return account;
    const std::size_t first = account.parts.size();
    addPhase(account, result, "decode", decoding);
    if (pointer == "/tpot_s" && decoding > 0)
        for (std::size_t i = first; i < account.parts.size(); ++i) account.parts[i].value *= value / decoding;
    return account;
}

/// Means of served requests; an older result divides the whole latency alone.
std::optional<Account> servedAccount(const Json& result, const std::string& pointer, double value) {
    if (pointer == "/e2e_s/mean") return breakdown(result, value);
    if (pointer == "/ttft_s/mean") return breakdown(result, value, "/ttft_breakdown_s");
    if (pointer == "/seconds_per_output_token") return breakdown(result, value, "/output_token_breakdown_s");
    return pointer == "/tpot_s/mean" ? breakdown(result, value, "/tpot_breakdown_s") : std::nullopt;
}

/// By kind, of the stage that needs most.
std::optional<Account> memoryAccount(const Json& result, double value) {
    const Json* stages = resultAt(result, "/memory/stages");
    if (!stages || !stages->is_array() || stages->empty()) return std::nullopt;
    const auto fullest = std::max_element(stages->begin(), stages->end(), [](const Json& a, const Json& b) { return a.value("peak_bytes", 0.0) < b.value("peak_bytes", 0.0); });
    Account account{value, {}};
    for (const char* kind : {"weights", "gradients", "optimizer_states", "activations", "kv_cache", "temporary", "communication_buffers", "fragmentation", "framework"})
        if (fullest->contains(kind)) account.parts.push_back({kind, fullest->value(kind, 0.0)});
    return account;
}

bool isOneOf(const std::string& pointer, std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&](const char* name) { return pointer == name; });
}

} // namespace

std::optional<Account> accountOf(const Json& result, const std::string& pointer) {
    const auto value = numberAt(result, pointer);
    if (!value) return std::nullopt;
    const std::string kind = result.value("kind", "training");
    if (pointer == "/memory/peak_bytes") return memoryAccount(result, *value);
    if (kind == "inference") return isOneOf(pointer, {"/request_latency_s", "/ttft_s", "/tpot_s"}) ? batchAccount(result, pointer, *value) : std::nullopt;
    if (kind == "serving") return servedAccount(result, pointer, *value);
    return pointer == "/iteration_time_s" ? iterationAccount(result, *value) : std::nullopt;
}

std::optional<DrivenBy> drivenBy(const Json& result, const std::string& pointer) {
    const std::string kind = result.value("kind", "training");
    if (kind == "inference") {
        if (isOneOf(pointer, {"/output_tokens_per_s", "/output_tokens_per_s_per_accelerator"})) return DrivenBy{"/request_latency_s", true};
        return std::nullopt;
    }
    if (kind == "serving" && isOneOf(pointer, {"/output_tokens_per_s", "/output_tokens_per_s_per_accelerator"})) return DrivenBy{"/seconds_per_output_token", true};
    if (kind == "serving" && pointer == "/cost_per_million_output_tokens") return DrivenBy{"/seconds_per_output_token", false};
    // Requests overlap: no other rate is one over a latency but that of one user.
    if (kind == "serving") return pointer == "/output_tokens_per_s_per_user" ? std::optional(DrivenBy{"/tpot_s/mean", true}) : std::nullopt;
    if (kind == "rl" && isOneOf(pointer, {"/answers_per_s", "/output_tokens_per_s"})) return DrivenBy{"/iteration_time_s", true};
    if (isOneOf(pointer, {"/tokens_per_s", "/tokens_per_s_per_accelerator", "/model_tflops_per_accelerator", "/mfu", "/hfu", "/mfu_causal"})) return DrivenBy{"/iteration_time_s", true};
    if (isOneOf(pointer, {"/run/days", "/run/accelerator_hours", "/run/cost", "/cost_per_billion_tokens"})) return DrivenBy{"/iteration_time_s", false};
    return std::nullopt;
}

} // namespace orrery
