// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

namespace orrery::test {

/// A sheet of a workbook as its file has it.
struct ReadSheet {
    std::string name;
    std::map<std::string, std::string> cells; ///< by place ("B2"): numbers as they are written, texts in quotes, "TRUE" and "FALSE"
};

/// The files inside a zip file, by name; nothing where the bytes are none. Reads what its directory says, unpacked by zlib.
std::map<std::string, std::string> readZip(const std::string& bytes);

/// The sheets of an .xlsx file, in their order.
std::vector<ReadSheet> readWorkbook(const std::string& bytes);

} // namespace orrery::test
