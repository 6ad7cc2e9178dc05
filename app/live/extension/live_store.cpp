// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/live/extension/live_store.hpp"

#include <stdexcept>
#include <string_view>

namespace orrery::live {
namespace {

std::string_view viewOf(const std::vector<std::uint8_t>& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
std::vector<std::uint8_t> bytesOf(const std::string& text) { return {text.begin(), text.end()}; }

} // namespace

void LiveStore::set(const std::string& key, const std::vector<std::uint8_t>& value) {
    WireWriter writer(WireMessage::store_set);
    writer.text(key).text(viewOf(value));
    connection_->send(writer);
}

std::vector<std::uint8_t> LiveStore::compareSet(const std::string& key, const std::vector<std::uint8_t>& expected, const std::vector<std::uint8_t>& desired) {
    return bytesOf(connection_->ask(WireMessage::store_swap, [&](WireWriter& writer) { writer.text(key).text(viewOf(expected)).text(viewOf(desired)); }).value);
}

std::vector<std::uint8_t> LiveStore::get(const std::string& key) {
    const StoreAnswer answer = connection_->ask(WireMessage::store_get, [&](WireWriter& writer) { writer.text(key); });
    if (!answer.known) throw std::runtime_error(answer.value);
    return bytesOf(answer.value);
}

std::int64_t LiveStore::add(const std::string& key, std::int64_t value) {
    return connection_->ask(WireMessage::store_add, [&](WireWriter& writer) { writer.text(key).put(value); }).number;
}

bool LiveStore::deleteKey(const std::string& key) {
    return connection_->ask(WireMessage::store_erase, [&](WireWriter& writer) { writer.text(key); }).known;
}

bool LiveStore::check(const std::vector<std::string>& keys) {
    return connection_
        ->ask(WireMessage::store_check,
              [&](WireWriter& writer) {
                  writer.put(static_cast<std::uint32_t>(keys.size()));
                  for (const std::string& key : keys) writer.text(key);
              })
        .known;
}

std::int64_t LiveStore::getNumKeys() {
    return connection_->ask(WireMessage::store_count, [](WireWriter&) {}).number;
}

void LiveStore::wait(const std::vector<std::string>& keys) {
    for (const std::string& key : keys) get(key);
}

void LiveStore::wait(const std::vector<std::string>& keys, const std::chrono::milliseconds&) { wait(keys); }

} // namespace orrery::live
