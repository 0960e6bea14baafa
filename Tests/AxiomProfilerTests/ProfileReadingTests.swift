// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomInstrumentation
@testable import AxiomProfiler
@testable import AxiomSymbols

@Suite("Reading a profile", .timeLimit(.minutes(10)))
struct ProfileReadingTests {
    @Test("Of an action only the stacks that contain it are read, without its callers")
    func action() throws {
        let fixture = try StoreFixture()
        let outer = fixture.span("outer", kind: .contextAction)
        let inner = fixture.span("inner", kind: .clientAction, trace: outer.trace)
        fixture.take([inner, outer], [2, 1])
        fixture.take([outer], [1])
        fixture.take([], [3])
        fixture.advance(1)
        #expect(fixture.profile(action: "inner").samplesByStack == ["inner;f1;f2": 1])
        #expect(fixture.profile(action: "outer").samplesByStack == ["outer;inner;f1;f2": 1, "outer;f1": 1])
        #expect(fixture.profile(action: "f1").stacks.isEmpty)
        let all = fixture.profile()
        #expect(all.samples == 3 && all.outside == 1)
        #expect(Set(all.frames.map(\.kind)) == [.context, .client, .function, .outside])
    }

    @Test("Retries and recovery steps are no frames; spans of other recorders are left out")
    func chains() throws {
        let fixture = try StoreFixture()
        let outer = fixture.span("outer")
        let retry = fixture.span("retry", kind: .retryAttempt, trace: outer.trace)
        let step = fixture.span("step", kind: .recoveryStep, trace: outer.trace)
        let inner = fixture.span("inner", trace: outer.trace)
        let foreign = SpanContext(trace: 5, span: 5, record: 0xffff, subject: outer.subject)
        fixture.take([inner, step, foreign, retry, outer], [1])
        fixture.take([foreign], [2])
        // An outer trace is none of the operation's callers.
        fixture.take([fixture.span("own"), outer], [3])
        fixture.advance(1)
        #expect(fixture.profile().samplesByStack == ["outer;inner;f1": 1, "outside of actions;f2": 1, "own;f3": 1])
    }

    @Test(
        "Work in Task { }, which inherits only the inner span, gets the outer ones from samples or from spans that have ended"
    )
    func orphans() throws {
        let fixture = try StoreFixture()
        let spans = SpanLog()
        fixture.telemetry.span("outer") {
            spans.note()
            fixture.telemetry.span("middle") {
                spans.note()
                fixture.telemetry.span("inner") {
                    spans.note()
                    fixture.time.advance(by: .milliseconds(1))
                }
            }
            fixture.telemetry.span("other") {
                spans.note()
                fixture.time.advance(by: .milliseconds(1))
            }
        }
        let (outer, middle, inner, other) = (spans.noted[0], spans.noted[1], spans.noted[2], spans.noted[3])
        // Nothing is known of the middle one.
        fixture.take([inner, middle], [1])
        fixture.advance(1)
        #expect(fixture.profile().samplesByStack == ["middle;inner;f1": 1])
        // A sample with all spans of another one.
        fixture.take([other, outer], [2])
        fixture.take([other], [3])
        // A span that never ends.
        let endless = fixture.span("endless", trace: outer.trace)
        fixture.take([endless], [4])
        fixture.advance(5_000_000_000)
        fixture.advance(1)
        let known = ["outer;middle;inner;f1": 1, "outer;other;f2": 1, "outer;other;f3": 1, "endless;f4": 1]
        #expect(fixture.profile().samplesByStack == known)
        for _ in 0..<4 { fixture.advance(5_000_000_000) }
        #expect(fixture.profile().samplesByStack == known)
        // The path of a span is then known at once.
        fixture.take([inner, middle], [1], isAllocation: true)
        #expect(fixture.store.state.withLock { $0.orphans.isEmpty })
        // Also in the profile of the trace, until newer samples come.
        #expect(fixture.profile(of: outer.trace).samplesByStack == known)
        #expect(fixture.store.counts == (4, 0))
    }

