// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/live/coordinator/rank_client.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

namespace orrery {
namespace {

constexpr std::size_t keptBytes = std::size_t{1} << 18; ///< of a client's buffers between frames
constexpr int mostTurns = 16;                           ///< before other clients are looked at

} // namespace

RankClient::~RankClient() {
    ::close(socket_);
    if (process.descriptor >= 0) ::close(process.descriptor);
}

int RankClient::peerProcess() const {
    ucred peer{};
    socklen_t size = sizeof(peer);
    return ::getsockopt(socket_, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

bool RankClient::fill() {
    if (read_ > 0) {
        incoming_.erase(0, read_);
        read_ = 0;
    }
    if (incoming_.size() >= sizeof(WireHeader)) { // room for all of a long frame
        WireHeader header;
        std::memcpy(&header, incoming_.data(), sizeof(header));
        if (header.magic == wireMagic && header.size <= mostFrameBytes && incoming_.capacity() < header.size + sizeof(header)) incoming_.reserve(header.size + sizeof(header));
    } else if (incoming_.empty() && incoming_.capacity() > keptBytes) {
        incoming_.shrink_to_fit();
    }
    buffer_.resize(keptBytes);
    for (int turn = 0; turn < mostTurns; ++turn) {
        const ssize_t got = ::recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
        if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
        if (got == 0) return false;
        incoming_.append(buffer_.data(), static_cast<std::size_t>(got));
        if (static_cast<std::size_t>(got) < buffer_.size()) return true;
    }
    return true;
}

std::optional<WireMessage> RankClient::next(std::string_view& body) {
    if (bad_ || incoming_.size() - read_ < sizeof(WireHeader)) return std::nullopt;
    WireHeader header;
    std::memcpy(&header, incoming_.data() + read_, sizeof(header));
    if (header.magic != wireMagic || header.size > mostFrameBytes) {
        bad_ = true;
        return std::nullopt;
    }
    if (incoming_.size() - read_ - sizeof(header) < header.size) return std::nullopt;
    body = std::string_view(incoming_).substr(read_ + sizeof(header), header.size);
    read_ += sizeof(header) + header.size;
    return static_cast<WireMessage>(header.message);
}

void RankClient::send(WireWriter& writer, const std::vector<LivePart>& data) {
    if (hasGone) return;
    std::uint64_t further = 0;
    for (const LivePart& part : data) further += part.size;
    auto head = std::make_shared<const std::string>(writer.frame(further));
    outgoing_.push_back({head, 0, head->size()});
    for (const LivePart& part : data)
        if (part.size > 0) outgoing_.push_back({part.data, part.begin, part.begin + part.size});
    if (!flush()) hasGone = true;
}

bool RankClient::flush() {
    while (!outgoing_.empty()) {
        Piece& piece = outgoing_.front();
        const ssize_t sent = ::send(socket_, piece.data->data() + piece.begin, piece.end - piece.begin, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0) {
            if (errno == EINTR) continue;
            return errno == EAGAIN || errno == EWOULDBLOCK;
        }
        piece.begin += static_cast<std::size_t>(sent);
        if (piece.begin == piece.end) outgoing_.pop_front();
    }
    return true;
}

} // namespace orrery
