// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// One operation that exceeded its budget.
public struct BudgetExample: Sendable, Hashable {
    /// The cost, in nanoseconds or bytes.
    public let value: Int64
    /// The name of the action's case, for an action of a client or context; never its associated values.
    public let action: String?
    /// When it ended.
    public let time: Instant
}

/// The worst operations of one budget and component, the worst first.
struct WorstExamples: Sendable, Hashable {
    static let capacity = 5

    private(set) var examples: [BudgetExample] = []

    /// The cost that an operation must exceed to be kept.
    var floor: Int64 {
        examples.count < Self.capacity ? .min : examples.last?.value ?? .min
    }

    /// Keeps an operation if it is among the worst. Of equal ones the earlier stays.
    mutating func add(_ example: BudgetExample) {
        guard example.value > floor else { return }
        let place = examples.firstIndex { $0.value < example.value } ?? examples.count
        examples.insert(example, at: place)
        if examples.count > Self.capacity { examples.removeLast() }
    }
}
