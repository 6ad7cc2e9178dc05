// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/common/verb.hpp"

namespace orrery {

/// Verbs that take scenarios. Their arguments have been held to the shapes of app/cli/verbs/verbs.cpp.
VerbAnswer answerSimulate(const Json& given);
VerbAnswer answerEstimate(const Json& given);
VerbAnswer answerPlan(const Json& given);
VerbAnswer answerSearch(const Json& given);
VerbAnswer answerSweep(const Json& given);
VerbAnswer answerCompare(const Json& given);
VerbAnswer answerExplain(const Json& given);
VerbAnswer answerValidate(const Json& given);

} // namespace orrery
