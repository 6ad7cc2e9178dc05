// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/live/extension/connection.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <utility>

#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

namespace orrery::live {
namespace {

constexpr std::int64_t gatherFor = 1000000; ///< ns
constexpr std::size_t gatherBytes = 32768;

} // namespace

Connection::Connection(const std::string& path, int rank, int world) : process_(::getpid()) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path)) throw std::runtime_error("the path of the coordinator's socket is too long: " + path);
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket_ < 0 || ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
        throw std::runtime_error("the coordinator of this live run does not answer at " + path + ": " + std::strerror(errno));
    WireWriter hello(WireMessage::hello);
    hello.put(static_cast<std::int32_t>(rank)).put(static_cast<std::int32_t>(world)).put(wireVersion);
    send(hello);
    std::thread([this] { read(); }).detach(); // lives as long as the process: the interpreter may end while it waits
}

void Connection::checkUsable() {
    if (::getpid() != process_) throw std::runtime_error("this process was forked off rank's own after its process group was made; only the rank itself may communicate");
}

void Connection::send(WireWriter& writer, const std::vector<Part>& data, bool urgent) {
    checkUsable();
    std::uint64_t further = 0;
    for (const Part& part : data) further += part.size;
    const std::string& head = writer.frame(further);
    const std::lock_guard lock(sending_);
    gathered_ += head;
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    const std::int64_t now = static_cast<std::int64_t>(time.tv_sec) * 1000000000 + time.tv_nsec;
    if (!urgent && data.empty() && now - sentAt_ < gatherFor && gathered_.size() < gatherBytes) return;
    sentAt_ = now;
    std::vector<Part> parts{{gathered_.data(), gathered_.size()}};
    parts.insert(parts.end(), data.begin(), data.end());
    write(std::move(parts));
    gathered_.clear();
}

void Connection::write(std::vector<Part> pieces) {
    std::vector<iovec> parts;
    for (const Part& piece : pieces)
        if (piece.size > 0) parts.push_back({const_cast<void*>(piece.data), piece.size});
    std::size_t first = 0;
    while (first < parts.size()) {
        msghdr message{};
        message.msg_iov = parts.data() + first;
        message.msg_iovlen = std::min<std::size_t>(parts.size() - first, 64);
        ssize_t sent = ::sendmsg(socket_, &message, MSG_NOSIGNAL);
        if (sent < 0) {
            if (errno == EINTR) continue;
            const std::lock_guard state(state_);
            throw std::runtime_error(ended_.empty() ? "the coordinator of this live run has gone" : ended_);
        }
        while (first < parts.size() && static_cast<std::size_t>(sent) >= parts[first].iov_len) sent -= static_cast<ssize_t>(parts[first++].iov_len);
        if (sent > 0) {
            parts[first].iov_base = static_cast<char*>(parts[first].iov_base) + sent;
            parts[first].iov_len -= static_cast<std::size_t>(sent);
        }
    }
}

std::uint64_t Connection::nextOperation() {
    const std::lock_guard lock(state_);
    return ++operations_;
}

void Connection::expect(std::uint64_t operation, std::shared_ptr<Awaiting> awaiting) {
    const std::lock_guard lock(state_);
    if (!ended_.empty()) throw std::runtime_error(ended_);
    awaited_.emplace(operation, std::move(awaiting));
}

StoreAnswer Connection::ask(WireMessage message, const std::function<void(WireWriter&)>& rest) {
    std::future<StoreAnswer> answer;
    WireWriter writer(message);
    {
        const std::lock_guard lock(state_);
        if (!ended_.empty()) throw std::runtime_error(ended_);
        const std::uint64_t request = ++requests_;
        writer.put(request);
        answer = asked_[request].get_future();
    }
    rest(writer);
    send(writer);
    return answer.get();
}

bool Connection::readAll(void* data, std::size_t size) const {
    char* at = static_cast<char*>(data);
    while (size > 0) {
        const ssize_t got = ::recv(socket_, at, size, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        size -= static_cast<std::size_t>(got);
    }
    return true;
}

void Connection::read() {
    std::string body;
    for (;;) {
        WireHeader header;
        if (!readAll(&header, sizeof(header)) || header.magic != wireMagic || header.size > mostFrameBytes) break;
        body.resize(header.size);
        if (!readAll(body.data(), body.size())) break;
        {
            const std::lock_guard handling(handling_);
            // A store's answer touches nothing of Python's; what a collective gave may drop tensors that Python knows.
            if (!resting_ || static_cast<WireMessage>(header.message) == WireMessage::answer) receive(header, body);
        }
        if (body.capacity() > (std::size_t{1} << 20)) body = std::string();
    }
    const std::lock_guard handling(handling_);
    if (!resting_) end("the coordinator of this live run has gone");
}

void Connection::rest() {
    const std::lock_guard handling(handling_);
    resting_ = true;
    const std::lock_guard lock(state_);
    if (ended_.empty()) ended_ = "this rank is at its end; it can't communicate any more";
}

void Connection::receive(const WireHeader& header, std::string_view body) {
    WireReader reader(body);
    switch (static_cast<WireMessage>(header.message)) {
    case WireMessage::done: return receiveDone(reader);
    case WireMessage::failed: {
        const auto operation = reader.get<std::uint64_t>();
        if (const auto awaiting = taken(operation)) awaiting->failed(reader.text());
        return;
    }
    case WireMessage::answer: {
        const auto request = reader.get<std::uint64_t>();
        StoreAnswer answer;
        answer.known = reader.get<std::uint8_t>() != 0;
        answer.number = reader.get<std::int64_t>();
        answer.value = reader.text();
        const std::lock_guard lock(state_);
        if (const auto asked = asked_.find(request); asked != asked_.end()) {
            asked->second.set_value(std::move(answer));
            asked_.erase(asked);
        }
        return;
    }
    default: return;
    }
}

std::shared_ptr<Awaiting> Connection::taken(std::uint64_t operation) {
    const std::lock_guard lock(state_);
    const auto found = awaited_.find(operation);
    if (found == awaited_.end()) return nullptr;
    std::shared_ptr<Awaiting> awaiting = std::move(found->second);
    awaited_.erase(found);
    return awaiting;
}

void Connection::receiveDone(WireReader& reader) {
    const auto operation = reader.get<std::uint64_t>();
    Given given;
    given.source = reader.get<std::int32_t>();
    std::vector<WireSection> sections(reader.get<std::uint32_t>());
    for (WireSection& section : sections) {
        section.member = reader.get<std::int32_t>();
        section.bytes = reader.get<std::uint64_t>();
    }
    for (const WireSection& section : sections) given.byMember[section.member] = reader.raw(section.bytes);
    if (const auto awaiting = taken(operation)) {
        if (reader.bad()) awaiting->failed("the coordinator sent less than it announced");
        else awaiting->done(given);
    }
}

void Connection::end(const std::string& why) {
    std::unordered_map<std::uint64_t, std::shared_ptr<Awaiting>> awaited;
    {
        const std::lock_guard lock(state_);
        ended_ = why;
        awaited.swap(awaited_);
        for (auto& [request, promise] : asked_) promise.set_exception(std::make_exception_ptr(std::runtime_error(why)));
        asked_.clear();
    }
    for (auto& [operation, awaiting] : awaited) awaiting->failed(why);
}

} // namespace orrery::live
