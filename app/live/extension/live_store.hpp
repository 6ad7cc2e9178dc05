// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/live/extension/connection.hpp"

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <memory>
#include <string>
#include <vector>

namespace orrery::live {

/// The job's key-value store, which the coordinator holds: no process listens on a port. A key that only a virtual rank would set never comes; the
/// coordinator says so where every real rank waits.
class LiveStore final : public c10d::Store {
public:
    explicit LiveStore(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}

    void set(const std::string& key, const std::vector<std::uint8_t>& value) override;
    std::vector<std::uint8_t> compareSet(const std::string& key, const std::vector<std::uint8_t>& expected, const std::vector<std::uint8_t>& desired) override;
    std::vector<std::uint8_t> get(const std::string& key) override;
    std::int64_t add(const std::string& key, std::int64_t value) override;
    bool deleteKey(const std::string& key) override;
    bool check(const std::vector<std::string>& keys) override;
    std::int64_t getNumKeys() override;
    void wait(const std::vector<std::string>& keys) override;
    void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) override;

private:
    std::shared_ptr<Connection> connection_;
};

} // namespace orrery::live
