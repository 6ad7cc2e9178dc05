// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// Inside the core every quantity is in base units: seconds, bytes, FLOP, bytes/s, FLOP/s.
/// Files use the units their keys name (GB/s, microseconds); these constants convert once, on reading.
namespace orrery::units {

inline constexpr double microsecond = 1e-6;
inline constexpr double hour = 3600;
inline constexpr double day = 86400;
inline constexpr double gigabyte = 1e9;        ///< 10^9 bytes
inline constexpr double gibibyte = 1073741824; ///< 2^30 bytes
inline constexpr double tera = 1e12;

} // namespace orrery::units
