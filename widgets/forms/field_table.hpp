// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"

#include <QString>

#include <string_view>
#include <vector>

namespace orrery {

enum class FieldSection { model,
                          cluster,
                          workload,
                          parallelism,
                          execution,
                          passes,
                          cost };
inline constexpr FieldSection allFieldSections[] = {FieldSection::model, FieldSection::cluster, FieldSection::workload,
                                                    FieldSection::parallelism, FieldSection::execution, FieldSection::passes,
                                                    FieldSection::cost};

enum class FieldKind {
    model,       ///< choice from the catalogue's models; writes the whole `model` object
    framework,   ///< choice from the catalogue's frameworks
    platform,    ///< choice from the catalogue's platforms; writes what of the cluster is a platform's
    accelerator, ///< choice from the catalogue's accelerators
    integer,
    number,
    data_rate,    ///< a number of GB/s, which Gb/s may be typed for
    integer_list, ///< "39, 41"
    number_list,  ///< "1, 0.5, 0.25"
    check_list,   ///< any number of the choices, as a list
    text,         ///< sent when it is done, not while it is typed
    toggle,
    pass, ///< a toggle with what it adds to the plan beside it
    choice,
    derived, ///< shown, never edited
};

/// How the arrow keys and the −/+ buttons move a number.
enum class FieldStep {
    none,
    one,
    doubling, ///< to the next power of two
    batch,    ///< by what one micro-batch on every data-parallel rank takes, else doubling
};

/// Kinds of workload that a field is for, added up.
using WorkloadKinds = unsigned;
inline constexpr WorkloadKinds inTraining = 1, inInference = 2, inServing = 4, inRl = 8, inEveryKind = 15;

/// "serving" of a document; training for a text that names no kind.
WorkloadKinds kindNamed(std::string_view word);

struct FieldChoice {
    Json value; ///< an object stands for every object with its keys: their values are fields of their own
    QString text;
    QString tooltip = {};
};

/// One field of the scenario form. The form is this table; no field has code of its own.
struct FieldSpec {
    FieldSection section;
    FieldKind kind;
    const char* pointer; ///< into the scenario document; also the editor's object name
    QString label = {};  ///< sentence case; also the accessible name
    QString unit = {};   ///< inside the field, in secondary ink
    QString tooltip = {};
    bool required = false; ///< without a default: cannot be emptied
    FieldStep step = FieldStep::none;
    bool stepButtons = false;
    Json contractDefault = nullptr; ///< what the format itself says an absent key means; null: it says nothing
    std::vector<FieldChoice> choices = {};
    QString group = {};                ///< fields with the same text stand as check boxes in one row of that label
    QString absent = {};               ///< what a choice says while nothing is given; empty: "default"
    bool partOfChoice = false;         ///< shown only while the document has the key: another field's choice puts it there
    bool plainOnly = false;            ///< not shown while the value is an object, whose parts have fields of their own
    WorkloadKinds kinds = inEveryKind; ///< of another kind it is shown only while the document has the key
};

/// All fields in the order of the form, in the user's language.
std::vector<FieldSpec> scenarioFields();

QString sectionTitle(FieldSection section);

/// First member of the JSON pointers of a section, "parallelism"; passes belong to "execution/passes".
const char* sectionPrefix(FieldSection section);

} // namespace orrery
