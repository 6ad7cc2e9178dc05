// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/live/coordinator/live_run.hpp"

#include "app/live/coordinator/live_store_room.hpp"
#include "app/live/coordinator/rank_client.hpp"
#include "app/live/coordinator/run_folder.hpp"
#include "core/records/live/call_wire.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <thread>
#include <utility>

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orrery {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int lookAfter = 250; ///< ms: how often processes that say nothing are looked at
constexpr auto graceToEnd = std::chrono::milliseconds(1500);

volatile std::sig_atomic_t askedToEnd = 0;
void noteSignal(int) { askedToEnd = 1; }

struct Started {
    int rank = 0;
    WatchedProcess process;
    bool running = true;
};

class Coordinator {
public:
    explicit Coordinator(const LiveRunOptions& options) : options_(options), exchange_(*groups_, options.real, this, &Coordinator::placeOf) {}

    bool start(std::string& error) {
        if (!folder_.open(error)) return false;
        for (const int rank : options_.real) {
            const auto process = startRank(startOf(rank), error);
            if (!process) {
                endAll();
                return false;
            }
            started_.push_back({rank, *process, true});
        }
        return true;
    }

    void run() {
        while (std::any_of(started_.begin(), started_.end(), [](const Started& one) { return one.running; })) {
            wait();
            if (askedToEnd != 0 && faults_.empty()) fault({"interrupted", "The run was interrupted.", {}});
            if (faults_.empty()) lookForHang();
            if (faults_.empty()) lookForIdle();
            if (!faults_.empty() && !ending_) beginEnd();
            if (ending_ && Clock::now() > endBy_) endAll();
        }
        for (auto& client : clients_) readOut(*client);
    }

    LiveRunResult result() {
        LiveRunResult result;
        for (const auto& client : clients_)
            if (client->rank >= 0) result.slices.push_back(sliceOf(*client));
        std::sort(result.slices.begin(), result.slices.end(), [](const LiveSlice& a, const LiveSlice& b) { return a.rank < b.rank; });
        result.faults = std::move(faults_);
        result.stacks = std::move(stacks_);
        result.remarks = std::move(remarks_);
        result.groups = std::move(groups_);
        return result;
    }

private:
    static std::string placeOf(const void* owner, int rank, std::uint32_t place) {
        const auto* self = static_cast<const Coordinator*>(owner);
        const RankClient* client = self->clientOf(rank);
        if (client == nullptr) return "";
        const auto found = client->places.find(place);
        return found == client->places.end() ? "" : placeText(found->second);
    }

    RankStart startOf(int rank) const {
        const int perNode = std::max(1, options_.perNode);
        const char* path = std::getenv("PYTHONPATH");
        std::string real;
        for (const int one : options_.real) real += (real.empty() ? "" : ",") + std::to_string(one);
        RankStart start;
        start.command = options_.command;
        start.outputToError = options_.outputToError;
        start.environment = {{"RANK", std::to_string(rank)},
                             {"WORLD_SIZE", std::to_string(options_.world)},
                             {"LOCAL_RANK", std::to_string(rank % perNode)},
                             {"LOCAL_WORLD_SIZE", std::to_string(std::min(perNode, options_.world))},
                             {"GROUP_RANK", std::to_string(rank / perNode)},
                             {"MASTER_ADDR", "localhost"}, // programs ask for both; nobody listens there
                             {"MASTER_PORT", "29500"},
                             {"OMP_NUM_THREADS", "1"}, // the clock is one thread's
                             {"OPENBLAS_NUM_THREADS", "1"},
                             {"PYTHONUNBUFFERED", "1"},
                             {"PYTHONPATH", options_.pythonFolder + (path == nullptr || *path == 0 ? "" : ":" + std::string(path))},
                             {"ORRERY_LIVE_SOCKET", folder_.socketPath()},
                             {"ORRERY_LIVE_STACKS", folder_.path()},
                             {"ORRERY_LIVE_EXTENSION", options_.extension},
                             {"ORRERY_LIVE_WORLD", std::to_string(options_.world)},
                             {"ORRERY_LIVE_REAL", real},
                             {"ORRERY_LIVE_CONTENT", options_.zeros ? "zeros" : "share"},
                             {"ORRERY_LIVE_OBJECTS", options_.ownObjects ? "own" : "refuse"},
                             {"ORRERY_LIVE_CUDA", options_.cudaOnCpu ? "cpu" : "none"},
                             {"ORRERY_LIVE_SEED", std::to_string(options_.seed)},
                             {"ORRERY_LIVE_MEMORY", std::to_string(options_.memoryLimit.value_or(0))}};
        return start;
    }

    const RankClient* clientOf(int rank) const {
        for (const auto& client : clients_)
            if (client->rank == rank) return client.get();
        return nullptr;
    }
    RankClient* clientOf(int rank) { return const_cast<RankClient*>(std::as_const(*this).clientOf(rank)); }

    // ---- waiting for what happens

    void wait() {
        std::vector<pollfd> watched{{folder_.listening(), POLLIN, 0}};
        std::vector<std::size_t> clients, processes;
        for (std::size_t i = 0; i < clients_.size(); ++i) {
            if (clients_[i]->hasGone) continue;
            watched.push_back({clients_[i]->socket(), static_cast<short>(POLLIN | (clients_[i]->hasToWrite() ? POLLOUT : 0)), 0});
            clients.push_back(i);
        }
        for (std::size_t i = 0; i < started_.size(); ++i) {
            if (!started_[i].running) continue;
            watched.push_back({started_[i].process.descriptor, POLLIN, 0});
            processes.push_back(i);
        }
        if (::poll(watched.data(), watched.size(), lookAfter) <= 0) return;
        std::size_t at = 1;
        for (const std::size_t i : clients) {
            RankClient& client = *clients_[i];
            const short what = watched[at++].revents;
            if ((what & POLLOUT) != 0 && !client.flush()) client.hasGone = true;
            if ((what & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
            const bool open = client.fill();
            drain(client);
            if (!open) client.hasGone = true;
        }
        for (const std::size_t i : processes)
            if (watched[at++].revents != 0) processEnded(started_[i]);
        if (watched.front().revents != 0)
            while (const int socket = folder_.accept()) clients_.push_back(std::make_unique<RankClient>(socket));
    }

    /// A program has ended. What it sent before is read first: an end says nothing of calls before it.
    void processEnded(Started& one) {
        one.running = false;
        int status = 0;
        ::waitpid(one.process.pid, &status, 0);
        ::close(one.process.descriptor);
        RankClient* client = clientOf(one.rank);
        if (client != nullptr) readOut(*client);
        ended_.insert(one.rank);
        if (ending_ || !faults_.empty()) return;
        const bool isSignal = WIFSIGNALED(status);
        const int code = isSignal ? WTERMSIG(status) : WEXITSTATUS(status);
        if (isSignal || code != 0) {
            std::string text = "The program of rank " + std::to_string(one.rank) + " ended " + (isSignal ? "by signal " + std::to_string(code) + " (" + ::strsignal(code) + ")" : "with status " + std::to_string(code));
            if (client == nullptr) text += " before it joined the job: it never made a process group";
            else if (client->lastCall) text += "; its last call was " + exchange_.describe(one.rank, *client->lastCall, 0);
            fault({"rank-failed", text + ".", {one.rank}});
        } else if (client == nullptr) {
            remarks_.push_back("The program of rank " + std::to_string(one.rank) + " ended without ever making a process group");
        }
    }

    // ---- what ranks say

    /// Takes all that has come from a rank.
    void readOut(RankClient& client) {
        for (bool open = true; open && !client.hasGone;) {
            open = client.fill();
            if (!drain(client)) return;
        }
    }

    /// Whether something was read.
    bool drain(RankClient& client) {
        bool any = false;
        std::string_view body;
        while (const auto message = client.next(body)) {
            any = true;
            WireReader reader(body);
            handle(client, *message, reader, body);
            if (reader.bad()) spoil(client, "sent a message that breaks off");
            if (client.hasGone) return any;
        }
        if (client.bad() && !client.hasGone) spoil(client, "sent what is no message of this program");
        return any;
    }

    void spoil(RankClient& client, const std::string& what) {
        client.hasGone = true;
        if (client.rank < 0) return; // a stranger
        fault({"bad-message", "Rank " + std::to_string(client.rank) + " " + what + ": something in its process writes to the socket of the live run.", {client.rank}});
    }

    void handle(RankClient& client, WireMessage message, WireReader& reader, std::string_view body) {
        if (message == WireMessage::hello) return join(client, reader);
        if (client.rank < 0) return spoil(client, "");
        switch (message) {
        case WireMessage::group: return takeGroup(client, reader);
        case WireMessage::place: {
            const auto number = reader.get<std::uint32_t>();
            LivePlace& place = client.places[number];
            place.file = reader.text();
            place.line = reader.get<std::uint32_t>();
            place.function = reader.text();
            return;
        }
        case WireMessage::call: return takeCall(client, reader, body);
        case WireMessage::wait: {
            LiveEvent event;
            event.kind = LiveEvent::Kind::wait;
            event.operation = reader.get<std::uint64_t>();
            event.compute = reader.get<std::int64_t>();
            client.events.push_back(event);
            if (client.open.contains(event.operation)) client.blockedIn = event.operation;
            return;
        }
        case WireMessage::step: {
            LiveEvent event;
            event.kind = LiveEvent::Kind::step;
            event.compute = reader.get<std::int64_t>();
            client.events.push_back(event);
            return;
        }
        case WireMessage::memory:
            client.heldBytes = reader.get<std::uint64_t>();
            client.peakBytes = reader.get<std::uint64_t>();
            client.peakPlace = reader.get<std::uint32_t>();
            client.processTime = reader.get<std::int64_t>();
            client.threadTime = reader.get<std::int64_t>();
            return;
        case WireMessage::remark: return takeRemark(client, reader.text());
        default: return askStore(client, message, reader);
        }
    }

    void join(RankClient& client, WireReader& reader) {
        const auto rank = reader.get<std::int32_t>(), world = reader.get<std::int32_t>();
        const auto version = reader.get<std::uint32_t>();
        const bool isReal = std::find(options_.real.begin(), options_.real.end(), rank) != options_.real.end();
        if (reader.bad() || version != wireVersion || world != options_.world || !isReal) return spoil(client, "");
        if (clientOf(rank) != nullptr) {
            client.hasGone = true;
            return fault({"two-processes", "Two processes say that they are rank " + std::to_string(rank) + ": each rank joins once.", {rank}});
        }
        client.rank = rank;
        client.process = watchProcess(client.peerProcess());
    }

    void takeGroup(RankClient& client, WireReader& reader) {
        const auto number = reader.get<std::uint32_t>(), count = reader.get<std::uint32_t>();
        if (reader.bad() || count > reader.left() / sizeof(std::int32_t)) return spoil(client, "told of a group that breaks off");
        std::vector<int> members(count);
        for (int& member : members) member = reader.get<std::int32_t>();
        if (const auto wrong = groups_->add(client.rank, number, std::move(members))) fault({"group-mismatch", "Groups differ: " + *wrong + ".", {client.rank}});
    }

    void takeCall(RankClient& client, WireReader& reader, std::string_view body) {
        const LiveCall call = getCall(reader);
        const auto count = reader.get<std::uint32_t>();
        const bool known = !reader.bad() && static_cast<std::size_t>(call.kind) < callWords.size() && groups_->has(call.group);
        if (!known || !groups_->placeOf(client.rank, call.group) || call.peer < LiveCall::nobody || call.peer >= static_cast<std::int32_t>(groups_->members(call.group).size()) || count > reader.left())
            return spoil(client, "made a call that makes no sense");
        std::vector<LivePart> parts(count);
        for (LivePart& part : parts) {
            part.member = reader.get<std::int32_t>();
            part.size = reader.get<std::uint64_t>();
        }
        if (reader.bad()) return;
        if (count > 0) {
            const auto data = std::make_shared<const std::string>(body.substr(reader.at()));
            std::size_t begin = 0;
            for (LivePart& part : parts) {
                if (part.size > data->size() - begin) return spoil(client, "sent less than it announced");
                part.data = data;
                part.begin = begin;
                begin += part.size;
            }
        }
        LiveEvent event;
        event.call = call;
        client.events.push_back(event);
        client.lastCall = call;
        if (exchange_.awaitsOthers(call)) client.open.insert(call.operation);
        LiveExchange::Outcome outcome = exchange_.arrive(client.rank, call, std::move(parts));
        for (const LiveExchange::Ended& ended : outcome.ended) deliver(ended);
        if (outcome.fault) {
            client.blockedIn = call.operation;
            fault(std::move(*outcome.fault));
        }
    }

    void deliver(const LiveExchange::Ended& ended) {
        RankClient* client = clientOf(ended.rank);
        if (client == nullptr) return;
        client->open.erase(ended.operation);
        if (client->blockedIn == ended.operation) client->blockedIn.reset();
        WireWriter writer(WireMessage::done);
        writer.put(ended.operation).put(ended.source).put(static_cast<std::uint32_t>(ended.parts.size()));
        for (const LivePart& part : ended.parts) writer.put(part.member).put(static_cast<std::uint64_t>(part.size));
        client->send(writer, ended.parts);
    }

    void takeRemark(RankClient& client, const std::string& text) {
        for (const std::string code : {"object-from-virtual-rank", "out-of-memory"})
            if (text.starts_with(code + ": ")) {
                std::string message = "Rank " + std::to_string(client.rank) + ": " + text.substr(code.size() + 2);
                late_.push_back({code, message + ".", {client.rank}});
                return;
            }
        remarks_.push_back("Rank " + std::to_string(client.rank) + ": " + text);
    }

    // ---- the store

    static void answer(RankClient& client, std::uint64_t request, bool known, std::int64_t number, std::string_view value) {
        WireWriter writer(WireMessage::answer);
        writer.put(request).put(static_cast<std::uint8_t>(known ? 1 : 0)).put(number).text(value);
        client.send(writer);
    }

    void wake(const std::vector<LiveStoreRoom::Waiting>& woken) {
        for (const LiveStoreRoom::Waiting& one : woken)
            if (RankClient* waiting = clientOf(one.client)) answer(*waiting, one.request, true, 0, store_.get(one.key).value_or(""));
    }

    void askStore(RankClient& client, WireMessage message, WireReader& reader) {
        if (message == WireMessage::store_set) {
            const std::string key = reader.text();
            return wake(store_.set(key, reader.text()));
        }
        const auto request = reader.get<std::uint64_t>();
        std::vector<LiveStoreRoom::Waiting> woken;
        switch (message) {
        case WireMessage::store_get: {
            const std::string key = reader.text();
            if (const auto value = store_.get(key)) return answer(client, request, true, 0, *value);
            return store_.wait({client.rank, request, key});
        }
        case WireMessage::store_add: {
            const std::string key = reader.text();
            const std::int64_t sum = store_.add(key, reader.get<std::int64_t>(), woken);
            answer(client, request, true, sum, "");
            return wake(woken);
        }
        case WireMessage::store_swap: {
            const std::string key = reader.text(), expected = reader.text(), desired = reader.text();
            answer(client, request, true, 0, store_.swap(key, expected, desired, woken));
            return wake(woken);
        }
        case WireMessage::store_erase: return answer(client, request, store_.erase(reader.text()), 0, "");
        case WireMessage::store_check: {
            bool all = true;
            for (auto left = reader.get<std::uint32_t>(); left > 0 && !reader.bad(); --left) all = store_.get(reader.text()).has_value() && all;
            return answer(client, request, all, 0, "");
        }
        case WireMessage::store_count: return answer(client, request, true, static_cast<std::int64_t>(store_.count()), "");
        default: return spoil(client, "sent a message of an unknown kind");
        }
    }

    // ---- who can't go on

    bool isBlocked(const RankClient& client) const {
        if (client.blockedIn) return true;
        return std::any_of(store_.waiting().begin(), store_.waiting().end(), [&](const LiveStoreRoom::Waiting& one) { return one.client == client.rank; });
    }

    /// Ranks whose program runs and waits for nobody.
    std::vector<int> unblocked() const {
        std::vector<int> ranks;
        for (const Started& one : started_) {
            const RankClient* client = clientOf(one.rank);
            if (one.running && (client == nullptr || !isBlocked(*client))) ranks.push_back(one.rank);
        }
        return ranks;
    }

    void lookForHang() {
        if (!unblocked().empty() || ended_.size() == started_.size()) return;
        if (auto hang = exchange_.stuck(ended_)) return fault(std::move(*hang));
        for (const LiveStoreRoom::Waiting& one : store_.waiting())
            return fault({"hang", "Rank " + std::to_string(one.client) + " waits for ever for the key \"" + one.key + "\" of the store, which no real rank sets.", {one.client}});
    }

    /// A rank that others wait for stands still: it was stopped, or sleeps where no collective is.
    void lookForIdle() {
        const std::vector<int> running = unblocked();
        const auto now = Clock::now();
        std::size_t waiting = 0;
        for (const Started& one : started_)
            if (const RankClient* client = clientOf(one.rank); one.running && client != nullptr && isBlocked(*client)) ++waiting;
        for (const Started& one : started_) {
            const RankClient* client = clientOf(one.rank);
            const bool looked = client != nullptr && one.running && std::find(running.begin(), running.end(), one.rank) != running.end();
            if (!looked) {
                still_.erase(one.rank);
                continue;
            }
            const ProcessState state = stateOf(client->process.pid);
            auto& [cpuTime, since] = still_.try_emplace(one.rank, state.cpuTime, now).first->second;
            if (state.cpuTime != cpuTime || state.letter == 'R') {
                cpuTime = state.cpuTime;
                since = now;
                continue;
            }
            const double seconds = std::chrono::duration<double>(now - since).count();
            if (seconds < options_.patience || (waiting == 0 && state.letter != 'T')) continue;
            auto hang = exchange_.stuck(ended_);
            std::string text = "Rank " + std::to_string(one.rank) + (state.letter == 'T' ? " was stopped" : " stands still") + ": its process has not run for " + std::to_string(static_cast<int>(seconds)) + " s";
            if (client->lastCall) text += " after " + exchange_.describe(one.rank, *client->lastCall, 0);
            text += hang ? ". Because of it: " + hang->message : ".";
            return fault({"rank-stopped", text, {one.rank}});
        }
    }

    // ---- the end

    void fault(LiveFault fault) {
        if (faults_.empty()) faults_.push_back(std::move(fault));
    }

    void beginEnd() {
        ending_ = true;
        endBy_ = Clock::now() + graceToEnd;
        takeStacks();
        for (const auto& client : clients_) {
            if (client->rank < 0 || client->hasGone) continue;
            for (const std::uint64_t operation : client->open) {
                WireWriter writer(WireMessage::failed);
                writer.put(operation).text("orrery-run: " + faults_.front().message);
                client->send(writer);
            }
            client->open.clear();
        }
        for (const Started& one : started_) { // who waits for the store, or for nobody
            const RankClient* client = clientOf(one.rank);
            if (one.running && (client == nullptr || !client->blockedIn)) ::kill(one.process.pid, SIGTERM);
        }
    }

    /// Python writes the stack of its main thread into a file at the signal.
    void takeStacks() {
        bool any = false;
        for (const auto& client : clients_) {
            if (client->rank < 0 || ended_.contains(client->rank) || !folder_.hasStack(client->process.pid)) continue;
            any = ::kill(client->process.pid, SIGUSR2) == 0 || any;
        }
        if (any) std::this_thread::sleep_for(std::chrono::milliseconds(200));
        for (const auto& client : clients_)
            if (client->rank >= 0)
                if (std::string stack = folder_.stackOf(client->process.pid); !stack.empty()) stacks_[client->rank] = std::move(stack);
    }

    void endAll() {
        for (const Started& one : started_)
            if (one.running) ::kill(one.process.pid, SIGKILL);
        endBy_ = Clock::now() + std::chrono::hours(1);
    }

public:
    /// Faults that ranks told of before they failed by them: they are the cause of what follows.
    void settleFaults() {
        if (late_.empty()) return;
        faults_.erase(std::remove_if(faults_.begin(), faults_.end(), [](const LiveFault& one) { return one.code == "rank-failed" || one.code == "hang"; }), faults_.end());
        faults_.insert(faults_.begin(), late_.begin(), late_.end());
    }

private:
    LiveSlice sliceOf(const RankClient& client) const {
        LiveSlice slice;
        slice.rank = client.rank;
        slice.world = options_.world;
        slice.places = client.places;
        slice.heldBytes = client.heldBytes;
        slice.peakBytes = client.peakBytes;
        slice.peakPlace = client.peakPlace;
        slice.processTime = client.processTime;
        slice.threadTime = client.threadTime;
        for (const LiveGroups::Membership& membership : groups_->of(client.rank)) slice.axes.push_back({static_cast<std::int32_t>(groups_->members(membership.group).size()), membership.place});
        slice.events.reserve(client.events.size());
        for (const LiveEvent& event : client.events) {
            if (event.kind == LiveEvent::Kind::call) {
                slice.events.push_back(sliceEvent(*groups_, client.rank, event.call));
                continue;
            }
            LiveSlice::Event other;
            other.kind = event.kind;
            other.compute = event.compute;
            other.call.operation = event.operation;
            slice.events.push_back(other);
        }
        return slice;
    }

    const LiveRunOptions& options_;
    std::unique_ptr<LiveGroups> groups_ = std::make_unique<LiveGroups>(options_.world);
    LiveExchange exchange_;
    RunFolder folder_;
    LiveStoreRoom store_;
    std::vector<Started> started_;
    std::vector<std::unique_ptr<RankClient>> clients_;
    std::set<int> ended_;
    std::map<int, std::pair<std::uint64_t, Clock::time_point>> still_; ///< by rank: CPU time, and since when it is that
    std::vector<LiveFault> faults_, late_;
    std::vector<std::string> remarks_;
    std::map<int, std::string> stacks_;
    bool ending_ = false;
    Clock::time_point endBy_;
};

} // namespace

std::optional<LiveRunResult> runLive(const LiveRunOptions& options, std::string& error) {
    askedToEnd = 0;
    struct sigaction action {
    }, interrupt{}, terminate{};
    action.sa_handler = noteSignal;
    ::sigaction(SIGINT, &action, &interrupt);
    ::sigaction(SIGTERM, &action, &terminate);
    std::optional<LiveRunResult> result;
    {
        Coordinator coordinator(options);
        if (coordinator.start(error)) {
            coordinator.run();
            coordinator.settleFaults();
            result = coordinator.result();
        }
    }
    ::sigaction(SIGINT, &interrupt, nullptr);
    ::sigaction(SIGTERM, &terminate, nullptr);
    return result;
}

} // namespace orrery
