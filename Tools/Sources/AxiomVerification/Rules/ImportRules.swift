// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// Rules about imports.
enum ImportRules {
    static let all = [importDirection]

    static let importDirection = Rule(
        id: "import-direction",
        summary: "A module imports a module of a layer that its own layer may not import, or an unknown module.",
        rationale: """
            Dependencies lead down. The layers are those of the configuration; a module in no layer may be imported by all. An \
            unknown module is of no package, toolchain or platform: give it a class in the configuration.
            """,
        severity: .error
    ) { project, findings in
        let layers = LayerTable(project.environment.layers)
        for (index, file) in project.files.enumerated() {
            for item in file.imports {
                if project.environment.unknownModules.contains(item.module) {
                    findings.report(
                        .warning,
                        at: project.span(item.span, in: index),
                        "\(item.module) is a module of no package, toolchain or platform that is known here.",
                        identity: "\(file.module)/\(item.module)"
                    )
                }
                guard let (from, to) = layers.objection(from: file.module, to: item.module) else { continue }
                let below = from.mayImport.isEmpty ? "no other layer" : from.mayImport.joined(separator: ", ")
                findings.report(
                    at: project.span(item.span, in: index),
                    "\(file.module) is in the layer \(from.name), which may import \(below); "
                        + "\(item.module) is in the layer \(to.name).",
                    identity: "\(file.module)/\(item.module)"
                )
            }
        }
    }

    private struct LayerTable {
        private var layers: [String: ProjectEnvironment.Layer] = [:]

        init(_ list: [ProjectEnvironment.Layer]) {
            for layer in list {
                for module in layer.modules where layers[module] == nil { layers[module] = layer }
            }
        }

        /// The layers of two modules if the first may not import the second; nil if it may, or one is in no layer.
        func objection(
            from: String,
            to: String
        ) -> (from: ProjectEnvironment.Layer, to: ProjectEnvironment.Layer)? {
            guard let upper = layers[from], let lower = layers[to], upper.name != lower.name,
                !upper.mayImport.contains(lower.name)
            else { return nil }
            return (upper, lower)
        }
    }
}
