// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The cached availability of one capability, and the callers that wait for an answer.
///
/// Callers that check before the answer arrives share one question. A pure state machine: ``CapabilitySlot`` stores it
/// under its lock, asks the capability, and settles the waiters that it returns.
struct CapabilityAvailability {
    /// The result that one caller waits for. Settled once: by the answer, by the caller's limit or by its cancellation.
    typealias Waiter = OneShot<Result<Bool, CancellationError>>

    /// The number of a check. A capability is checked again after an invalidation and after a replacement.
    typealias Question = UInt64

    /// The result of a check.
    enum Finding {
        case known(Bool)
        /// A question is in progress.
        case asked
        /// The caller has to put this question to the capability.
        case new(Question)
    }

    /// The answer, until it is invalidated.
    private(set) var known: Bool?
    /// The question that new callers share; nil if there is none, or if its answer has become outdated.
    private var current: Question?
    private var last: Question = 0
    private var waiting: [(question: Question, waiter: Waiter)] = []

    /// How many callers wait.
    var waiterCount: Int { waiting.count }

    mutating func ask(_ waiter: Waiter) -> Finding {
        if let known { return .known(known) }
        if let current {
            waiting.append((current, waiter))
            return .asked
        }
        let question = next()
        waiting.append((question, waiter))
        return .new(question)
    }

    /// The caller stops waiting.
    mutating func leave(_ waiter: Waiter) { waiting.removeAll { $0.waiter === waiter } }

    /// The capability answered.
    ///
    /// - Returns: The waiters for this answer. It is cached for later callers unless it has become outdated.
    mutating func answered(_ question: Question, _ answer: Bool) -> [Waiter] {
        if question == current { (known, current) = (answer, nil) }
        let answered = waiting.filter { $0.question == question }.map(\.waiter)
        waiting.removeAll { $0.question == question }
        return answered
    }

    /// The capability reported its availability without a check.
    ///
    /// - Returns: The waiters, for which this is the answer. The answer to a check in progress is not cached.
    mutating func reported(_ answer: Bool) -> [Waiter] {
        (known, current) = (answer, nil)
        defer { waiting = [] }
        return waiting.map(\.waiter)
    }

    /// The next caller starts another check. Callers that already wait get the answer to the check in progress.
    mutating func invalidate() { (known, current) = (nil, nil) }

    /// Another instance replaced the one that was checked.
    ///
    /// - Returns: The question to put to the new instance for the waiters; nil if no caller waits.
    mutating func replaced() -> Question? {
        invalidate()
        guard !waiting.isEmpty else { return nil }
        let question = next()
        for index in waiting.indices { waiting[index].question = question }
        return question
    }

    /// There is no instance until the next one arrives. The waiters will get its answer.
    mutating func paused() -> [Waiter] {
        invalidate()
        return []
    }

    /// There is no instance, and none will follow.
    ///
    /// - Returns: The waiters, whose answer is that the capability is not available.
    mutating func ended() -> [Waiter] {
        invalidate()
        defer { waiting = [] }
        return waiting.map(\.waiter)
    }

    private mutating func next() -> Question {
        last += 1
        current = last
        return last
    }
}
