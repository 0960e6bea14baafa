// SPDX-License-Identifier: Apache-2.0

/// A violation of a confirmed budget, logged at most once per window for each budget and component.
public struct BudgetViolation: Sendable, Hashable, CustomStringConvertible {
    /// The severity of the message.
    package enum Level: String, Sendable, Hashable {
        /// In debug builds.
        case warning
        /// In release builds, as RFC-001 requires ("Performance Enforcement").
        case error

        static var ofThisBuild: Level {
            #if DEBUG
            .warning
            #else
            .error
            #endif
        }
    }

    /// The minimum time between two logged violations: 60 s.
    package static let logWindow: Duration = .seconds(60)

    /// The budget.
    public let budget: PerformanceBudget
    /// The component that exceeded it.
    public let component: String
    /// The cost of the operation, the name of its action, and the time of its end.
    public let example: BudgetExample
    /// The limit that was exceeded.
    public let limit: BudgetLimit
    /// How many violations of the same budget and component were not logged since the last logged one.
    package let unlogged: UInt64
    /// The severity of the message.
    package let level: Level

    /// One line: the level, the budget, the component and action, the cost, and the limit.
    public var description: String {
        let more = unlogged == 0 ? "" : "; \(unlogged) more since the last message"
        return "\(level.rawValue): budget \(budget.id): \(excess)\(more)"
    }

    private var excess: String {
        guard limit.unit != .count else {
            let count = "\(example.value) \(example.value == 1 ? "instance" : "instances")"
            return "\(count) of \(component) should have ended and are alive, \(limit) are allowed"
        }
        let operation = [component, example.action].compactMap(\.self).joined(separator: ".")
        let verb = limit.unit == .bytes ? "uses" : "took"
        let cost = BudgetLimit(unit: limit.unit, value: example.value)
        return "\(operation) \(verb) \(cost), \(limit) is allowed"
    }

    /// Writes the line to standard error. Blocks while the pipe behind standard error is full.
    public func log() {
        // Not through swift-log: this module depends on no package. Applications with a logger pass `onBudgetViolation`.
        log(to: LogLine.standardError)
    }

    /// Writes the line to a file descriptor.
    func log(to descriptor: CInt) { LogLine.write("axiom: \(self)\n", to: descriptor) }
}
