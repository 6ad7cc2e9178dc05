// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// A page of the manual. The same pages are the site, the PDF (packaging/manual) and the help of the window.
struct ManualPage {
    std::string name;  ///< "plan": its file is plan.md, links to it say plan.md or plan.md#heading
    std::string title; ///< its first heading
    std::string text;  ///< Markdown
};

/// A heading of a page.
struct ManualPlace {
    std::string page;
    std::string heading; ///< as it is written, without the marks of code
};

/// All pages in reading order: those written by hand (resources/manual), then those made of what the program itself declares: the keys of a scenario, the figures
/// of a result, the constants. The pages of commands are made by the command line, which alone knows them.
std::vector<ManualPage> manualPages();

/// The page of a key of a scenario, by a pointer into one ("/cluster/nodes", "/cluster/topology/nodes/3/kind"). Nothing where it is no key.
std::optional<ManualPlace> placeOfKey(std::string_view pointer);

/// The page of a figure, by a pointer into a result ("/ttft_s/p99"). Nothing where no row of figures.json speaks of it.
std::optional<ManualPlace> placeOfFigure(std::string_view pointer);

/// What a link to a heading says behind '#', as pandoc makes it: small letters, spaces as '-', without the signs of code and without what comes before the first letter.
std::string slugOf(std::string_view heading);

} // namespace orrery
