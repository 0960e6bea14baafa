// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import Testing

@testable import AxiomInstrumentation
@testable import AxiomProfiler
@testable import AxiomSymbols

/// Names the function at the offset n `f<n>`, in the module `app`.
final class NumberedFunctions: Symbolizing {
    func frames(of sample: RawSample) -> [CodeAddress] {
        sample.frames.enumerated().map { CodeAddress(module: 1, offset: UInt64($1), isReturn: $0 > 0) }
    }

    func locations(of address: CodeAddress) -> [CodeLocation] {
        [CodeLocation(function: "f\(address.offset)", module: "app", file: nil, line: nil)]
    }
}

/// A store with a clock of its own, and spans of a real telemetry.
struct StoreFixture {
    let time = ManualTime(start: Instant(nanoseconds: 1_000_000_000_000))
    let telemetry: Telemetry
    let store: ProfileStore
    /// A period of 10 ms.
    static let amount: Int64 = 10_000_000

    init(symbolizer: any Symbolizing = NumberedFunctions()) throws {
        telemetry = try Telemetry(clock: .manual(time))
        let spans = try #require(telemetry.profiledSpans)
        store = ProfileStore(spans, symbolizer, clock: .manual(time))
    }

    /// A span with a name of its own, as a task has it that runs in it.
    func span(_ name: String, kind: SpanKind = .custom, trace: UInt64? = nil) -> SpanContext {
        let own = telemetry.span("own") { OperationContext.currentSpan }
        let number = telemetry.recording.spans?.recorder.names.number(of: name) ?? 0
        let subject = SpanWords.subject(kind, component: 0, name: number)
        return SpanContext(trace: trace ?? own.span, span: own.span, record: own.record, subject: subject)
    }

    /// - Parameters:
    ///   - spans: The innermost one first.
    ///   - frames: The innermost one first.
    func take(_ spans: [SpanContext], _ frames: [UInt], amount: Int64 = amount, isAllocation: Bool = false) {
        store.take(Self.sample(spans, frames, amount: amount), isAllocation: isAllocation)
    }

    static func sample(
        _ spans: [SpanContext],
        _ frames: [UInt],
        amount: Int64 = amount,
        isCut: Bool = false,
        hasNoStack: Bool = false
    ) -> RawSample {
        RawSample(
            time: Instant(nanoseconds: 0),
            thread: 1,
            amount: amount,
            spans: spans,
            frames: frames,
            words: [],
            isCut: isCut,
            hasNoStack: hasNoStack
        )
    }

    func profile(seconds: Int = 60, ago: Int = 0, action: String? = nil, live: [RawSample]? = nil) -> Profile {
        var query = ProfileQuery()
        (query.seconds, query.ago, query.action) = (seconds, ago, action)
        return store.profile(query, rate: 100, live: live)
    }

    func profile(of trace: UInt64) -> Profile {
        var query = ProfileQuery()
        query.trace = telemetry.recording.spans?.recorder.traceID(of: trace)
        return store.profile(query, rate: 100, live: nil)
    }

    /// - Parameter lost: All samples that were lost until now; `lostAllocated` are those of allocations.
    func advance(_ nanoseconds: Int64, lost: Int = 0, lostAllocated: Int = 0) {
        time.advance(by: .nanoseconds(nanoseconds))
        store.tick(lost: lost, lostAllocated: lostAllocated)
    }
}

extension Profile {
    /// The samples by stack, as `outer;inner;f1`.
    var samplesByStack: [String: Int] { values(\.samples) }
    /// Nanoseconds.
    var waitsByStack: [String: Int] { values { Int($0.waiting) } }

    func values(_ value: (Stack) -> Int) -> [String: Int] {
        let pairs = stacks.map { stack in (stack.frames.map { frames[$0].name }.joined(separator: ";"), value(stack)) }
        return Dictionary(pairs, uniquingKeysWith: +).filter { $0.value != 0 }
    }
}
