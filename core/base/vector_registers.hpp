// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace orrery {

/// Marks the upper halves of the calling thread's vector registers as unused, where the processor has such (AVX). A thread begins with what its
/// parent has in use, and drawing leaves them in use: then each change between instructions that write them and instructions that don't, several in
/// every logarithm, waits for some dozens of cycles, and a simulation takes up to four times as long. Changes no value that a program reads.
void releaseVectorRegisters();

} // namespace orrery
