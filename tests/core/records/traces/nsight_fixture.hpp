// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/traces/kineto_reader.hpp"

#include <set>
#include <string>

namespace orrery::test {

/// The bytes of an SQLite file that these statements make.
std::string sqliteOf(const std::string& statements);

/// A Kineto trace CONVERTED to the tables of an SQLite export of Nsight Systems: no real export. Tables in `without` are left out.
std::string nsightConverted(const KinetoTrace& trace, const std::set<std::string>& without = {});

/// The bytes that these hexadecimal digits are.
std::string fromHex(std::string_view digits);

/// PyTorch's memory snapshot as Python 3.11's pickle wrote it, of made values: 20 MiB reserved, 3 MiB - 100 B in use, 5 MiB more for a while.
std::string madeSnapshot(int protocol);

} // namespace orrery::test
