// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/common/verb.hpp"

namespace orrery {

// What each verb answers. Arguments have been held to the shapes of app/cli/verbs/verbs.cpp.

VerbAnswer answerSimulate(const Json& given);
VerbAnswer answerEstimate(const Json& given);
VerbAnswer answerPlan(const Json& given);
VerbAnswer answerSearch(const Json& given);
VerbAnswer answerSweep(const Json& given);
VerbAnswer answerCompare(const Json& given);
VerbAnswer answerExplain(const Json& given);
VerbAnswer answerValidate(const Json& given);

// Other tools' files, recorded traces and the catalogue.

VerbAnswer answerImport(const Json& given);
VerbAnswer answerLaunch(const Json& given);
VerbAnswer answerTraces(const Json& given);
VerbAnswer answerList(const Json& given);
VerbAnswer answerSchema(const Json& given);

} // namespace orrery
