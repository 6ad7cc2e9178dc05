// SPDX-License-Identifier: GPL-3.0-or-later
// Writes traces as large as asked for, to see what opening them costs: generate_trace FILE MEGABYTES [RANK WORLD].
#include "tests/support/generated_trace.hpp"

#include <cstdlib>
#include <fstream>
#include <iostream>

int main(int argc, char** argv) {
    if (argc != 3 && argc != 5) {
        std::cerr << "generate_trace FILE MEGABYTES [RANK WORLD]\n";
        return 2;
    }
    std::ofstream out(argv[1], std::ios::binary);
    const auto made = orrery::test::writeGeneratedTrace(out, std::strtoull(argv[2], nullptr, 10) * 1'000'000, argc == 5 ? std::atoi(argv[3]) : 0, argc == 5 ? std::atoi(argv[4]) : 1);
    if (!out.flush()) {
        std::cerr << "generate_trace: " << argv[1] << " can't be written.\n";
        return 1;
    }
    std::cout << made.kernels << " kernels, " << made.operators << " operators, " << made.collectives << " collectives, " << made.memoryEvents << " memory events\n";
    return 0;
}
