// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compared.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/network/network_speed.hpp"
#include "core/results/comparison/accounts.hpp"
#include "core/results/comparison/compare.hpp"
#include "core/scenario/document/variants.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/operator_words.hpp"
#include "widgets/explore/explore_words.hpp"
#include "widgets/insight/difference_bars.hpp"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace orrery {
namespace {

struct ComparedText {
    Q_DECLARE_TR_FUNCTIONS(ComparedText)
};

/// Less than this share of a figure is nothing that a reader sees.
constexpr double unseenShare = 5e-5;

QString cutWords(QString text) {
    constexpr int longest = 24;
    if (text.size() > longest) text = text.left(longest - 1) + QStringLiteral("…");
    return text;
}

QString chipValue(const Json* value) {
    if (!value) return {};
    if (value->is_object() || value->is_array()) {
        const QString words = valueWords(*value);
        return words.startsWith(u'{') || words.startsWith(u'[') ? ComparedText::tr("changed") : cutWords(words);
    }
    return cutWords(valueWords(*value).remove(QLatin1Char(',')));
}

} // namespace

std::string usualFigure(const Result& result) {
    if (result.inference()) return "/request_latency_s";
    return result.serving() ? "/e2e_s/mean" : "/iteration_time_s";
}

double usualFigureOf(const Result& result) {
    if (const TrainingMetrics* training = result.training()) return training->iterationTime;
    if (const InferenceMetrics* inference = result.inference()) return inference->requestLatency;
    if (const RlReport* loop = result.rl()) return loop->stepTime;
    return result.serving()->served.e2e.mean;
}

bool areOfOneKind(const Result& a, const Result& b) { return a.metrics.index() == b.metrics.index(); }

QString signedChange(double from, double to) {
    if (!(std::abs(from) > 0)) return to == from ? QStringLiteral("±0 %") : QStringLiteral("–");
    const double share = (to - from) / std::abs(from);
    if (std::abs(share) < unseenShare) return QStringLiteral("±0 %");
    const QString size = std::abs(share) >= 10 ? grouped(std::abs(share) * 100) + QStringLiteral(" %") : readablePercent(std::abs(share)).text();
    return (share < 0 ? QStringLiteral("−") : QStringLiteral("+")) + size;
}

QString signedFigure(const std::string& pointer, double difference) {
    if (difference == 0) return QStringLiteral("±") + figureWords(pointer, 0.0);
    return (difference < 0 ? QStringLiteral("−") : QStringLiteral("+")) + figureWords(pointer, std::abs(difference));
}

const char* changeRole(const std::string& pointer, double from, double to) {
    if (std::abs(to - from) <= unseenShare * std::abs(from)) return "secondary";
    const bool less = lessIsBetter(pointer) || pointer == "/kv_cache_utilisation" || pointer == "/preemptions";
    return (to < from) == less ? "good" : "warning";
}

QString sureChangeWords(const Result& from, const Result& to) {
    const double a = usualFigureOf(from), b = usualFigureOf(to);
    const QString change = signedChange(a, b);
    const std::optional<SureChange> sure = change.endsWith(QStringLiteral(" %")) ? sureChange(from, to, usualFigure(to), a, b) : std::nullopt;
    if (!sure) return change;
    const double half = 50 * (sure->high - sure->low);
    return ComparedText::tr("%1 ± %2 %").arg(change.chopped(2), grouped(half, half < 9.95 ? 1 : 0));
}

const char* sureChangeRole(const Result& from, const Result& to) {
    const double a = usualFigureOf(from), b = usualFigureOf(to);
    const std::optional<SureChange> sure = sureChange(from, to, usualFigure(to), a, b);
    return sure && !sure->isSure() ? "secondary" : changeRole(usualFigure(to), a, b);
}

std::vector<FigurePart> usualParts(const Result& result) {
    std::vector<FigurePart> parts;
    if (const TrainingMetrics* training = result.training()) {
        for (std::size_t i = 0; i < timePartCount; ++i) {
            const auto part = static_cast<TimePart>(i);
            if (training->breakdown[i] > 0) parts.push_back({partWords(std::string(toString(part))), training->breakdown[i], part});
        }
        return parts;
    }
    if (const InferenceMetrics* inference = result.inference()) {
        parts.push_back({ComparedText::tr("prefill"), inference->ttft, TimePart::forward});
        parts.push_back({ComparedText::tr("decode"), inference->requestLatency - inference->ttft, std::nullopt, true});
        return parts;
    }
    const Json document = toJson(result);
    const auto account = accountOf(document, usualFigure(result));
    if (!account) return parts;
    for (const Account::Part& part : account->parts)
        if (part.value > 0) parts.push_back({partWords(part.name), part.value, part.name == "prefill" ? std::optional(TimePart::forward) : std::nullopt, part.name == "decode"});
    return parts;
}

