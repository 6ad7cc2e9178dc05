// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/catalog_choices.hpp"

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/model/architecture.hpp"

#include <QCoreApplication>
#include <QFileInfo>
#include <QStringList>

#include <algorithm>

namespace orrery {
namespace {

struct ChoiceText {
    Q_DECLARE_TR_FUNCTIONS(ChoiceText)
};

/// "Llama 3.1 70B" → "Llama", "Qwen2.5 7B" → "Qwen", "GPT-3 175B" → "GPT".
QString familyOf(const std::string& modelName) {
    const QString name = QString::fromStdString(modelName);
    qsizetype end = 0;
    while (end < name.size() && name[end].isLetter()) ++end;
    return end == 0 ? name : name.left(end);
}

bool sameFamily(const QString& a, const QString& b) { return a.compare(b, Qt::CaseInsensitive) == 0; }

QStringList vendorsOf(const Catalog& catalog) {
    QStringList vendors;
    for (const Accelerator& accelerator : catalog.accelerators())
        if (const QString vendor = QString::fromStdString(accelerator.vendor); !vendors.contains(vendor)) vendors << vendor;
    return vendors;
}

/// Models of architectures that later versions bring are listed, greyed.
bool isSimulated(const ModelEntry& model) {
    Problems problems;
    return importArchitecture(model.config, "/model", problems) && !hasErrors(problems);
}

} // namespace

std::vector<ChoiceEntry> modelChoices(const Catalog& catalog) {
    // Names differ in case ("LLaMA", "Llama"): a family is written as its first entry with a capital writes it.
    QStringList families;
    for (const ModelEntry& model : catalog.models()) {
        const QString family = familyOf(model.name);
        const auto known = std::find_if(families.begin(), families.end(), [&](const QString& other) { return sameFamily(other, family); });
        if (known == families.end()) families.append(family);
        else if (known->front().isLower()) *known = family;
    }
    families.sort(Qt::CaseInsensitive);
    std::vector<ChoiceEntry> entries;
    for (const QString& family : families) {
        QString heading = family;
        heading[0] = heading[0].toUpper();
        entries.push_back({.value = nullptr, .text = heading, .heading = true});
        for (const ModelEntry& model : catalog.models()) {
            if (!sameFamily(familyOf(model.name), family)) continue;
            entries.push_back({.value = Json{{"preset", model.id}},
                               .text = QString::fromStdString(model.name),
                               .tooltip = QString::fromStdString(model.citation.source),
                               .enabled = isSimulated(model)});
        }
    }
    return entries;
}

std::vector<ChoiceEntry> frameworkChoices(const Catalog& catalog) {
    std::vector<ChoiceEntry> entries;
    for (const FrameworkProfile& framework : catalog.frameworks()) {
        entries.push_back({.value = framework.id,
                           .text = QString::fromStdString(framework.name),
                           .tooltip = QString::fromStdString(framework.citation.source)});
    }
    return entries;
}

std::vector<ChoiceEntry> acceleratorChoices(const Catalog& catalog) {
    std::vector<ChoiceEntry> entries;
    for (const QString& vendor : vendorsOf(catalog)) {
        entries.push_back({.value = nullptr, .text = vendor, .heading = true});
        for (const Accelerator& accelerator : catalog.accelerators()) {
            if (QString::fromStdString(accelerator.vendor) != vendor) continue;
            QString name = QString::fromStdString(accelerator.name);
            if (name.startsWith(vendor + u' ')) name = name.mid(vendor.size() + 1); // the heading says it
            entries.push_back({.value = accelerator.id, .text = name, .tooltip = QString::fromStdString(accelerator.citation.source)});
        }
    }
    return entries;
}

std::vector<ChoiceEntry> platformChoices(const Catalog& catalog) {
    std::vector<ChoiceEntry> entries;
    for (const QString& vendor : vendorsOf(catalog)) {
        const std::size_t heading = entries.size();
        for (const Platform& platform : catalog.platforms()) {
            const Accelerator* accelerator = catalog.accelerator(platform.accelerator);
            if (!accelerator || QString::fromStdString(accelerator->vendor) != vendor || platform.generated) continue;
            entries.push_back({.value = platform.id, .text = QString::fromStdString(platform.name), .tooltip = QString::fromStdString(platform.citation.source)});
        }
        if (entries.size() > heading) entries.insert(entries.begin() + static_cast<std::ptrdiff_t>(heading), {.value = nullptr, .text = vendor, .heading = true});
    }
    return entries;
}

QString describeAccelerator(const Json& accelerator) {
    if (accelerator.is_string()) return QString::fromStdString(accelerator.get<std::string>());
    if (accelerator.is_object())
        for (const char* key : {"name", "id"})
            if (const auto found = accelerator.find(key); found != accelerator.end() && found->is_string()) return QString::fromStdString(found->get<std::string>());
    return ChoiceText::tr("of its own");
}

QString describeModel(const Json& model) {
    const auto text = [](const Json& object, const char* key) {
        const auto found = object.find(key);
        return found != object.end() && found->is_string() ? QString::fromStdString(found->get<std::string>()) : QString();
    };
    if (model.is_object()) {
        if (const QString preset = text(model, "preset"); !preset.isEmpty()) return preset;
        for (const char* key : {"config_file", "graph_file"})
            if (const QString file = text(model, key); !file.isEmpty()) return QFileInfo(file).fileName();
        if (model.contains("toy")) return ChoiceText::tr("toy of stated times");
        if (model.contains("graph")) return ChoiceText::tr("recorded graph");
        if (const auto config = model.find("config"); config != model.end() && config->is_object()) {
            if (const QString path = text(*config, "_name_or_path"); !path.isEmpty()) return path.section(QLatin1Char('/'), -1);
            if (const QString type = text(*config, "model_type"); !type.isEmpty()) return ChoiceText::tr("own %1 config").arg(type);
            return ChoiceText::tr("own config");
        }
    }
    return ChoiceText::tr("choose…");
}

} // namespace orrery
