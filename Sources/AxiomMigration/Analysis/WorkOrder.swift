// SPDX-License-Identifier: Apache-2.0

#if Tools
/// The seven steps of a move, each with the parts that it concerns: those first that use the fewest others.
struct WorkOrder: Sendable {
    private let parts: [FoundPart]
    /// How many parts a part uses, directly and through others.
    private let depths: [String: Int]

    init(_ parts: [FoundPart]) {
        self.parts = parts
        let uses = Dictionary(parts.map { ($0.name, $0.uses) }) { $0.union($1) }
        var depths: [String: Int] = [:]
        for name in uses.keys { depths[name] = Self.reached(from: name, uses).count }
        self.depths = depths
    }

    private static func reached(from name: String, _ uses: [String: Set<String>]) -> Set<String> {
        var seen: Set<String> = [name]
        var pending = [name]
        while let next = pending.popLast() {
            for other in uses[next] ?? [] where uses[other] != nil && seen.insert(other).inserted {
                pending.append(other)
            }
        }
        return seen.subtracting([name])
    }

    var lines: [String] {
        let steps: [(String, Set<FoundPart.Kind>)] = [
            ("Make capabilities of what reaches a system", [.service, .dependency]),
            ("Make clients of what decides and outlives a view", [.singleton, .reducer]),
            ("Make states of the values that clients keep", [.model]),
            ("Make contexts of what coordinates a screen", [.viewModel, .controller]),
            ("Make presentations of views, each with one context", [.view]),
            ("Register the components with one orchestrator, and start it", []),
            ("Test each client and context with AxiomTesting", []),
        ]
        return steps.enumerated().map { index, step in
            let names = parts.filter { step.1.contains($0.kind) }
                .sorted { (depths[$0.name, default: 0], $0.name) < (depths[$1.name, default: 0], $1.name) }.map(\.name)
            return "\(index + 1). \(step.0)" + (names.isEmpty ? "" : ": " + names.joined(separator: ", "))
        }
    }
}
#endif
