// SPDX-License-Identifier: Apache-2.0

package import Axiom
package import AxiomBase

/// What operations used the processor for, waited for and allocated: stacks of operations and functions.
package struct Profile: Sendable {
    package struct Frame: Sendable, Hashable {
        package enum Kind: String, Sendable, CaseIterable {
            case context, client, capability, request
            /// Work that the application named, or a phase of the life cycle.
            case work
            /// A function of the program.
            case function
            /// What the operation waited for; has no children.
            case wait
            /// Frames that are missing; the name says why.
            case missing
            /// The root of what no operation is known for.
            case outside
        }

        package let kind: Kind
        /// For operations `Cart.add`, for functions their demangled name.
        package let name: String
        /// Of a function.
        package var module: String?
        package var file: String?
        package var line: Int?
        /// Whether it is the probable caller of a function without a frame pointer.
        package var isGuessed = false

        package init(_ kind: Kind, _ name: String) { (self.kind, self.name) = (kind, name) }
    }

    /// The values of one stack. Bytes are estimates from samples.
    package struct Stack: Sendable {
        /// Indices of ``Profile/frames``, the root first.
        package let frames: [Int]
        package var samples = 0
        /// Nanoseconds on a processor.
        package var processor: Int64 = 0
        /// Nanoseconds that spans took beyond their processor time.
        package var waiting: Int64 = 0
        /// Bytes allocated in the range.
        package var allocated: Int64 = 0
        /// Bytes that are not freed yet.
        package var live: Int64 = 0

        package init(frames: [Int]) { self.frames = frames }

        package mutating func add(_ other: Self) {
            samples += other.samples
            processor += other.processor
            waiting += other.waiting
            allocated += other.allocated
            live += other.live
        }
    }

    package var start: Instant
    package var end: Instant
    /// Samples per second of processor time.
    package var rate: Int
    package var frames: [Frame] = []
    package var stacks: [Stack] = []
    /// Samples in the range, of them those outside of operations, and those that were lost for lack of memory.
    package var samples = 0
    package var outside = 0
    package var lost = 0
    /// Why the sampling ended by itself; nil if it did not.
    package var ended: String?
    /// Threads now that are not sampled.
    package var unsampled = 0
    /// Whether allocations are sampled.
    package var hasAllocations = false
    /// Samples of allocations that are missing in the allocated bytes of the range, and sampled blocks that are missing in the live
    /// ones, some of which may be freed by now.
    package var lostAllocated = 0
    package var lostLive = 0
    /// Waits before are not known: the spans are overwritten. Nil if all are known.
    package var waitsSince: Instant?

    package init(start: Instant, end: Instant, rate: Int) {
        (self.start, self.end, self.rate) = (start, end, rate)
    }
}

/// The part of a profile that is wanted.
package struct ProfileQuery: Sendable, Hashable {
    /// The length of the range in seconds: 1 to 60 in a request.
    package var seconds = 60
    /// How many seconds before now the range ends: 0 to 840.
    package var ago = 0
    /// The only operation, as `Cart.add`; nil for all. Its callers are left out of the stacks.
    package var action: String?
    /// The only trace; then the range is that of the trace.
    package var trace: TraceID?
    /// Whether functions have their files and lines. To find them starts a program.
    package var hasLines = true

    package init() {}
}

/// A profiler that runs.
package protocol ProfileSource: AnyObject, Sendable {
    /// Cost: some milliseconds, and once for each module the reading of its symbols. Blocks meanwhile.
    func profile(_ query: ProfileQuery) -> Profile

    /// A profile as a file of one of the formats `pprof`, `collapsed` and `speedscope`; nil for any other.
    func file(of profile: Profile, format: String) -> [UInt8]?
}

/// Holds the profiler of a telemetry.
final class ProfilerSlot: Sendable {
    let held = Lock<(any ProfileSource)?>(nil)
}

/// What a profiler reads of a flight recorder. Does not retain the telemetry, which retains the profiler.
package struct ProfiledSpans: Sendable {
    /// A span that has ended.
    package struct Ended: Sendable {
        package let context: SpanContext
        /// The id of the parent; 0 for a root.
        package let parent: UInt64
        package let start: Instant
        package let end: Instant
    }

    let recorder: FlightRecorder

    /// Whether a span or a label is of this recorder. Takes no lock.
    package func isOwn(_ span: SpanContext) -> Bool { recorder.made(span) }

    /// What a span is. Takes a lock for less than a microsecond.
    package func operation(ofSubject subject: UInt64) -> (component: ComponentDescriptor?, name: String) {
        recorder.names.describe(subject: subject)
    }

    /// The known spans that have ended, each once. Cost: about 1 ms for 4 MiB.
    package func ended(where isWanted: (_ trace: UInt64, _ end: Instant) -> Bool) -> [Ended] {
        var found: [UInt64: Ended] = [:]
        func add(_ span: SpanWords) {
            guard isWanted(span.trace, Instant(nanoseconds: span.end)) else { return }
            let context = SpanContext(trace: span.trace, span: span.span, record: 0, subject: span.what & ~0xff)
            found[span.span] = Ended(
                context: context,
                parent: span.parent,
                start: Instant(nanoseconds: span.start),
                end: Instant(nanoseconds: span.end)
            )
        }
        recorder.ring.readEach(add)
        recorder.kept.readEach { add($1) }
        return Array(found.values)
    }

    /// All spans that ended later are known. `Int64.min` nanoseconds if none was overwritten.
    package var horizon: Instant { Instant(nanoseconds: recorder.ring.horizon) }

    /// The ids that spans have for the traces that are kept.
    package var keptTraces: Set<UInt64> {
        var traces: Set<UInt64> = []
        recorder.kept.readEach { traces.insert($1.trace) }
        return traces
    }

    /// The ids that spans have for the trace with this id.
    package func traces(_ id: TraceID) -> Set<UInt64> { TraceNames(recorder).traces(id) }
}

extension SpanContext {
    /// What the span measures. Only of a span of a flight recorder.
    package var kind: SpanKind { SpanWords.kind(ofSubject: subject) }
}
