// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/comparison/kernel_matching.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <tuple>

namespace orrery {
namespace {

constexpr std::string_view moduleMark = "nn.Module: ";

enum class ItemKind : std::uint8_t { module,
                                     called,
                                     launch };

/// Something on a thread of the host: what others stand in, or a launch.
struct Item {
    Interval when;
    std::uint32_t thread = 0;
    ItemKind kind = ItemKind::launch;
    std::uint32_t index = 0; ///< into the record's list of that kind
};

/// Where a thread is at a moment, with the end of what brought it there.
struct Level {
    std::int64_t end = 0;
    KernelPlace place;
};

class PlaceFinder {
public:
    PlaceFinder(const KinetoTrace& trace, NameBook& book) : trace_(trace), book_(book) {
        names_.reserve(trace.names.size());
        for (const std::string& name : trace.names) names_.push_back(book.number(name));
        shapes_.assign(trace.shapes.size(), 0);
        modules_.assign(trace.names.size(), 0);
        for (std::size_t i = 0; i < trace.names.size(); ++i)
            if (trace.names[i].starts_with(moduleMark)) modules_[i] = book.number(std::string_view(trace.names[i]).substr(moduleMark.size()));
    }

    std::vector<KernelPlace> run() {
        findLaunches();
        std::vector<Item> items = sortedItems();
        std::vector<Level> levels;
        std::uint32_t thread = ~std::uint32_t{0};
        for (const Item& item : items) {
            if (item.thread != thread) {
                levels.clear();
                thread = item.thread;
            }
            while (!levels.empty() && levels.back().end <= item.when.start) levels.pop_back();
            KernelPlace place = levels.empty() ? KernelPlace() : levels.back().place;
            if (item.kind == ItemKind::launch) {
                launchPlaces_[item.index] = place;
                continue;
            }
            enter(place, item);
            levels.push_back({item.when.end, place});
        }
        std::vector<KernelPlace> places(trace_.device.size());
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (launchOf_[i] != noLaunch) places[i] = launchPlaces_[launchOf_[i]];
            places[i].name = names_[trace_.device[i].name];
        }
        return places;
    }

private:
    static constexpr std::uint32_t noLaunch = ~std::uint32_t{0};

    void enter(KernelPlace& place, const Item& item) {
        if (item.kind == ItemKind::module) {
            place.module = modules_[trace_.others[item.index].name];
            place.modules = book_.inside(place.modules, place.module);
            return;
        }
        const HostCall& call = trace_.operators[item.index];
        place.op = names_[call.name];
        place.operators = book_.inside(place.operators, place.op);
        if (place.called == 0) place.called = place.op;
        if (call.shapes == HostCall::noShapes) return;
        if (shapes_[call.shapes] == 0) shapes_[call.shapes] = book_.number(trace_.shapes[call.shapes]);
        place.shapes = shapes_[call.shapes];
    }

    /// Calls of the runtime that launched something.
    void findLaunches() {
        std::unordered_map<std::int64_t, std::uint32_t> byNumber;
        byNumber.reserve(trace_.runtimeCalls.size());
        for (std::uint32_t i = 0; i < trace_.runtimeCalls.size(); ++i)
            if (trace_.runtimeCalls[i].correlation >= 0) byNumber.emplace(trace_.runtimeCalls[i].correlation, i);
        launchOf_.assign(trace_.device.size(), noLaunch);
        launches_.assign(trace_.runtimeCalls.size(), false);
        for (std::size_t i = 0; i < launchOf_.size(); ++i) {
            if (trace_.device[i].correlation < 0) continue;
            const auto found = byNumber.find(trace_.device[i].correlation);
            if (found == byNumber.end()) continue;
            launchOf_[i] = found->second;
            launches_[found->second] = true;
        }
        launchPlaces_.assign(trace_.runtimeCalls.size(), {});
    }

    /// Sorts calls by thread and start; a call that holds others stands before them.
    std::vector<Item> sortedItems() const {
        std::vector<Item> items;
        for (std::uint32_t i = 0; i < trace_.others.size(); ++i) {
            const OtherEvent& event = trace_.others[i];
            if (event.timed && event.lasting && modules_[event.name] != 0) items.push_back({event.when, event.thread, ItemKind::module, i});
        }
        for (std::uint32_t i = 0; i < trace_.operators.size(); ++i) items.push_back({trace_.operators[i].when, trace_.operators[i].thread, ItemKind::called, i});
        for (std::uint32_t i = 0; i < trace_.runtimeCalls.size(); ++i)
            if (launches_[i]) items.push_back({trace_.runtimeCalls[i].when, trace_.runtimeCalls[i].thread, ItemKind::launch, i});
        std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
            if (a.thread != b.thread) return a.thread < b.thread;
            if (a.when.start != b.when.start) return a.when.start < b.when.start;
            if (a.kind != b.kind) return a.kind < b.kind;
            return a.when.end != b.when.end ? a.when.end > b.when.end : a.index < b.index;
        });
        return items;
    }

    const KinetoTrace& trace_;
    NameBook& book_;
    std::vector<std::uint32_t> names_, shapes_; ///< numbers in the book, by index of the record's lists
    std::vector<std::uint32_t> modules_;        ///< by name: the module that it names; 0: none
    std::vector<std::uint32_t> launchOf_;       ///< by device event
    std::vector<bool> launches_;                ///< by call of the runtime
    std::vector<KernelPlace> launchPlaces_;
};

} // namespace