    @Test("Work in Task { } of a part of an operation has the path of the operation, and so have its live blocks")
    func partOrphans() throws {
        let fixture = try StoreFixture()
        let outer = fixture.span("outer")
        let retry = fixture.span("retry", kind: .retryAttempt, trace: outer.trace)
        let inner = fixture.span("inner", trace: outer.trace)
        fixture.take([inner, retry], [1])
        #expect(fixture.profile(of: outer.trace).samplesByStack == ["inner;f1": 1])
        // The part has not ended, and is known by a sample with all spans.
        fixture.take([retry, outer], [2])
        fixture.advance(5_000_000_000)
        fixture.advance(1)
        let block = StoreFixture.sample([inner, retry], [3], amount: 4_096)
        let profile = fixture.profile(live: [block])
        #expect(profile.samplesByStack == ["outer;inner;f1": 1, "outer;f2": 1])
        #expect(profile.values { Int($0.live) } == ["outer;inner;f3": 4_096])
    }

    @Test("The samples of a kept trace are kept with it, and those of others until newer ones come")
    func keptTraces() throws {
        let fixture = try StoreFixture()
        let spans = SpanLog()
        for isKept in [true, false] {
            fixture.telemetry.span("work") {
                spans.note()
                if isKept { fixture.telemetry.keepCurrentTrace() }
            }
        }
        let (kept, other) = (spans.noted[0], spans.noted[1])
        for frame in 0..<UInt(100) { fixture.take([kept], [frame]) }
        fixture.take([kept], [1])
        fixture.take([other], [1])
        #expect(fixture.profile(of: other.trace).samplesByStack == ["work;f1": 1])
        let busy = fixture.span("busy")
        for _ in 0..<100 {
            for _ in 0..<200 { fixture.take([busy], [9]) }
            fixture.advance(100_000_000)
        }
        let profile = fixture.profile(of: kept.trace)
        #expect(profile.samples == 101)
        #expect(profile.samplesByStack["work;f1"] == 2)
        // Beyond 64 stacks of a trace.
        #expect(profile.frames.contains { $0.name == "more stacks than the profiler holds" })
        #expect(fixture.profile(of: 12_345).stacks.isEmpty)
    }

    @Test("After the end of the sampling, what was sampled last can be read at any time")
    func ended() throws {
        let fixture = try StoreFixture()
        fixture.take([], [1])
        for _ in 0..<3 { fixture.advance(5_000_000_000) }
        fixture.take([], [2])
        fixture.advance(1)
        fixture.store.stop()
        fixture.time.advance(by: .seconds(1_000))
        #expect(fixture.profile().samplesByStack == ["outside of actions;f1": 1, "outside of actions;f2": 1])
        #expect(fixture.profile(seconds: 3).samplesByStack == ["outside of actions;f2": 1])
    }

