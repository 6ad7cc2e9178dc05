// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/live/call_wire.hpp"
#include "core/records/live/wire.hpp"

#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

namespace orrery::live {

/// What other real ranks gave to a call: by their places in the group. The bytes live as long as the call of whoever takes them.
struct Given {
    std::map<int, std::string_view> byMember;
    int source = -1; ///< of a receive: who sent
};

/// Who waits for the answer to a call. Told once, from the thread that reads.
class Awaiting {
public:
    virtual ~Awaiting() = default;
    virtual void done(const Given& given) = 0;
    virtual void failed(const std::string& why) = 0;
};

/// What an answer from the coordinator's store holds.
struct StoreAnswer {
    bool known = false;
    std::int64_t number = 0;
    std::string value;
};

/// The socket to the coordinator: one a process, with a thread that reads. Every function may be called from any thread.
/// Throws std::runtime_error where the coordinator has gone, or in a process that was forked off after the socket was opened.
class Connection {
public:
    struct Part {
        const void* data = nullptr;
        std::size_t size = 0;
    };

    Connection(const std::string& path, int rank, int world);
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// What nobody waits for (not `urgent`) may be sent together with what follows within a millisecond.
    void send(WireWriter& writer, const std::vector<Part>& data = {}, bool urgent = true);
    std::uint64_t nextOperation();
    /// `awaiting` is told when the coordinator has what the other real ranks gave.
    void expect(std::uint64_t operation, std::shared_ptr<Awaiting> awaiting);
    /// The interpreter is about to end: what comes from now on is not handled, for a thread that asks an ending interpreter for anything ends the
    /// process. Waits until what is being handled is done; the caller does not hold the interpreter's lock.
    void rest();
    /// Sends a question to the store and waits for its answer; `message` gets the question's number first.
    StoreAnswer ask(WireMessage message, const std::function<void(WireWriter&)>& rest);

private:
    void read();
    void receive(const WireHeader& header, std::string_view body);
    void receiveDone(WireReader& reader);
    std::shared_ptr<Awaiting> taken(std::uint64_t operation);
    void end(const std::string& why);
    bool readAll(void* data, std::size_t size) const;
    void checkUsable();

    int socket_ = -1;
    int process_ = 0;
    void write(std::vector<Part> parts); ///< sending_ is held
    std::mutex handling_;                ///< before the others
    bool resting_ = false;               ///< handling_ guards it
    std::mutex sending_, state_;
    std::string gathered_;    ///< frames that were not sent yet
    std::int64_t sentAt_ = 0; ///< ns
    std::uint64_t operations_ = 0, requests_ = 0;
    std::string ended_; ///< why nothing comes any more; empty: it may
    std::unordered_map<std::uint64_t, std::shared_ptr<Awaiting>> awaited_;
    std::unordered_map<std::uint64_t, std::promise<StoreAnswer>> asked_;
};

} // namespace orrery::live