QStringList differenceChips(const Json& base, const std::vector<ScenarioEdit>& edits) {
    QStringList chips;
    // What the drawing says is told as a whole: a faster network is one change, in however many links.
    if (std::any_of(edits.begin(), edits.end(), [](const ScenarioEdit& edit) { return isOfDrawing(edit.pointer); }))
        if (const EditOutcome changed = applyEdits(base, edits); changed.error.empty()) {
            const Json* documents[] = {&base, &*changed.document};
            const auto words = [&](std::size_t i, const std::string& pointer) { return chipValue(valueAt(*documents[i], pointer)); };
            for (const ComparedInput& input : comparedInputs({documents[0], documents[1]}, words))
                if (isOfDrawing(input.pointer)) chips << input.name + u' ' + input.values[0] + QStringLiteral("→") + input.values[1];
        }
    for (const ScenarioEdit& edit : edits) {
        if (isOfDrawing(edit.pointer)) continue;
        QString key = keyLetter(edit.pointer).trimmed();
        if (key.isEmpty()) key = keyName(edit.pointer);
        const Json* before = valueAt(base, edit.pointer);
        const QString from = chipValue(before), to = edit.value->is_null() ? ComparedText::tr("default") : chipValue(&*edit.value);
        if (from.isEmpty() || from == to) chips << key + u' ' + to;
        else chips << key + u' ' + from + QStringLiteral("→") + to;
    }
    return chips;
}

QString inputWords(const ComparedScenario& scenario, const std::string& pointer) {
    if (const Json* value = valueAt(*scenario.document, pointer)) return valueWords(*value);
    if (scenario.result)
        for (const Assumption& assumed : scenario.result->assumed)
            if (assumed.pointer == pointer) return ComparedText::tr("%1 (assumed)").arg(valueWords(*assumed.value));
    return QStringLiteral("–");
}

namespace {

struct InputText {
    Q_DECLARE_TR_FUNCTIONS(ComparedInputs)
};

const std::string speedAt = "/cluster/scale_out/bandwidth_gb_s", topologyAt = "/cluster/topology", nodesAt = "/cluster/topology/nodes", linksAt = "/cluster/topology/links";

const Json* listAt(const Json& document, const std::string& pointer) {
    const Json* list = valueAt(document, pointer);
    return list && list->is_array() ? list : nullptr;
}

std::optional<double> speedOf(const Json& document) {
    const Json* cluster = valueAt(document, "/cluster");
    return cluster ? statedNetworkSpeed(*cluster) : std::nullopt;
}

/// What a link carries: as drawn, times what a stated speed makes of all links.
std::vector<double> ratesOf(const Json& document) {
    std::vector<double> rates;
    const Json* links = listAt(document, linksAt);
    if (!links) return rates;
    const double drawn = drawnNetworkSpeed(*valueAt(document, topologyAt));
    const double factor = drawn > 0 ? speedOf(document).value_or(drawn) / drawn : 1;
    for (const Json& link : *links) rates.push_back(link.is_object() && link.contains("bandwidth_gb_s") && link["bandwidth_gb_s"].is_number() ? link["bandwidth_gb_s"].get<double>() * factor : 0);
    return rates;
}

/// Whether two drawings' links differ by one factor, none of them included.
bool areOneNetwork(const Json& a, const Json& b) {
    const std::vector<double> before = ratesOf(a), after = ratesOf(b);
    if (before.size() != after.size()) return false;
    double factor = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (!(before[i] > 0) || !(after[i] > 0)) return false;
        const double own = after[i] / before[i];
        if (factor == 0) factor = own;
        if (std::abs(own - factor) > 1e-9 * factor) return false;
    }
    return true;
}

bool isRate(const std::string& pointer) { return pointer == speedAt || (pointer.starts_with(linksAt + "/") && pointer.ends_with("/bandwidth_gb_s")); }

double hostsIn(const Json& document) {
    double hosts = 0;
    if (const Json* nodes = listAt(document, nodesAt))
        for (const Json& node : *nodes)
            if (node.is_object() && node.value("kind", Json()) == "host") hosts += node.contains("replicas") && node["replicas"].is_number() ? node["replicas"].get<double>() : 1;
    if (const Json* count = valueAt(document, "/cluster/nodes"); count && count->is_number() && !listAt(document, nodesAt)) hosts = count->get<double>();
    return hosts;
}

