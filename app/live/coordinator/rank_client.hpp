// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/live/coordinator/real_ranks.hpp"
#include "core/records/live/live_exchange.hpp"
#include "core/records/live/live_slice.hpp"
#include "core/records/live/wire.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// The coordinator's end of a socket to a real rank, and what is known of the rank. Never waits: what can't be written yet is kept.
class RankClient {
public:
    explicit RankClient(int socket) : socket_(socket) {}
    ~RankClient();
    RankClient(const RankClient&) = delete;
    RankClient& operator=(const RankClient&) = delete;

    int socket() const { return socket_; }
    /// Takes what has come. False: the other end has closed.
    bool fill();
    /// The next whole frame, whose body lives until the next call. Nothing: it is not whole yet, or `bad()`.
    std::optional<WireMessage> next(std::string_view& body);
    /// What came is no frame.
    bool bad() const { return bad_; }

    void send(WireWriter& writer, const std::vector<LivePart>& data = {});
    /// Writes what can be written now. False: the other end has gone.
    bool flush();
    bool hasToWrite() const { return !outgoing_.empty(); }

    /// The process at the other end; 0 where the system does not say.
    int peerProcess() const;

    int rank = -1; ///< -1: it has not said
    WatchedProcess process;
    std::vector<LiveEvent> events;
    std::map<std::uint32_t, LivePlace> places;
    std::set<std::uint64_t> open;           ///< calls that await other real ranks
    std::optional<std::uint64_t> blockedIn; ///< one of them, if the rank waits for it
    std::optional<LiveCall> lastCall;
    std::uint64_t heldBytes = 0, peakBytes = 0;
    std::uint32_t peakPlace = 0;
    std::int64_t processTime = 0, threadTime = 0;
    bool hasGone = false;

private:
    struct Piece {
        std::shared_ptr<const std::string> data;
        std::size_t begin = 0, end = 0;
    };
    int socket_;
    std::string incoming_;
    std::vector<char> buffer_;
    std::size_t read_ = 0; ///< of incoming_
    std::deque<Piece> outgoing_;
    bool bad_ = false;
};

} // namespace orrery