std::uint32_t NameBook::number(std::string_view text) {
    const auto [found, isNew] = numbers_.try_emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
    if (isNew) texts_.push_back(found->first);
    return found->second;
}

std::uint32_t NameBook::inside(std::uint32_t outer, std::uint32_t inner) { return pairs_.try_emplace({outer, inner}, static_cast<std::uint32_t>(pairs_.size() + 1)).first->second; }

std::vector<KernelPlace> placesOf(const KinetoTrace& trace, NameBook& book) { return PlaceFinder(trace, book).run(); }

std::string moduleClass(const std::string& module) {
    std::size_t end = module.size();
    while (end > 0 && std::isdigit(static_cast<unsigned char>(module[end - 1]))) --end;
    return end > 1 && end < module.size() && module[end - 1] == '_' ? module.substr(0, end - 1) : module;
}

namespace {

constexpr std::uint32_t nobody = ~std::uint32_t{0};
/// Runs of kernels longer than that are no place any more.
constexpr std::size_t longestRun = 64;

/// Computing kernels of one record in order of their start.
struct Side {
    const std::vector<KernelPlace>& places;
    std::vector<std::uint32_t> events;  ///< indices into KinetoTrace::device
    std::vector<std::uint32_t> streams; ///< by the same order: which of the streams that compute, by their first kernel
    std::vector<std::uint32_t> partner; ///< by the same order: place in the other's order, or nobody

    Side(const KinetoTrace& trace, const std::vector<KernelPlace>& placesOfTrace) : places(placesOfTrace) {
        for (std::uint32_t i = 0; i < trace.device.size(); ++i)
            if (trace.device[i].work == DeviceWork::kernel && !trace.device[i].communication) events.push_back(i);
        std::stable_sort(events.begin(), events.end(), [&](std::uint32_t x, std::uint32_t y) { return trace.device[x].when.start < trace.device[y].when.start; });
        std::vector<std::uint32_t> seen;
        for (const std::uint32_t event : events) {
            const std::uint32_t stream = trace.device[event].stream;
            const auto found = std::find(seen.begin(), seen.end(), stream);
            streams.push_back(static_cast<std::uint32_t>(found - seen.begin()));
            if (found == seen.end()) seen.push_back(stream);
        }
        partner.assign(events.size(), nobody);
    }
    const KernelPlace& place(std::size_t i) const { return places[events[i]]; }
};

using Key = std::array<std::uint32_t, 5>;
using Keyed = std::pair<Key, std::uint32_t>; // and place in the order

/// Keys of kernels that have no partner yet; `key` gives false where a kernel has none.
template <typename KeyOf>
std::vector<Keyed> keyed(const Side& side, KeyOf&& keyOf) {
    std::vector<Keyed> list;
    for (std::uint32_t i = 0; i < side.events.size(); ++i) {
        Key key{};
        if (side.partner[i] == nobody && keyOf(side.place(i), side.streams[i], key)) list.emplace_back(key, i);
    }
    std::sort(list.begin(), list.end());
    return list;
}

class Matcher {
public:
    Matcher(Side& a, Side& b, MatchedKernels& found) : a_(a), b_(b), found_(found) {}

    template <typename KeyOf>
    void pairEqual(MatchedBy by, KeyOf&& keyOf) {
        const std::vector<Keyed> ofA = keyed(a_, keyOf), ofB = keyed(b_, keyOf);
        for (std::size_t i = 0, j = 0; i < ofA.size() && j < ofB.size();) {
            if (ofA[i].first < ofB[j].first) ++i;
            else if (ofB[j].first < ofA[i].first) ++j;
            else join(ofA[i++].second, ofB[j++].second, by);
        }
    }