/// "/cluster/topology/links/7/latency_us" → the list and what follows the number.
std::optional<std::pair<std::string, std::string>> entryOf(const std::string& pointer) {
    for (const std::string& list : {nodesAt, linksAt}) {
        if (!pointer.starts_with(list + "/")) continue;
        const std::size_t rest = pointer.find('/', list.size() + 1);
        return std::pair(list, rest == std::string::npos ? std::string() : pointer.substr(rest));
    }
    return std::nullopt;
}

} // namespace

bool isOfDrawing(const std::string& pointer) { return pointer.starts_with(topologyAt) || pointer == speedAt || pointer == "/cluster" || pointer == "/cluster/scale_out"; }

std::vector<ComparedInput> comparedInputs(const std::vector<const Json*>& documents, const InputWords& words) {
    std::vector<ComparedInput> inputs;
    if (documents.size() < 2) return inputs;
    const Json& first = *documents.front();
    std::vector<std::string> pointers;
    std::set<std::string> known;
    bool oneNetwork = true, drawingDiffers = false;
    for (std::size_t i = 1; i < documents.size(); ++i) {
        bool differs = false;
        for (const ScenarioEdit& edit : differences(first, *documents[i])) {
            if (isSharedByVariants(edit.pointer) || edit.pointer == "/name") continue;
            differs = differs || isOfDrawing(edit.pointer);
            if (known.insert(edit.pointer).second) pointers.push_back(edit.pointer);
        }
        drawingDiffers = drawingDiffers || differs;
        if (differs) oneNetwork = oneNetwork && areOneNetwork(first, *documents[i]);
    }
    const auto row = [&](const QString& name, const std::string& pointer, const auto& valueOf) {
        ComparedInput input{name, pointer, {}};
        for (std::size_t i = 0; i < documents.size(); ++i) input.values << valueOf(i);
        inputs.push_back(std::move(input));
    };
    if (drawingDiffers) {
        const auto speedWords = [&](std::size_t i) {
            const std::optional<double> speed = speedOf(*documents[i]);
            return speed ? bitRate(*speed) : words(i, speedAt);
        };
        const auto hostWords = [&](std::size_t i) { return grouped(hostsIn(*documents[i])); };
        const auto differ = [&](const auto& valueOf) {
            for (std::size_t i = 1; i < documents.size(); ++i)
                if (valueOf(i) != valueOf(0)) return true;
            return false;
        };
        if (differ(hostWords)) row(InputText::tr("hosts"), nodesAt, hostWords);
        if (differ(speedWords)) row(keyName(speedAt), speedAt, speedWords);
    }
    // What changes from one value to one other in many places is one input with so many places.
    std::map<std::vector<QString>, std::size_t> groups;
    std::map<std::size_t, std::size_t> places;
    for (const std::string& pointer : pointers) {
        if ((isRate(pointer) && oneNetwork) || pointer == speedAt || pointer == "/cluster/scale_out") continue;
        if (pointer == nodesAt || pointer == linksAt || pointer == topologyAt || pointer == "/cluster") {
            const auto countOf = [&](const std::string& list) {
                return [&documents, list](std::size_t i) {
                    const Json* there = listAt(*documents[i], list);
                    return grouped(there ? static_cast<double>(there->size()) : 0);
                };
            };
            if (pointer != nodesAt) row(InputText::tr("drawn links"), pointer, countOf(linksAt));
            continue;
        }
        const auto entry = entryOf(pointer);
        const auto valueOf = [&](std::size_t i) { return words(i, pointer); };
        if (!entry) {
            row(keyTitle(pointer), pointer, valueOf);
            continue;
        }
        std::vector<QString> group{QString::fromStdString(entry->first + entry->second)};
        for (std::size_t i = 0; i < documents.size(); ++i) group.push_back(valueOf(i));
        const auto [found, isNew] = groups.emplace(std::move(group), inputs.size());
        ++places[found->second];
        if (isNew) row(keyTitle(pointer), pointer, valueOf);
    }
    for (const auto& [input, count] : places) {
        const bool ofLinks = inputs[input].pointer.starts_with(linksAt);
        if (count > 1) inputs[input].name = (ofLinks ? InputText::tr("%1 of %2 links") : InputText::tr("%1 of %2 nodes")).arg(inputs[input].name, grouped(static_cast<double>(count)));
    }
    return inputs;
}

} // namespace orrery
