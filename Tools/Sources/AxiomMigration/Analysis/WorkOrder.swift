// SPDX-License-Identifier: Apache-2.0

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
        let steps = [
            "Make capabilities of what reaches a system", "Make clients of what decides and outlives a view",
            "Make states of the values that clients keep", "Make contexts of what coordinates a screen",
            "Make presentations of views, each with one context",
            "Register the components with one orchestrator, and start it",
            "Test each client and context with AxiomTesting",
        ]
        return steps.enumerated().map { index, step in
            let names = parts.filter { $0.step == index + 1 }
                .sorted { (depths[$0.name, default: 0], $0.name) < (depths[$1.name, default: 0], $1.name) }.map(\.name)
            return "\(index + 1). \(step)" + (names.isEmpty ? "" : ": " + names.joined(separator: ", "))
        }
    }
}

extension FoundPart {
    /// The step that concerns it, from 1; nil for what goes with other parts.
    fileprivate var step: Int? {
        switch kind {
        case .service, .dependency: 1
        case .singleton: isSharedCapability ? 1 : 2
        case .reducer: 2
        case .model: 3
        case .viewModel, .controller: 4
        case .view: 5
        case .callback: nil
        }
    }
}
