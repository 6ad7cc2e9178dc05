// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/recorded/record_words.hpp"

#include "core/base/json.hpp"
#include "core/records/ranks/recorded_memory.hpp"
#include "widgets/common/format.hpp"
#include "widgets/timeline/names.hpp"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

namespace orrery {
namespace {

struct RecordText {
    Q_DECLARE_TR_FUNCTIONS(RecordPanel)
};

QString separator() { return QStringLiteral(" · "); }

RecordCell timeCell(double seconds) { return {seconds > 0 ? readableTime(seconds).text() : QStringLiteral("–"), seconds}; }
RecordCell shareCell(double share) { return {readablePercent(share).text(), share}; }
RecordCell countCell(double count) { return {grouped(count), count}; }
RecordCell bytesCell(const std::optional<std::int64_t>& bytes) { return bytes ? RecordCell(readableBytes(static_cast<double>(*bytes)).text(), static_cast<double>(*bytes)) : RecordCell(QStringLiteral("–"), -1); }

double by(const SpanSum& sum, RecordedWork work) { return sum.byWork[static_cast<std::size_t>(work)]; }

double summed(const SpanSum& sum) {
    double all = 0;
    for (const double time : sum.byWork) all += time;
    return all;
}

QString rankTitle(const RecordTimeline& record, int stage) { return stageTitle(record.timeline, record.timeline.stages[static_cast<std::size_t>(stage)]); }

QString streamTitleOf(const Timeline& timeline, StreamKind kind) {
    TimelineLane lane;
    lane.stream = kind;
    return laneTitle(timeline, lane);
}

QString listedRanks(const Json& ranks) {
    constexpr std::size_t most = 8;
    QStringList names;
    for (std::size_t i = 0; i < ranks.size() && i < most; ++i) names << QString::fromStdString(ranks[i].dump());
    return names.join(QStringLiteral(", ")) + (ranks.size() > most ? QStringLiteral(" …") : QString());
}

/// What the what-ifs of a hybrid bring about: who hangs, whose memory runs out, what was left out.
QStringList whatIfsOf(const Json& document) {
    QStringList lines;
    if (document.contains("hang")) {
        const Json& hang = document.at("hang");
        lines << RecordText::tr("Collective %1 never ends: %2 ranks wait for rank %3.").arg(hang.at("collective").get<int>()).arg(hang.at("waiting").size()).arg(listedRanks(hang.at("missing")));
        if (hang.contains("blocked") && !hang.at("blocked").empty()) lines << RecordText::tr("%1 more ranks wait for these.").arg(hang.at("blocked").size());
    }
    if (document.contains("out_of_memory")) {
        const Json& beyond = document.at("out_of_memory");
        const auto inOperator = QString::fromStdString(beyond.at("operator").get<std::string>());
        lines << RecordText::tr("Rank %1 goes beyond the memory at its event %2, with %3%4.").arg(beyond.at("rank").get<int>()).arg(beyond.at("event").get<int>()).arg(readableBytes(beyond.at("reserved_bytes").get<double>()).text(), inOperator.isEmpty() ? QString() : RecordText::tr(" in %1", "operator").arg(inOperator));
    }
    if (document.contains("pruned") && document.at("pruned").at("tasks").get<int>() > 0)
        lines << RecordText::tr("Left out, because it reaches no recorded rank: %1 tasks, %2 ranks whole.").arg(document.at("pruned").at("tasks").get<int>()).arg(document.at("pruned").at("ranks").get<int>());
    return lines;
}

} // namespace

QString filesSummary(const ShownRecords& records) {
    if (records.hybrid) {
        const Json& document = **records.hybrid;
        const auto recorded = static_cast<int>(std::count_if(document.at("ranks").begin(), document.at("ranks").end(), [](const Json& rank) { return rank.at("source") == "recorded"; }));
        QStringList parts{RecordText::tr("hybrid replay from recorded traces: %1 of %2 ranks recorded").arg(recorded).arg(document.at("ranks").size())};
        if (const Json& time = document.at("iteration_time_s"); time.is_number()) parts << RecordText::tr("%1 an iteration").arg(readableTime(time.get<double>()).text());
        return parts.join(separator());
    }
    const auto count = static_cast<int>(records.job ? records.job->ranks.size() : 0);
    if (count == 0) return records.facts.size() == 1 ? RecordText::tr("one file") : RecordText::tr("%1 files").arg(records.facts.size());
    std::set<std::string> devices;
    std::int64_t world = 0;
    for (const RecordedRank& each : records.job->ranks) {
        if (!each.trace->deviceName.empty()) devices.insert(each.trace->deviceName);
        world = std::max(world, each.trace->worldSize.value_or(0));
    }
    QStringList parts{world > count ? RecordText::tr("%1 of %2 ranks").arg(count).arg(world) : count == 1 ? RecordText::tr("one rank")
                                                                                                          : RecordText::tr("%1 ranks").arg(count)};
    if (devices.size() == 1) parts << QString::fromStdString(*devices.begin());
    if (records.hasTimeline()) parts << readableTime(records.record->timeline.duration).text();
    if (count == 1) parts << QFileInfo(QString::fromStdString(records.job->ranks.front().file)).fileName();
    return parts.join(separator());
}

QString figuresOf(const ShownRecords& records) {
    const Timeline& timeline = records.record->timeline;
    std::vector<SpanSum> sums = spanSums(*records.record, 0, timeline.duration, SumBy::rank, false);
    std::erase_if(sums, [&timeline](const SpanSum& sum) { return timeline.stages[static_cast<std::size_t>(sum.stage)].role == "simulated"; });
    std::array<double, recordedWorkCount> works{};
    for (const SpanSum& sum : sums)
        for (std::size_t work = 0; work < works.size(); ++work) works[work] += sum.byWork[work];
    const double whole = timeline.duration * static_cast<double>(sums.size());
    const auto share = [&](RecordedWork work) { return readablePercent(works[static_cast<std::size_t>(work)] / whole).text(); };
    double busy = 0;
    for (const double time : works) busy += time;
    if (busy <= 0 || whole <= 0) return RecordText::tr("%1 recorded").arg(readableTime(timeline.duration).text());
    if (records.hybrid)
        return QStringList{RecordText::tr("%1 replayed").arg(readableTime(timeline.duration).text()), RecordText::tr("between collectives %1").arg(share(RecordedWork::kernel)), RecordText::tr("waiting for other ranks %1").arg(share(RecordedWork::waiting)), RecordText::tr("collectives under way %1").arg(share(RecordedWork::communication))}.join(separator());
    QStringList parts{RecordText::tr("%1 recorded").arg(readableTime(timeline.duration).text()), RecordText::tr("kernels %1").arg(share(RecordedWork::kernel))};
    if (works[static_cast<std::size_t>(RecordedWork::beside)] > 0) parts << RecordText::tr("kernels beside communication %1").arg(share(RecordedWork::beside));
    if (works[static_cast<std::size_t>(RecordedWork::communication)] > 0) parts << RecordText::tr("communication alone %1").arg(share(RecordedWork::communication));
    if (works[static_cast<std::size_t>(RecordedWork::waiting)] > 0) parts << RecordText::tr("waiting for other ranks %1").arg(share(RecordedWork::waiting));
    if (works[static_cast<std::size_t>(RecordedWork::copy)] > 0) parts << RecordText::tr("copies alone %1").arg(share(RecordedWork::copy));
    parts << RecordText::tr("devices idle %1").arg(readablePercent(std::max(0.0, 1 - busy / whole)).text());
    return parts.join(separator());
}

QStringList lacksOf(const ShownRecords& records) {
    QStringList lacks;
    if (records.hybrid) {
        const Json& document = **records.hybrid;
        if (!records.hasTimeline()) lacks << RecordText::tr("The iteration was run over the scenario's plan: what each rank waited and sent is in “Ranks”.");
        else if (records.record->timeline.stages.size() < document.at("ranks").size()) lacks << RecordText::tr("%1 of %2 ranks are drawn; “Ranks” lists all.").arg(records.record->timeline.stages.size()).arg(document.at("ranks").size());
        if (document.value("extrapolated", false)) lacks << RecordText::tr("Extrapolated: the records are of a job of another size.");
        lacks << whatIfsOf(document);
        if (records.rules != shippedCommunicationRules()) lacks << RecordText::tr("What counts as communication is told by the scenario's own rules (hybrid.communication).");
        return lacks;
    }
    if (!records.job || records.job->ranks.empty()) return lacks;
    bool host = false, device = false, memory = false, calls = false;
    int unknown = 0;
    for (const RecordedRank& each : records.job->ranks) {
        host |= !each.trace->operators.empty();
        calls |= !each.trace->runtimeCalls.empty();
        device |= !each.trace->device.empty();
        memory |= !each.trace->memory.empty();
        if (!each.rank) ++unknown;
    }
    if (!device && memory && !host) lacks << RecordText::tr("A memory snapshot: it has no kernels, only what was allocated when.");
    else if (!device) lacks << RecordText::tr("No work of a device was recorded, only calls of the host: there is nothing to say of streams, communication and waiting.");
    if (device && !host && !calls) lacks << RecordText::tr("Only a list of kernels: no call of the host was recorded, so that launches, threads and why a device is idle can't be shown.");
    else if (device && !calls) lacks << RecordText::tr("No call of the runtime was recorded, so that launches can't be shown.");
    else if (device && !host) lacks << RecordText::tr("No operator of the framework was recorded.");
    if (device && records.rules != shippedCommunicationRules()) lacks << RecordText::tr("What counts as communication is told by rules of your own (Records ▸ What counts as communication).");
    if (device && !memory) lacks << RecordText::tr("No memory was recorded.");
    if (records.job->ranks.size() > 1 && !records.job->whyApart.empty()) lacks << RecordText::tr("The ranks are shown side by side, but not taken together: %1").arg(QString::fromStdString(records.job->whyApart));
    if (unknown > 0) lacks << (records.job->ranks.size() == 1 ? RecordText::tr("The file does not say its rank: double-click it in “Ranks” to say it.") : RecordText::tr("%1 of the files do not say their rank: double-click one in “Ranks” to say it.").arg(unknown));
    if (records.record && records.record->hiddenCalls > 0) lacks << RecordText::tr("%1 calls of the host lie too deep, or on too many threads, to be drawn.").arg(grouped(static_cast<double>(records.record->hiddenCalls)));
    return lacks;
}

std::vector<std::pair<QString, QString>> factsOf(const Json& figures) {
    std::vector<std::pair<QString, QString>> facts;
    for (auto member = figures.begin(); member != figures.end(); ++member) {
        const QString name = QString::fromStdString(member.key()).replace(QLatin1Char('_'), QLatin1Char(' '));
        if (member->is_object()) {
            for (auto inner = member->begin(); inner != member->end(); ++inner)
                if (inner->is_primitive()) facts.emplace_back(name + separator() + QString::fromStdString(inner.key()), QString::fromStdString(inner->dump()));
        } else if (member->is_string()) {
            facts.emplace_back(name, QString::fromStdString(member->get<std::string>()));
        } else if (member->is_primitive()) {
            facts.emplace_back(name, QString::fromStdString(member->dump()));
        }
    }
    return facts;
}

QStringList sumColumns(SumBy by) {
    switch (by) {
    case SumBy::operation: return {RecordText::tr("Operator"), RecordText::tr("Kind"), RecordText::tr("Count"), RecordText::tr("Time"), RecordText::tr("Share"), RecordText::tr("Mean"), RecordText::tr("Longest")};
    case SumBy::stream: return {RecordText::tr("Rank"), RecordText::tr("Stream or thread"), RecordText::tr("Count"), RecordText::tr("Time"), RecordText::tr("Busy"), RecordText::tr("Kernels"), RecordText::tr("Communication"), RecordText::tr("Waiting")};
    case SumBy::rank: return {RecordText::tr("Rank"), RecordText::tr("Kernels"), RecordText::tr("Both at once"), RecordText::tr("Communication alone"), RecordText::tr("Waiting"), RecordText::tr("Copies alone"), RecordText::tr("Idle"), RecordText::tr("Idle share")};
    }
    return {};
}

std::vector<RecordTableRow> sumRows(const RecordTimeline& record, const std::vector<SpanSum>& sums, SumBy sumBy, double stretch) {
    const Timeline& timeline = record.timeline;
    std::vector<RecordTableRow> rows;
    double all = 0;
    for (const SpanSum& sum : sums) all += sum.time;
    for (const SpanSum& sum : sums) {
        RecordTableRow row;
        const auto count = static_cast<double>(sum.count);
        switch (sumBy) {
        case SumBy::operation:
            row.key = static_cast<int>(sum.op);
            row.cells = {QString::fromStdString(timeline.operators[sum.op].op.name), workName(timeline.works[sum.op]), countCell(count), timeCell(sum.time), shareCell(all > 0 ? sum.time / all : 0), timeCell(sum.time / count), timeCell(sum.longest)};
            break;
        case SumBy::stream:
            row.key = sum.stage;
            row.cells = {rankTitle(record, sum.stage), streamTitleOf(timeline, sum.stream), countCell(count), timeCell(sum.time), shareCell(stretch > 0 ? sum.time / stretch : 0), timeCell(by(sum, RecordedWork::kernel)), timeCell(by(sum, RecordedWork::communication)), timeCell(by(sum, RecordedWork::waiting))};
            break;
        case SumBy::rank: {
            row.key = sum.stage;
            const double idle = std::max(0.0, stretch - summed(sum));
            row.cells = {rankTitle(record, sum.stage), timeCell(by(sum, RecordedWork::kernel)), timeCell(by(sum, RecordedWork::beside)), timeCell(by(sum, RecordedWork::communication)), timeCell(by(sum, RecordedWork::waiting)), timeCell(by(sum, RecordedWork::copy)), timeCell(idle), shareCell(stretch > 0 ? idle / stretch : 0)};
            break;
        }
        }
        rows.push_back(std::move(row));
    }
    if (sumBy == SumBy::rank) std::stable_sort(rows.begin(), rows.end(), [](const RecordTableRow& a, const RecordTableRow& b) { return a.key < b.key; });
    return rows;
}

namespace {

/// Who the ranks of a hybrid run are: recorded themselves, or played after one that was.
std::vector<RecordTableRow> hybridRows(const ShownRecords& records) {
    std::vector<RecordTableRow> rows;
    std::map<QString, QString> recordedAs; // by file
    const Json& ranks = (*records.hybrid)->at("ranks");
    const auto word = [](const Json& rank, const char* key) { return rank.contains(key) && rank.at(key).is_string() ? QString::fromStdString(rank.at(key).get<std::string>()) : QString(); };
    for (const Json& rank : ranks)
        if (word(rank, "source") == QStringLiteral("recorded")) recordedAs.emplace(word(rank, "file"), QString::fromStdString(rank.at("rank").dump()));
    std::map<int, int> placeOf;
    if (records.record)
        for (const StageTimeline& stage : records.record->timeline.stages) placeOf[std::atoi(stage.ranks.c_str())] = stage.stage;
    for (const Json& rank : ranks) {
        const bool recorded = word(rank, "source") == QStringLiteral("recorded");
        const QString file = word(rank, "file");
        const auto like = recordedAs.find(file);
        const QString source = recorded ? RecordText::tr("recorded") : like != recordedAs.end() ? RecordText::tr("in the likeness of rank %1").arg(like->second)
                                                                   : file.isEmpty()             ? RecordText::tr("simulated, after the records of its class")
                                                                                                : RecordText::tr("in the likeness of %1").arg(file);
        const auto number = [&rank](const char* key) { return rank.contains(key) && rank.at(key).is_number() ? rank.at(key).get<double>() : -1.0; };
        const auto place = placeOf.find(static_cast<int>(number("rank")));
        rows.push_back({place == placeOf.end() ? -1 : place->second,
                        {RecordCell(QString::number(number("rank"), 'f', 0), number("rank")), source, word(rank, "class"), QFileInfo(file).fileName(), timeCell(std::max(0.0, number("waiting_s"))), timeCell(std::max(0.0, number("transit_s"))),
                         number("peak_bytes") < 0 ? RecordCell(QStringLiteral("–"), -1) : RecordCell(readableBytes(number("peak_bytes")).text(), number("peak_bytes"))}});
    }
    return rows;
}

} // namespace

QStringList rankColumns(const ShownRecords& records) {
    if (records.hybrid) return {RecordText::tr("Rank"), RecordText::tr("Source"), RecordText::tr("Class"), RecordText::tr("File"), RecordText::tr("Waits"), RecordText::tr("Transit"), RecordText::tr("Peak reserved")};
    return {RecordText::tr("Rank"), RecordText::tr("Source"), RecordText::tr("File"), RecordText::tr("Device"), RecordText::tr("Kernels"), RecordText::tr("Collectives"), RecordText::tr("Waits"), RecordText::tr("Clock ahead"), RecordText::tr("Peak allocated"), RecordText::tr("Peak reserved")};
}

std::vector<RecordTableRow> rankRows(const ShownRecords& records) {
    if (records.hybrid) return hybridRows(records);
    const RecordedJob& job = *records.job;
    const std::vector<std::vector<double>>& waiting = records.waiting;
    std::vector<RecordTableRow> rows;
    for (std::size_t place = 0; place < job.ranks.size(); ++place) {
        const RecordedRank& each = job.ranks[place];
        const auto kernels = std::count_if(each.trace->device.begin(), each.trace->device.end(), [](const DeviceEvent& event) { return event.work == DeviceWork::kernel; });
        const auto collectives = std::count_if(each.trace->device.begin(), each.trace->device.end(), [](const DeviceEvent& event) { return event.communication; });
        double waits = 0;
        if (place < waiting.size())
            for (const double time : waiting[place]) waits += time;
        const auto peak = recordedPeak(*each.trace);
        const double offset = static_cast<double>(job.clockOffsets[place]) * 1e-9;
        rows.push_back({static_cast<int>(place),
                        {each.rank ? RecordCell(QString::number(*each.rank), static_cast<double>(*each.rank)) : RecordCell(RecordText::tr("not said"), -1), RecordText::tr("recorded"), QFileInfo(QString::fromStdString(each.file)).fileName(),
                         QString::fromStdString(each.trace->deviceName), countCell(static_cast<double>(kernels)), countCell(static_cast<double>(collectives)), timeCell(waits),
                         job.collectives.empty() || offset == 0 ? RecordCell(QStringLiteral("–"), 0) : RecordCell((offset < 0 ? QStringLiteral("−") : QString()) + readableTime(std::abs(offset)).text(), offset),
                         bytesCell(peak ? std::optional(peak->allocated) : std::nullopt), bytesCell(peak ? std::optional(peak->reserved) : std::nullopt)}});
    }
    return rows;
}

std::map<int, QString> standInsOf(const ShownRecords& records) {
    if (!records.hybrid || !records.record) return {};
    struct OfClass {
        std::size_t ranks = 0;
        int place = -1;
        bool recorded = false;
    };
    std::map<std::string, OfClass> classes;
    std::map<int, std::string> classOf;
    for (const Json& rank : (*records.hybrid)->at("ranks")) {
        if (!rank.contains("class") || !rank.at("class").is_string()) return {};
        const std::string& name = classOf[rank.at("rank").get<int>()] = rank.at("class").get<std::string>();
        ++classes[name].ranks;
    }
    for (const StageTimeline& stage : records.record->timeline.stages) {
        OfClass& one = classes[classOf[std::atoi(stage.ranks.c_str())]];
        const bool recorded = stage.role == "recorded";
        if (one.place >= 0 && (one.recorded || !recorded)) continue;
        one.place = stage.stage;
        one.recorded = recorded;
    }
    std::map<int, QString> standIns;
    for (const auto& [name, one] : classes)
        if (one.place >= 0) standIns[one.place] = (name.empty() ? QString() : QString::fromStdString(name) + separator()) + (one.ranks == 1 ? RecordText::tr("1 rank") : RecordText::tr("%1 ranks").arg(one.ranks));
    return standIns.size() < records.record->timeline.stages.size() ? standIns : std::map<int, QString>();
}

QStringList besideColumns() { return {RecordText::tr("Class of operators"), RecordText::tr("Recorded"), RecordText::tr("Simulated"), RecordText::tr("Error"), RecordText::tr("Kernels recorded"), RecordText::tr("Kernels simulated")}; }

std::vector<RecordTableRow> besideRows(const BesideRecord& beside) {
    std::vector<RecordTableRow> rows;
    for (const OperatorClassTimes& one : beside.classes) {
        const double error = one.recorded > 0 ? one.simulated / one.recorded - 1 : 0;
        const QString sign = error > 0 ? QStringLiteral("+") : error < 0 ? QStringLiteral("−")
                                                                         : QString();
        rows.push_back({static_cast<int>(rows.size()), {QString::fromStdString(one.name), timeCell(one.recorded), timeCell(one.simulated), one.recorded > 0 ? RecordCell(sign + readablePercent(std::abs(error)).text(), error) : RecordCell(QStringLiteral("–"), 0), countCell(static_cast<double>(one.recordedKernels)), countCell(static_cast<double>(one.simulatedKernels))}});
    }
    return rows;
}

QString besideScope(const ShownBeside& beside) {
    const double error = beside.errors.recordedSpan > 0 ? beside.errors.simulatedSpan / beside.errors.recordedSpan - 1 : 0;
    QString text = RecordText::tr("Stage %1: %2 recorded, %3 simulated (%4%5)").arg(beside.errors.stage).arg(readableTime(beside.errors.recordedSpan).text(), readableTime(beside.errors.simulatedSpan).text(), error < 0 ? QStringLiteral("−") : QStringLiteral("+"), readablePercent(std::abs(error)).text());
    if (!beside.foreign.empty()) text = RecordText::tr("Another job: %1 Nothing of it calibrates this scenario.").arg(QString::fromStdString(beside.foreign.front())) + separator() + text;
    if (beside.errors.steps > 1) text += separator() + RecordText::tr("the record holds %1 steps, its times are of one").arg(beside.errors.steps);
    return text;
}

QStringList pathColumns() { return {RecordText::tr("On the path"), RecordText::tr("Kind"), RecordText::tr("Count"), RecordText::tr("Time"), RecordText::tr("Share")}; }

std::vector<RecordTableRow> pathRows(const ShownRecords& records, const std::vector<PathStep>& path) {
    struct Sum {
        double time = 0, count = 0;
        RecordedWork work = RecordedWork::kernel;
    };
    std::map<QString, Sum> sums;
    double whole = 0, covered = 0;
    if (!path.empty()) whole = static_cast<double>(path.back().end - path.front().start) * 1e-9;
    for (const PathStep& step : path) {
        const KinetoTrace& trace = *records.job->ranks[step.place].trace;
        const bool host = step.deviceEvent == PathStep::onHost;
        Sum& sum = sums[host ? RecordText::tr("calls of the host") : QString::fromStdString(trace.names[trace.device[step.deviceEvent].name])];
        sum.work = host ? RecordedWork::host : trace.device[step.deviceEvent].work != DeviceWork::kernel ? RecordedWork::copy
                                           : trace.device[step.deviceEvent].communication                ? RecordedWork::communication
                                                                                                         : RecordedWork::kernel;
        sum.time += static_cast<double>(step.end - step.start) * 1e-9;
        sum.count += 1;
        covered += static_cast<double>(step.end - step.start) * 1e-9;
    }
    std::vector<RecordTableRow> rows;
    rows.reserve(sums.size());
    for (const auto& [name, sum] : sums) rows.push_back({0, {name, workName(sum.work), countCell(sum.count), timeCell(sum.time), shareCell(whole > 0 ? sum.time / whole : 0)}});
    if (whole > covered) rows.push_back({0, {RecordText::tr("between the steps: launch and start"), RecordText::tr("nothing recorded"), RecordCell(QStringLiteral("–"), 0), timeCell(whole - covered), shareCell((whole - covered) / whole)}});
    std::stable_sort(rows.begin(), rows.end(), [](const RecordTableRow& a, const RecordTableRow& b) { return a.cells[3].number > b.cells[3].number; });
    return rows;
}

QString pathScope(const ShownRecords& records, const std::vector<PathStep>& path) {
    if (path.empty()) return {};
    std::set<std::size_t> places;
    for (const PathStep& step : path) places.insert(step.place);
    QStringList names;
    for (const std::size_t place : places) names << rankTitle(*records.record, static_cast<int>(place));
    return RecordText::tr("%1, over %2", "length of the critical path, ranks").arg(readableTime(static_cast<double>(path.back().end - path.front().start) * 1e-9).text(), names.join(QStringLiteral(", ")));
}

} // namespace orrery
