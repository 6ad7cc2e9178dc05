// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/traced_job/machine_of_record.hpp"

#include "core/base/text.hpp"
#include "core/catalog/catalog.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace orrery {
namespace {

/// "NVIDIA H100 80GB HBM3" as its words in small letters.
std::vector<std::string> wordsOf(const std::string& text) {
    std::vector<std::string> words(1);
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) words.back() += lowered(c);
        else if (!words.back().empty()) words.emplace_back();
    }
    if (words.back().empty()) words.pop_back();
    return words;
}

bool has(const std::vector<std::string>& words, const std::string& word) { return std::find(words.begin(), words.end(), word) != words.end(); }

/// Drivers keep some of the memory to themselves.
bool memoryAgrees(const KinetoTrace& trace, const Accelerator& accelerator) {
    constexpr double tolerance = 0.04;
    return trace.deviceMemory == 0 || std::abs(static_cast<double>(trace.deviceMemory) / accelerator.memoryBytes - 1) < tolerance;
}

bool processorsAgree(const KinetoTrace& trace, const Accelerator& accelerator) { return trace.deviceProcessors == 0 || accelerator.multiprocessors == 0 || trace.deviceProcessors == accelerator.multiprocessors; }

/// How many words of the entry's id stand in the device's name beside its family.
int formWords(const std::vector<std::string>& device, const std::string& id) {
    int count = 0;
    for (const std::string& word : wordsOf(id))
        if (has(device, word)) ++count;
    return count;
}

} // namespace

DeviceMatch deviceMatch(const KinetoTrace& trace, const Catalog& catalog) {
    DeviceMatch match;
    const std::vector<std::string> device = wordsOf(trace.deviceName);
    std::vector<const Accelerator*> alike, byNumbers;
    for (const Accelerator& accelerator : catalog.accelerators()) {
        if (!memoryAgrees(trace, accelerator) || !processorsAgree(trace, accelerator)) continue;
        // An id begins with the family: h100, or the word behind a maker's line: rtx-4090.
        const std::vector<std::string> id = wordsOf(accelerator.id);
        if (has(device, id.front()) && (id.front() != "rtx" || (id.size() > 1 && has(device, id[1])))) alike.push_back(&accelerator);
        if (trace.deviceMemory > 0 && trace.deviceProcessors > 0 && accelerator.multiprocessors > 0) byNumbers.push_back(&accelerator);
    }
    if (!alike.empty()) {
        int best = 0;
        for (const Accelerator* one : alike) best = std::max(best, formWords(device, one->id));
        std::erase_if(alike, [&](const Accelerator* one) { return formWords(device, one->id) < best; });
        match.named = true;
        match.why = "The record names its device \"" + trace.deviceName + "\".";
    } else if (trace.deviceName.empty()) {
        alike = byNumbers;
        match.why = "The record's device has no name, but " + std::to_string(trace.deviceProcessors) + " processors and " + std::to_string(trace.deviceMemory) + " bytes, as this one alone.";
    }
    for (const Accelerator* one : alike) match.ids.push_back(one->id);
    return match;
}

} // namespace orrery
