// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// What number formats with scales of their own for blocks of elements take, by their definitions.
namespace orrery::block_formats {

/// Bytes of scale an element of mxfp8 and mxfp4 has: one for 32 (OCP Microscaling Formats 1.0, section 5.2).
inline constexpr double mxScaleBytes = 1.0 / 32;
/// Bytes an element of nvfp4 takes: four bits, and a scale of one byte for 16 (NVIDIA, nvfp4).
inline constexpr double nvfp4Bytes = 0.5 + 1.0 / 16;
/// Bytes a weight takes in 4-bit NormalFloat with double quantisation: four bits, an 8-bit constant for 64 of them, and an fp32 one for 256 of
/// those (Dettmers et al. 2023, arXiv 2305.14314, section 3).
inline constexpr double nf4Bytes = 0.5 + 1.0 / 64 + 4.0 / (64 * 256);

} // namespace orrery::block_formats
