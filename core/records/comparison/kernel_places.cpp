// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/comparison/kernel_places.hpp"

#include <algorithm>
#include <cctype>

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

} // namespace orrery
