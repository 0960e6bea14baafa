// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// Checks the routes of an application without a flow, as `start()` checks those of each flow.
public enum RouteValidator {
    /// Checks that the routes have samples, and that their identifiers are unique and valid labels of metrics.
    ///
    /// - Throws: ``CompositionError`` with the first mistake.
    public static func validate<R: Route>(_ routes: R.Type) throws {
        if let mistake = mistakes(routes).first {
            throw CompositionError(
                .invalidFlow,
                "The routes \(R.self): \(mistake.problem).",
                mistake.remedy
            )
        }
    }

    /// A clause that says what is wrong, and what to change.
    typealias Mistake = (problem: String, remedy: String)

    static func mistakes<R: Route>(_ routes: R.Type) -> [Mistake] {
        R.samples.compactMap { mistake(inName: $0.identifier, as: "the identifier of a route") } + repetitions(routes)
    }

    /// The mistake in a label of metrics; nil if it is valid.
    static func mistake(inName text: String, as role: String) -> Mistake? {
        guard !isIdentifier(text) else { return nil }
        return (
            "\(role), \(text.prefix(80).debugDescription), is not [a-zA-Z][a-zA-Z0-9_]* of at most 64 characters",
            "Use letters, digits and underscores, a letter first: it is a label of metrics."
        )
    }

    private static func isIdentifier(_ text: String) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        guard let first = text.utf8.first, isLetter(first), text.utf8.count <= 64 else { return false }
        return text.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == 0x5F }
    }

    private static func repetitions<R: Route>(_ routes: R.Type) -> [Mistake] {
        guard !R.samples.isEmpty else {
            return [("\(R.self) has no samples", "List one route of each identifier in \(R.self).samples.")]
        }
        let counts = R.samples.reduce(into: [:]) { $0[$1.identifier, default: 0] += 1 }
        return counts.filter { $0.value > 1 }.keys.sorted().map { identifier in
            (
                "\(counts[identifier, default: 0]) samples of \(R.self) have the identifier \(identifier)",
                "Give each destination its own identifier, and list one sample of each."
            )
        }
    }
}