    @Test("Frames that are missing, live blocks and guessed callers are marked")
    func marks() throws {
        let fixture = try StoreFixture()
        fixture.store.take(StoreFixture.sample([], [1], hasNoStack: true))
        fixture.store.take(StoreFixture.sample([], [2, 1], isCut: true))
        fixture.advance(1)
        let span = fixture.span("op")
        let profile = fixture.profile(live: [StoreFixture.sample([span], [7], amount: 4_096)])
        #expect(
            profile.samplesByStack == [
                "outside of actions;callers that cannot be read;f1": 1, "outside of actions;outer frames;f1;f2": 1,
            ]
        )
        #expect(profile.values { Int($0.live) } == ["op;f7": 4_096])
        #expect(profile.hasAllocations && !fixture.profile().hasAllocations)
        let guessed = CodeAddress(module: 16_000, offset: 1 << 47, isReturn: true, isGuessed: true)
        #expect(CodeAddress(word: guessed.word) == guessed && guessed.word < SampleTree.firstMark)
    }

    @Test("A stack of a task without the functions that run jobs has lost callers, if those functions have names")
    func hiddenCallers() throws {
        for (name, mark) in [("swift_job_run", "callers that cannot be read;"), ("main", "")] {
            let fixture = try StoreFixture(symbolizer: NamedStart(name: name))
            let span = fixture.span("op")
            fixture.take([span], [3, 1])
            fixture.take([span], [4, 2, 0])
            fixture.take([], [5])
            for (isCut, hasNoStack) in [(true, false), (false, true)] {
                fixture.store.take(StoreFixture.sample([span], [6], isCut: isCut, hasNoStack: hasNoStack))
            }
            fixture.advance(1)
            let whole = name == "main" ? "op;main;f2;f4" : "op;callers before the last suspension;f2;f4"
            #expect(
                fixture.profile().samplesByStack == [
                    "op;\(mark)f1;f3": 1, whole: 1, "outside of actions;f5": 1, "op;outer frames;f6": 1,
                    "op;callers that cannot be read;f6": 1,
                ]
            )
        }
    }

    /// Names the function at the offset 0.
    private final class NamedStart: Symbolizing {
        let name: String

        init(name: String) { self.name = name }

        func frames(of sample: RawSample) -> [CodeAddress] { NumberedFunctions().frames(of: sample) }

        func locations(of address: CodeAddress) -> [CodeLocation] {
            guard address.offset == 0 else { return NumberedFunctions().locations(of: address) }
            return [CodeLocation(function: name, module: "app", file: nil, line: nil)]
        }
    }

    /// A profile with samples drawn from a distribution of functions.
    private func drawn(_ weights: [Double], _ count: Int, _ generator: inout SeededGenerator) -> Profile {
        var profile = Profile(start: Instant(nanoseconds: 0), end: Instant(nanoseconds: 1), rate: 97)
        profile.frames = [Profile.Frame(.client, "Cart.add")]
        for index in weights.indices {
            profile.frames.append(Profile.Frame(.function, "f\(index)"))
            profile.stacks.append(Profile.Stack(frames: [0, index + 1]))
        }
        for _ in 0..<count {
            var rest = generator.unit() * weights.reduce(0, +)
            let index = weights.firstIndex { weight in
                rest -= weight
                return rest < 0
            }
            profile.stacks[index ?? 0].samples += 1
        }
        return profile
    }

    @Test("A hot function is named wrongly in less than 1 % of cases, and found if it has most of the time")
    func hotFunction() throws {
        var generator = SeededGenerator(seed: TestSeed.drawn())
        let count = TestScale.count(20_000, usual: 0.1)
        var (wrong, found, clear) = (0, 0, 0)
        for _ in 0..<count {
            // The worst case is two functions that are nearly equal.
            let first = 0.35 + 0.6 * generator.unit()
            let second = min(1 - first, first * (0.5 + 0.5 * generator.unit()))
            let rest = (1 - first - second) / 4
            let profile = drawn([second, first, rest, rest, rest, rest], 20 + generator.index(below: 400), &generator)
            let hot = profile.hotFunction(of: "Cart.add")
            if let hot, hot.name != "f1" { wrong += 1 }
            if first > 0.7 && profile.stacks.reduce(0, { $0 + $1.samples }) >= 60 {
                clear += 1
                if hot?.name == "f1" { found += 1 }
            }
        }
        print("wrong: \(wrong) of \(count), found: \(found) of \(clear)")
        #expect(Double(wrong) < 0.01 * Double(count))
        #expect(Double(found) > 0.95 * Double(clear))
    }

    @Test("A hot function needs 30 samples, 30 % and a distance to the second one; its share has an interval")
    func hotFunctionLimits() throws {
        var generator = SeededGenerator(seed: 1)
        #expect(drawn([1], 29, &generator).hotFunction(of: "Cart.add") == nil)
        let certain = try #require(drawn([1], 100, &generator).hotFunction(of: "Cart.add"))
        #expect(certain.name == "f0" && certain.share == 1 && certain.samples == 100 && certain.high > 0.999)
        #expect(abs(certain.low - 0.963) < 0.001)
        var equal = drawn([1, 1], 0, &generator)
        for index in 0..<2 { equal.stacks[index].samples = 500 }
        #expect(equal.hotFunction(of: "Cart.add") == nil)
        #expect(drawn([1], 100, &generator).hotFunction(of: "Cart.remove") == nil)
        #expect(drawn(Array(repeating: 1, count: 5), 1_000, &generator).hotFunction(of: "Cart.add") == nil)
        let nothing = Profile.Share(0, of: 0)
        #expect(nothing.low == 0 && nothing.high == 1)
        let half = Profile.Share(50, of: 100)
        #expect(abs(half.low - 0.404) < 0.001 && abs(half.high - 0.596) < 0.001)
    }
}
