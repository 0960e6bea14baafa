// SPDX-License-Identifier: Apache-2.0

internal import AxiomResilience

/// The availability of one capability, as far as it is known, and the callers that wait for an answer.
///
/// Those who ask before the answer has come share one question. A pure state machine: ``CapabilitySlot`` stores it under
/// its lock, asks the capability, and settles the waiters that it returns.
struct CapabilityAvailability {
    /// What one caller waits for. Settled once: by the answer, by the caller's limit or by its cancellation.
    typealias Waiter = OneShot<Result<Bool, CancellationError>>

    /// The number of a question. A capability is asked again after an invalidation and when it was replaced.
    typealias Question = UInt64

    /// What a caller finds.
    enum Finding {
        case known(Bool)
        /// The question is under way.
        case asked
        /// This question has to be put to the capability.
        case new(Question)
    }

    /// The answer, until it is invalidated.
    private(set) var known: Bool?
    /// The question that those share who ask now; nil when there is none, or when its answer became one of the past.
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

    /// The caller does not wait any more.
    mutating func leave(_ waiter: Waiter) {
        waiting.removeAll { $0.waiter === waiter }
    }

    /// The capability answered.
    ///
    /// - Returns: Those who waited for this answer. It is kept for later callers unless it became one of the past.
    mutating func answered(_ question: Question, _ answer: Bool) -> [Waiter] {
        if question == current { (known, current) = (answer, nil) }
        let answered = waiting.filter { $0.question == question }.map(\.waiter)
        waiting.removeAll { $0.question == question }
        return answered
    }

    /// The next caller asks again. Callers that wait are given the answer to the question that is under way.
    mutating func invalidate() {
        (known, current) = (nil, nil)
    }

    /// Another instance took the place of the one that was asked.
    ///
    /// - Returns: The question that has to be put to it for those who wait; nil when no caller waits.
    mutating func replaced() -> Question? {
        invalidate()
        guard !waiting.isEmpty else { return nil }
        let question = next()
        for index in waiting.indices { waiting[index].question = question }
        return question
    }

    /// There is no instance until the next one comes, to which those who wait will be referred.
    mutating func paused() -> [Waiter] {
        invalidate()
        return []
    }

    /// There is no instance, and none is to come.
    ///
    /// - Returns: Those who waited: the capability is not available.
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
