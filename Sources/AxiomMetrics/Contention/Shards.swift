// SPDX-License-Identifier: Apache-2.0

internal import CAxiomSupport

/// How many shards a contended instrument gets, and which of them the running thread uses.
enum Shards {
    /// A power of two, twice the processors or more, so that threads which run at once seldom meet; 4...64.
    static var count: Int { Int(axiom_shard_count()) }

    /// A shard starts on a pair of cache lines of its own: processors fetch the second line with the first.
    static let alignment = 128

    /// The shard of this thread.
    @inline(__always) static var own: Int {
        Int(axiom_shard())
    }

    /// Gives this thread another shard from now on, for all instruments, because it has met another thread in its own.
    static func moveOn() {
        _ = axiom_shard_advance()
    }
}
