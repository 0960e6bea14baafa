// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// The macros, with the conformances that their declarations in `AxiomMacros` name.
let macros: [String: MacroSpec] = [
    "AxiomState": MacroSpec(type: AxiomStateMacro.self, conformances: ["OwnedState"]),
    "AxiomAction": MacroSpec(type: AxiomActionMacro.self, conformances: ["Action"]),
    "AxiomCapability": MacroSpec(type: AxiomCapabilityMacro.self, conformances: ["Capability"]),
    "AxiomClient": MacroSpec(type: AxiomClientMacro.self, conformances: ["Client", "Component"]),
    "AxiomContext": MacroSpec(type: AxiomContextMacro.self, conformances: ["Context"]),
    "ValidateRoutes": MacroSpec(type: ValidateRoutesMacro.self),
    "Capability": MacroSpec(type: CapabilityMarker.self),
    "Client": MacroSpec(type: ClientMarker.self),
    "Downstream": MacroSpec(type: DownstreamMarker.self),
    "Observes": MacroSpec(type: ObservesMarker.self),
]

/// One expected diagnostic: where, which, and the title of its fix-it.
struct Expected {
    let id: MisuseID
    let line: Int
    let column: Int
    let text: String
    var severity = DiagnosticSeverity.error
    var notes: [NoteSpec] = []
    var fix: String?

    init(
        _ id: MisuseID,
        _ line: Int,
        _ column: Int,
        _ text: String,
        severity: DiagnosticSeverity = .error,
        notes: [NoteSpec] = [],
        fix: String? = nil
    ) {
        (self.id, self.line, self.column, self.text) = (id, line, column, text)
        (self.severity, self.notes, self.fix) = (severity, notes, fix)
    }

    var specification: DiagnosticSpec {
        DiagnosticSpec(
            id: MessageID(domain: "AxiomMacros", id: id.rawValue),
            message: "\(text) [\(id.rawValue)]",
            line: line,
            column: column,
            severity: severity,
            notes: notes,
            fixIts: fix.map { [FixItSpec(message: $0)] } ?? []
        )
    }
}

/// Expands the macros in `source` and compares the result, the diagnostics, and the source after all fix-its.
///
/// - Parameter expansion: Nil to compare the diagnostics only.
func assertMacro(
    _ source: String,
    diagnostics: [Expected] = [],
    fixed: String? = nil,
    expansion: String? = nil,
    macros: [String: MacroSpec] = macros,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
) {
    assertMacroExpansion(
        source,
        expandedSource: expansion ?? expanded(source, macros),
        diagnostics: diagnostics.map(\.specification),
        macroSpecs: macros,
        applyFixIts: fixed == nil ? nil : diagnostics.compactMap(\.fix),
        fixedSource: fixed,
        failureHandler: { failure in
            Issue.record(
                "\(failure.message)",
                sourceLocation: SourceLocation(
                    fileID: "\(fileID)",
                    filePath: "\(filePath)",
                    line: Int(line),
                    column: Int(column)
                )
            )
        },
        fileID: fileID,
        filePath: filePath,
        line: line,
        column: column
    )
}

/// What the macros write in `source`.
func expanded(_ source: String, _ macros: [String: MacroSpec] = macros) -> String {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "test.swift")])
    let result = file.expand(
        macroSpecs: macros,
        contextGenerator: {
            BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
        },
        indentationWidth: .spaces(4)
    )
    return result.description
}
