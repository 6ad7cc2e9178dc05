// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/launch_script/lined_text.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// Variables of a script: one text each, or a list of them for an array.
class ShellVariables {
public:
    using Elements = std::vector<LinedText>;

    const Elements* find(const std::string& name) const {
        const auto found = values_.find(name);
        return found == values_.end() ? nullptr : &found->second;
    }
    bool has(const std::string& name) const { return find(name) != nullptr; }
    /// The text, of an array its first element; empty when unset.
    std::string text(const std::string& name) const {
        const Elements* found = find(name);
        return found && !found->empty() ? found->front().text() : std::string();
    }
    void set(const std::string& name, LinedText value) { values_[name] = {std::move(value)}; }
    void setArray(const std::string& name, Elements elements) { values_[name] = std::move(elements); }
    void append(const std::string& name, const LinedText& value) {
        Elements& elements = values_[name];
        if (elements.empty()) elements.emplace_back();
        elements.front().append(value);
    }
    void appendArray(const std::string& name, Elements elements) {
        Elements& all = values_[name];
        for (LinedText& element : elements) all.push_back(std::move(element));
    }

private:
    std::map<std::string, Elements> values_;
};

} // namespace orrery