    /// What is left between pairs that follow each other.
    void pairPlaces() {
        std::size_t i = 0;
        while (i < a_.events.size()) {
            if (a_.partner[i] != nobody) {
                ++i;
                continue;
            }
            std::size_t end = i;
            while (end < a_.events.size() && a_.partner[end] == nobody) ++end;
            const auto [from, to] = runBetween(i, end);
            pairRuns(i, end, from, to);
            i = end;
        }
    }

    void takeRest() {
        for (std::size_t i = 0; i < a_.events.size(); ++i)
            if (a_.partner[i] == nobody && !takenA(i)) found_.gone.push_back(a_.events[i]);
        for (std::size_t i = 0; i < b_.events.size(); ++i)
            if (b_.partner[i] == nobody && !takenB(i)) found_.added.push_back(b_.events[i]);
    }

private:
    void join(std::uint32_t i, std::uint32_t j, MatchedBy by) {
        a_.partner[i] = j;
        b_.partner[j] = i;
        found_.pairs.push_back({a_.events[i], b_.events[j], by});
        ++found_.count[static_cast<std::size_t>(by)];
    }

    /// B's kernels without partner that stand where A's run stands: after the partner of what is before it, or before the partner of what is after.
    std::pair<std::size_t, std::size_t> runBetween(std::size_t begin, std::size_t end) const {
        std::size_t from = begin == 0 ? 0 : a_.partner[begin - 1] + std::size_t{1};
        std::size_t to = from;
        while (to < b_.events.size() && free(to)) ++to;
        if (to > from || end == a_.events.size()) return {from, to};
        to = a_.partner[end];
        from = to;
        while (from > 0 && free(from - 1)) --from;
        return {from, to};
    }
    bool free(std::size_t j) const { return b_.partner[j] == nobody && !takenB(j); }

    void pairRuns(std::size_t begin, std::size_t end, std::size_t from, std::size_t to) {
        const std::size_t ofA = end - begin, ofB = to - from;
        if (ofB == 0) return;
        if (ofA == ofB) {
            for (std::size_t k = 0; k < ofA; ++k) join(static_cast<std::uint32_t>(begin + k), static_cast<std::uint32_t>(from + k), MatchedBy::place);
            return;
        }
        if (ofA > longestRun || ofB > longestRun) return;
        ReplacedKernels replaced;
        takenA_.resize(a_.events.size(), false);
        takenB_.resize(b_.events.size(), false);
        for (std::size_t k = begin; k < end; ++k) {
            replaced.a.push_back(a_.events[k]);
            takenA_[k] = true;
        }
        for (std::size_t k = from; k < to; ++k) {
            replaced.b.push_back(b_.events[k]);
            takenB_[k] = true;
        }
        found_.replaced.push_back(std::move(replaced));
    }
    bool takenA(std::size_t i) const { return i < takenA_.size() && takenA_[i]; }
    bool takenB(std::size_t j) const { return j < takenB_.size() && takenB_[j]; }

    Side &a_, &b_;
    MatchedKernels& found_;
    std::vector<bool> takenA_, takenB_; ///< stand in `replaced`
};

} // namespace

MatchedKernels matchKernels(const KinetoTrace& a, const std::vector<KernelPlace>& placesA, const KinetoTrace& b, const std::vector<KernelPlace>& placesB) {
    MatchedKernels found;
    Side sideA(a, placesA), sideB(b, placesB);
    Matcher matcher(sideA, sideB, found);
    matcher.pairEqual(MatchedBy::everything, [](const KernelPlace& place, std::uint32_t stream, Key& key) {
        key = {place.modules, place.operators, place.shapes, place.name, stream};
        return true;
    });
    matcher.pairEqual(MatchedBy::program, [](const KernelPlace& place, std::uint32_t stream, Key& key) {
        key = {place.modules, place.operators, place.shapes, stream, 0};
        return place.operators != 0;
    });
    matcher.pairEqual(MatchedBy::call, [](const KernelPlace& place, std::uint32_t, Key& key) {
        key = {place.modules, place.called, place.name, 0, 0};
        return place.called != 0;
    });
    matcher.pairEqual(MatchedBy::call, [](const KernelPlace& place, std::uint32_t, Key& key) {
        key = {place.modules, place.called, 0, 0, 0};
        return place.called != 0 && place.modules != 0;
    });
    matcher.pairEqual(MatchedBy::name, [](const KernelPlace& place, std::uint32_t stream, Key& key) {
        key = {place.name, stream, 0, 0, 0};
        return true;
    });
    matcher.pairEqual(MatchedBy::name, [](const KernelPlace& place, std::uint32_t, Key& key) {
        key = {place.name, 0, 0, 0, 0};
        return true;
    });
    matcher.pairPlaces();
    matcher.takeRest();
    return found;
}

} // namespace orrery
