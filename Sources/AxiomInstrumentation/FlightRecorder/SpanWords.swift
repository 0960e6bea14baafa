// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import Foundation
internal import Synchronization

/// One span as the flight recorder stores it: seven words. The eighth word of its slot is the stamp.
struct SpanWords: Sendable, Hashable {
    var span: UInt64
    /// The id of the parent; 0 for a root.
    var parent: UInt64
    /// The low half of the trace id.
    var trace: UInt64
    var start: Int64
    var nanoseconds: Int64
    /// From the top: 32 bits of the name's number, 16 of the component's, 8 of the kind, 1 for ``isPartial``, 7 of the
    /// outcome.
    var what: UInt64
    /// From the top: 40 bits of the component instance, 24 of the error's number.
    var who: UInt64

    init(span: UInt64, parent: UInt64, trace: UInt64, start: Int64, nanoseconds: Int64, what: UInt64, who: UInt64) {
        (self.span, self.parent, self.trace) = (span, parent, trace)
        (self.start, self.nanoseconds, self.what, self.who) = (start, nanoseconds, what, who)
    }

    /// Packs a record, without a place in a trace.
    @inline(__always)
    init(_ record: SpanRecord, subject: UInt64, error: UInt64) {
        what = subject | UInt64(record.outcome.index)
        who = record.instance << 24 | error
        (start, nanoseconds) = (record.start.nanoseconds, record.nanoseconds)
        (span, parent, trace) = (0, 0, 0)
    }

    /// Packs an action that succeeded, without a place in a trace.
    @inline(__always)
    init(_ action: EndedAction, subject: UInt64) {
        what = subject | UInt64(ActionOutcome.success.index)
        who = action.instance << 24
        (start, nanoseconds) = (action.start.nanoseconds, action.nanoseconds)
        (span, parent, trace) = (0, 0, 0)
    }

    /// What a span is before its outcome is known: the word `what` with an outcome of 0.
    @inline(__always)
    static func subject(_ kind: SpanKind, component: UInt64, name: UInt64) -> UInt64 {
        name << 32 | component << 16 | UInt64(kind.rawValue) << 8
    }

    static func kind(ofSubject subject: UInt64) -> SpanKind {
        SpanKind(rawValue: UInt8(subject >> 8 & 0xff)) ?? .custom
    }

    /// The name, the component and the kind.
    var subject: UInt64 { what >> 8 }
    var name: Int { Int(what >> 32) }
    var component: Int { Int(what >> 16 & 0xffff) }
    var kind: SpanKind { SpanKind(rawValue: UInt8(what >> 8 & 0xff)) ?? .custom }
    var outcome: ActionOutcome { ActionOutcome.allCases[Int(what & 3)] }
    /// Whether this is the root of a kept trace whose other spans were not held while it was open.
    var isPartial: Bool {
        get { what & 0x80 != 0 }
        set { what = newValue ? what | 0x80 : what & ~0x80 }
    }
    var instance: UInt64 { who >> 24 }
    var error: Int { Int(who & 0xff_ffff) }
    var end: Int64 { start &+ nanoseconds }
}

/// A slot of 64 bytes for one span. The first word is the stamp, and the rest are the words of the span.
///
/// A writer stores the words and then the stamp, which is 0 before. Exactly one thread writes a slot at a time. A reader
/// never waits: it loads the stamp, the words and the stamp again, and takes the words only if both stamps are equal and
/// not 0. All words are atomic, because a writer may store while a reader loads.
struct SpanSlot: @unchecked Sendable {
    // Unchecked because of the pointer, which leads to atomics that the owner of the memory keeps alive.

    static let bytes = 64
    static let words = 8

    let address: UnsafeMutablePointer<Atomic<UInt64>>

    /// The slot at an index of an array of slots.
    @inline(__always)
    init(_ memory: UnsafeMutablePointer<Atomic<UInt64>>, _ index: Int) {
        address = memory + index &* Self.words
    }

    @inline(__always)
    var stamp: UnsafeMutablePointer<Atomic<UInt64>> { address }

    /// Writes a span into an empty slot that the calling thread owns.
    @inline(__always)
    func write(_ span: SpanWords, stamp: UInt64) {
        address[1].store(span.span, ordering: .relaxed)
        address[2].store(span.parent, ordering: .relaxed)
        address[3].store(span.trace, ordering: .relaxed)
        address[4].store(UInt64(bitPattern: span.start), ordering: .relaxed)
        address[5].store(UInt64(bitPattern: span.nanoseconds), ordering: .relaxed)
        address[6].store(span.what, ordering: .relaxed)
        address[7].store(span.who, ordering: .relaxed)
        address[0].store(stamp, ordering: .releasing)
    }

    /// The span and its stamp; nil if the slot is empty or was written in between.
    ///
    /// - Parameter mask: The bits of the stamp that identify the span. The others may change while it is read.
    func read(mask: UInt64 = .max) -> (span: SpanWords, stamp: UInt64)? {
        let before = address[0].load(ordering: .acquiring)
        guard before != 0 else { return nil }
        let span = SpanWords(
            span: address[1].load(ordering: .relaxed),
            parent: address[2].load(ordering: .relaxed),
            trace: address[3].load(ordering: .relaxed),
            start: Int64(bitPattern: address[4].load(ordering: .relaxed)),
            nanoseconds: Int64(bitPattern: address[5].load(ordering: .relaxed)),
            what: address[6].load(ordering: .relaxed),
            who: address[7].load(ordering: .relaxed)
        )
        atomicMemoryFence(ordering: .acquiring)
        let after = address[0].load(ordering: .relaxed)
        return before & mask == after & mask ? (span, before) : nil
    }
}

/// Memory of zeros that begins on a cache line. The system provides each page when it is first used.
final class SpanMemory: @unchecked Sendable {
    // Unchecked because of the pointers. The memory is accessed as atomics, or by one owner at a time.

    private let block: UnsafeMutableRawPointer
    let start: UnsafeMutableRawPointer
    static let alignment = 128

    /// - Throws: ``TelemetryError`` if the system has no memory.
    init(bytes: Int) throws(TelemetryError) {
        let size = bytes + Self.alignment
        guard let block = calloc(1, size) else { throw .noSpanMemory(bytes) }
        self.block = block
        start = block.alignedUp(toMultipleOf: Self.alignment)
    }

    deinit {
        free(block)
    }

    var words: UnsafeMutablePointer<Atomic<UInt64>> { start.assumingMemoryBound(to: Atomic<UInt64>.self) }
}
