<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>orrery::AccuracyPage</name>
    <message numerus="yes">
        <source>%1: %n measured run(s)</source>
        <translation>
            <numerusform>%1: %n measured run</numerusform>
            <numerusform>%1: %n measured runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>orrery::LessonList</name>
    <message numerus="yes">
        <source>%n step(s)</source>
        <translation>
            <numerusform>%n step</numerusform>
            <numerusform>%n steps</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>all %n step(s) done</source>
        <translation>
            <numerusform>the one step is done</numerusform>
            <numerusform>all %n steps done</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>orrery::MainWindow</name>
    <message numerus="yes">
        <source>The scenario is in the clipboard, as one line of %n letters.</source>
        <translation>
            <numerusform>The scenario is in the clipboard, as one line of %n letter.</numerusform>
            <numerusform>The scenario is in the clipboard, as one line of %n letters.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>orrery::ScenarioForm</name>
    <message numerus="yes">
        <source>%n on</source>
        <translation>
            <numerusform>%n on</numerusform>
            <numerusform>%n on</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>orrery::StatusPill</name>
    <message numerus="yes">
        <source>%n problem(s)</source>
        <translation>
            <numerusform>%n problem</numerusform>
            <numerusform>%n problems</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>orrery::StatusRow</name>
    <message numerus="yes">
        <source>%n problem(s)</source>
        <translation>
            <numerusform>%n problem</numerusform>
            <numerusform>%n problems</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n warning(s)</source>
        <translation>
            <numerusform>%n warning</numerusform>
            <numerusform>%n warnings</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n value(s) assumed</source>
        <translation>
            <numerusform>%n value assumed</numerusform>
            <numerusform>%n values assumed</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>orrery::StudyWindow</name>
    <message numerus="yes">
        <source>%n scenario(s) simulated in %1</source>
        <translation>
            <numerusform>%n scenario simulated in %1</numerusform>
            <numerusform>%n scenarios simulated in %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>orrery::SweepPage</name>
    <message numerus="yes">
        <source>%n value(s)</source>
        <translation>
            <numerusform>%n value</numerusform>
            <numerusform>%n values</numerusform>
        </translation>
    </message>
</context>
</TS>
