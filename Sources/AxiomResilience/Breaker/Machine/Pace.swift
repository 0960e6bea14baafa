// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Whether the clock has to be read when a call starts and when it ends, and whether a predicate is asked, known without
/// the lock.
///
/// It only says which way is short. Each way finds out under the lock whether it may be taken, so that an answer which
/// is out of date costs time and nothing else, but for calls that end while a predicate is configured: it may not be
/// asked about these. Hence relaxed.
struct Pace: ~Copyable, Sendable {
    private let bits: Atomic<UInt8>

    init(_ rules: BreakerRules) {
        bits = Atomic(Self.bits(rules))
    }

    @inline(__always)
    var timesStart: Bool { bits.load(ordering: .relaxed) & 1 != 0 }

    @inline(__always)
    var timesEnd: Bool { bits.load(ordering: .relaxed) & 2 != 0 }

    @inline(__always)
    var hasPredicate: Bool { bits.load(ordering: .relaxed) & 4 != 0 }

    func set(_ rules: BreakerRules) {
        bits.store(Self.bits(rules), ordering: .relaxed)
    }

    private static func bits(_ rules: BreakerRules) -> UInt8 {
        let timesStart = rules.slowNanoseconds > 0 || rules.predicate != nil
        if timesStart { return rules.predicate == nil ? 3 : 7 }
        if case .nanoseconds = rules.window { return 2 }
        return 0
    }
}
