// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/common/verb.hpp"

namespace orrery {

/// Verbs about other tools' files, recorded traces and the catalogue. Their arguments have been held to the shapes of app/cli/verbs/verbs.cpp.
VerbAnswer answerImport(const Json& given);
VerbAnswer answerLaunch(const Json& given);
VerbAnswer answerTraces(const Json& given);
VerbAnswer answerList(const Json& given);
VerbAnswer answerSchema(const Json& given);

} // namespace orrery
