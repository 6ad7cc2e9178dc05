// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/explore/process_tasks.hpp"

#include "core/answers/search/space_tasks.hpp"
#include "core/base/json.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <iostream>
#include <memory>
#include <thread>
#include <utility>

namespace orrery {
namespace {

using Clock = std::chrono::steady_clock;

/// Between two looks for messages: an eighth of the time since the last, so that none waits for long by its own measure, and long simulations are hardly
/// held up by looking.
constexpr std::chrono::microseconds shortestWait{20}, longestWait{4000};
std::chrono::microseconds waitAfter(Clock::time_point last) { return std::clamp(std::chrono::duration_cast<std::chrono::microseconds>((Clock::now() - last) / 8), shortestWait, longestWait); }

constexpr std::chrono::seconds aliveEvery{2}, silentFor{30};

/// Takes a number and the space after it off the text.
std::size_t takeNumber(std::string_view& text) {
    std::size_t number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(std::min(text.size(), static_cast<std::size_t>(parsed.ptr - text.data()) + 1));
    return number;
}

std::string numbered(char kind, std::size_t round, const Task& task) { return std::string{kind, ' '} + std::to_string(round) + ' ' + std::to_string(task.ticket) + ' ' + task.text; }

} // namespace

ProcessTasks::ProcessTasks(Processes& processes, TaskThreads& own, std::string fingerprint)
    : processes_(processes), own_(own), fingerprint_(std::move(fingerprint)), helpers_(static_cast<std::size_t>(processes.count())) {}

std::size_t ProcessTasks::places() const {
    std::size_t places = own_.count();
    for (const Helper& helper : helpers_) places += 2 * helper.threads;
    return places;
}

void ProcessTasks::begin(Task task) {
    waiting_.push_back(std::move(task));
    handOut();
}

void ProcessTasks::handOut() {
    while (!waiting_.empty()) {
        Helper* idlest = nullptr;
        double least = own_.open() < own_.count() ? double(own_.open()) / double(own_.count()) : 2;
        int rank = 0;
        for (std::size_t i = 1; i < helpers_.size(); ++i) {
            Helper& helper = helpers_[i];
            const double load = helper.threads > 0 ? double(helper.open.size()) / double(helper.threads) : 2;
            if (load >= least) continue;
            least = load;
            idlest = &helper;
            rank = static_cast<int>(i);
        }
        if (least >= 2) return;
        Task task = std::move(waiting_.front());
        waiting_.pop_front();
        if (!idlest) {
            own_.begin(std::move(task));
            continue;
        }
        processes_.send(rank, numbered('T', round_, task));
        if (idlest->open.empty()) idlest->heard = Clock::now();
        idlest->open.emplace(task.ticket, std::move(task.text));
    }
}

std::optional<Task> ProcessTasks::next() {
    for (Clock::time_point last = Clock::now();;) {
        while (const std::optional<Processes::Message> message = processes_.next()) {
            hear(message->from, message->text);
            last = Clock::now();
        }
        loseSilent();
        handOut();
        if (!answers_.empty()) {
            Task answer = std::move(answers_.front());
            answers_.pop_front();
            return answer;
        }
        const bool isOpen = own_.open() > 0 || std::any_of(helpers_.begin(), helpers_.end(), [](const Helper& helper) { return !helper.open.empty(); });
        if (!isOpen && waiting_.empty()) return std::nullopt;
        if (std::optional<Task> answer = own_.next(waitAfter(last))) return answer;
    }
}

void ProcessTasks::hear(int from, std::string_view text) {
    Helper& helper = helpers_[static_cast<std::size_t>(from)];
    helper.heard = Clock::now();
    const char kind = text.empty() ? ' ' : text.front();
    text.remove_prefix(std::min<std::size_t>(2, text.size()));
    if (kind == 'H') {
        const std::size_t threads = takeNumber(text);
        if (text == fingerprint_) helper.threads = threads;
        else std::cerr << "warning: process " << from << " takes no part: its orrery-cli, its catalogue or its scenario is another than the first process has.\n";
    } else if (kind == 'X') {
        std::cerr << "warning: process " << from << " takes no part: " << text << '\n';
    } else if (kind == 'A') {
        const std::size_t round = takeNumber(text), ticket = takeNumber(text);
        if (round == round_ && helper.open.erase(ticket) > 0) answers_.push_back({ticket, std::string(text)});
    }
}

void ProcessTasks::loseSilent() {
    const Clock::time_point now = Clock::now();
    for (std::size_t rank = 1; rank < helpers_.size(); ++rank) {
        Helper& helper = helpers_[rank];
        if (helper.open.empty() || now - helper.heard < silentFor) continue;
        std::cerr << "warning: process " << rank << " has not been heard of for " << silentFor.count() << " s; others do its work.\n";
        for (auto& [ticket, text] : helper.open) waiting_.push_front({ticket, std::move(text)});
        helper = {};
        processes_.lose();
    }
}

void ProcessTasks::drop() {
    ++round_;
    waiting_.clear();
    answers_.clear();
    own_.drop();
    for (std::size_t rank = 1; rank < helpers_.size(); ++rank) {
        if (helpers_[rank].threads == 0) continue;
        helpers_[rank].open.clear();
        processes_.send(static_cast<int>(rank), "D " + std::to_string(round_));
    }
}

namespace {

/// A thread's own way to do the tasks of a search or a sweep.
std::function<TaskDoer()> doersOf(const SpreadQuestion& asked) {
    return [asked] {
        const auto tasks = asked.search ? std::make_shared<SpaceTasks>(asked.trials, *asked.search, RunControl{}, asked.prune) : std::make_shared<SpaceTasks>(asked.trials, asked.space, RunControl{});
        return TaskDoer([tasks](const std::string& task, const std::stop_token& stop) { return tasks->answer(task, stop); });
    };
}

std::string questionPrint(const SpreadQuestion& asked) {
    Json measures = Json::array();
    for (const Measure& measure : asked.space.measures) measures.push_back(measure.pointer);
    const Json question{asked.trials.document(), axesDocument(asked.space), std::move(measures), asked.prune};
    return fingerprintOf(question.dump(-1, ' ', false, Json::error_handler_t::replace));
}

} // namespace

SpreadRun::SpreadRun(Processes& processes, const SpreadQuestion& asked) : own_(asked.threads, doersOf(asked)), tasks_(processes, own_, questionPrint(asked)) {}

void helpLeader(const Processes& processes, const SpreadQuestion& asked) {
    TaskThreads own(asked.threads, doersOf(asked));
    processes.send(0, "H " + std::to_string(own.count()) + ' ' + questionPrint(asked));
    std::map<std::size_t, std::size_t> roundOf; // by ticket
    Clock::time_point told = Clock::now();
    for (Clock::time_point last = told;;) {
        while (const std::optional<Processes::Message> message = processes.next()) {
            std::string_view text = message->text;
            const char kind = text.empty() ? 'E' : text.front();
            if (kind == 'E') return own.drop();
            text.remove_prefix(std::min<std::size_t>(2, text.size()));
            const std::size_t round = takeNumber(text);
            if (kind == 'D') {
                own.drop();
                roundOf.clear();
                continue;
            }
            const std::size_t ticket = takeNumber(text);
            roundOf[ticket] = round;
            own.begin({ticket, std::string(text)});
            last = Clock::now();
        }
        if (const std::optional<Task> answer = own.next(waitAfter(last))) {
            processes.send(0, numbered('A', roundOf[answer->ticket], *answer));
            last = Clock::now();
        }
        if (Clock::now() - told < aliveEvery) continue;
        processes.send(0, "L");
        told = Clock::now();
    }
}

void declineToHelp(const Processes& processes, const std::string& why) {
    processes.send(0, "X " + why);
    while (true) {
        const std::optional<Processes::Message> message = processes.next();
        if (message && message->text.starts_with('E')) return;
        std::this_thread::sleep_for(longestWait);
    }
}

} // namespace orrery
