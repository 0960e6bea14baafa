// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A budget was exceeded: what is logged, once per window for each budget and component.
public struct BudgetViolation: Sendable, Hashable, CustomStringConvertible {
    /// How loudly it is said.
    public enum Level: String, Sendable, Hashable {
        /// In debug builds.
        case warning
        /// In release builds, as RFC-001 asks ("Performance Enforcement").
        case error

        /// That of this build.
        public static var ofThisBuild: Level {
            #if DEBUG
            .warning
            #else
            .error
            #endif
        }
    }

    /// How long there is silence after a violation was logged: 60 s.
    public static let logWindow: Duration = .seconds(60)

    /// The budget.
    public let budget: PerformanceBudget
    /// The component that exceeded it.
    public let component: String
    /// What the operation cost, the name of its action, and when it ended.
    public let example: BudgetExample
    /// The limit that counted.
    public let limit: BudgetLimit
    /// How many violations of the same budget and component were not logged since the last that was.
    public let unlogged: UInt64
    /// How loudly it is said.
    public let level: Level

    /// One line: the level, the budget, who, how much, and how much is allowed.
    public var description: String {
        let who = [component, example.action].compactMap(\.self).joined(separator: ".")
        let cost = BudgetLimit(unit: limit.unit, value: example.value)
        let more = unlogged == 0 ? "" : "; \(unlogged) more since the last message"
        return "\(level.rawValue): budget \(budget.id): \(who) took \(cost), \(limit) is allowed\(more)"
    }

    /// Writes the line to standard error.
    public func log() {
        let line = "axiom: \(self)\n"
        _ = write(STDERR_FILENO, line, line.utf8.count)
    }
}
