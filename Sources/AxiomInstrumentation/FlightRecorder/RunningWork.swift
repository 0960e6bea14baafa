// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What the main actor runs at a moment, as one word: a component, an action or a phase, and a part of a span's id.
struct RunningWork: Sendable, Hashable {
    /// The name of an observation's closure.
    static let observation = "observe"

    /// From the top: 16 bits of the component's number, 16 of the name's, 32 of the span's id. 0 for no known work.
    let word: UInt64

    init(word: UInt64) { self.word = word }

    /// - Parameters:
    ///   - name: The number of a name; there are fewer than 2^16.
    ///   - span: The id of a span; 0 if there is none yet.
    init(component: UInt64, name: UInt64, span: UInt64) {
        word = component << 48 | (name & 0xffff) << 32 | span & 0xffff_ffff
    }

    static let none = RunningWork(word: 0)

    var isNone: Bool { word == 0 }
    /// The work without its span.
    var kind: RunningWork { RunningWork(word: word & ~0xffff_ffff) }
    var component: Int { Int(word >> 48) }
    var name: Int { Int(word >> 32 & 0xffff) }

    /// Whether a span that has ended can be that of the work.
    func matches(_ span: SpanWords) -> Bool {
        let part = word & 0xffff_ffff
        return span.component == component && span.name == name && (part == 0 || part == span.span & 0xffff_ffff)
    }
}

/// Holds what the main actor runs, for a reader on another thread. Costs its writer a load and a store for each part of
/// an operation that runs without a suspension.
final class RunningWorkRegister: Sendable {
    /// Written on the main actor only. Relaxed: a reader takes the word alone, and orders nothing else by it.
    private let word = Atomic<UInt64>(0)

    var work: RunningWork { RunningWork(word: word.load(ordering: .relaxed)) }

    /// Notes work, and returns the word of the work that it interrupts.
    @MainActor
    @inline(__always)
    func replace(by work: RunningWork) -> UInt64 {
        let previous = word.load(ordering: .relaxed)
        word.store(work.word, ordering: .relaxed)
        return previous
    }

    @MainActor
    @inline(__always)
    func restore(_ previous: UInt64) {
        word.store(previous, ordering: .relaxed)
    }
}
