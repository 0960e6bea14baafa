// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import AxiomVerification

extension Violation {
    /// Violations of rules that are off by default, or that need layers.
    static let configured: [Violation] = leaves + indices + imports

    private static let leaves: [Violation] = [
        Violation("capability-is-leaf", .capability, .member, "private let other: ⟦CapabilityRef<CAPABILITY>"),
        Violation("capability-is-leaf", .capability, .member, "private var other: ⟦CAPABILITY?"),
        Violation("capability-is-leaf", .capability, .elsewhere, "func use(_ other: ⟦CAPABILITY) {}"),
    ].map { $0.enabled() }

    private static let indices: [Violation] = [
        Violation("action-not-indexed", .component, .topLevel, "enum ⟦PingAction: Action {\n    case ping, pong\n}"),
        Violation(
            "action-not-indexed",
            .component,
            .topLevel,
            "enum ⟦PingAction {\n    case ping\n}\nextension PingAction: Axiom.Action {}"
        ),
    ].map { $0.enabled() }

    private static let imports: [Violation] = [
        "import Screens", "@preconcurrency import Screens", "import struct Screens.Window",
        "#if canImport(Screens)\n⟦import Screens\n#endif",
    ].map { text in
        let statement = text.contains("⟦") ? text : "⟦" + text
        var violation = Violation("import-direction", text) { program, generator in
            guard let path = program.axiomPaths.randomElement(using: &generator),
                let place = program.facts[path]?.imports.randomElement(using: &generator)
            else { return nil }
            var edits = Edits(program)
            edits.insert(statement + "\n", at: place.whole.start, in: path)
            return edits.texts
        }
        violation.configuration.environment.layers = [
            .init(name: "Shop", modules: ["axiom_demo"], mayImport: []),
            .init(name: "Screens", modules: ["Screens"], mayImport: ["Shop"]),
        ]
        return violation
    }

    private func enabled() -> Violation {
        var violation = self
        violation.configuration.enabled = [rule]
        return violation
    }
}
