// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomInstrumentation
@testable import AxiomProfiler

@Suite("The store of samples", .timeLimit(.minutes(10)))
struct StoreTests {
    @Test("The tree gives equal words one number, and keeps what is wanted under new numbers")
    func tree() {
        var (tree, generator) = (SampleTree(capacity: 256), SeededGenerator(seed: TestSeed.drawn()))
        var model: [[UInt64]: UInt16] = [[]: 0]
        for _ in 0..<2_000 {
            let words = (0...generator.index(below: 4)).map { _ in UInt64(generator.index(below: 5)) }
            for end in 1...words.count {
                let prefix = Array(words[..<end])
                guard let index = tree.index(of: prefix) else { continue }
                #expect(model[prefix] ?? index == index)
                model[prefix] = index
                #expect(tree.words(to: index) == prefix)
                #expect(tree.index(of: prefix.suffix(1), under: model[prefix.dropLast()] ?? 0) == index)
            }
        }
        // Three numbers are those of what exceeds the capacity.
        #expect(tree.count == 256 && model.count == 253)
        let other = tree.row(of: SampleTree.other)
        #expect(other.path == [SampleTree.operations] && other.stack == [SampleTree.stacks])
        #expect(tree.index(of: [9]) == nil)
        let wanted = model.filter { _ in generator.index(below: 10) == 0 }
        var isKept = [Bool](repeating: false, count: tree.count)
        for index in wanted.values { isKept[Int(index)] = true }
        let numbers = tree.keep(isKept)
        let prefixes = Set(wanted.keys.flatMap { words in words.indices.map { Array(words[...$0]) } })
        #expect(tree.count == 4 + prefixes.count)
        for (words, old) in model {
            let isThere = prefixes.contains(words)
            #expect((numbers[Int(old)] != 0) == isThere)
            guard isThere else { continue }
            #expect(tree.words(to: numbers[Int(old)]) == words && tree.index(of: words) == numbers[Int(old)])
        }
    }

    @Test("Each sample is in the profile of its time once, as in a list of all samples")
    func model() throws {
        struct Taken {
            let time: Instant
            let stack: String
        }
        let fixture = try StoreFixture()
        var generator = SeededGenerator(seed: TestSeed.drawn())
        let spans = (0..<6).map { fixture.span("op\($0)") }
        var (taken, lastTick): ([Taken], Instant) = ([], fixture.time.now)
        for _ in 0..<8_000 {
            fixture.time.advance(by: .milliseconds(1 + generator.index(below: 300)))
            let frames = (0...generator.index(below: 4)).map { _ in UInt(1 + generator.index(below: 6)) }
            let root = generator.index(below: 7)
            let inner = (0..<generator.index(below: 3)).map { _ in spans[generator.index(below: 6)] }
            // The root of a trace is the last one of a chain.
            let chain = root < 6 ? inner.map { moved($0, to: spans[root]) } + [spans[root]] : []
            fixture.take(chain, frames)
            let operations = root < 6 ? chain.reversed().map { name($0, fixture) } : ["outside of actions"]
            let stack = (operations + frames.reversed().map { "f\($0)" }).joined(separator: ";")
            taken.append(Taken(time: fixture.time.now, stack: stack))
            fixture.time.advance(by: .nanoseconds(1))
            if fixture.time.now.nanoseconds(since: lastTick) > 100_000_000 {
                fixture.store.tick(lost: 0)
                lastTick = fixture.time.now
            }
        }
        for _ in 0..<30 {
            let (seconds, ago) = (1 + generator.index(below: 60), generator.index(below: 841))
            let profile = fixture.profile(seconds: seconds, ago: ago)
            let end = fixture.time.now.nanoseconds - Int64(ago) * 1_000_000_000
            // By less than a slot; older ones may have a minute.
            let slot: Int64 = ago + seconds < 150 ? 5_400_000_000 : 60_000_000_000
            #expect(abs(profile.start.nanoseconds - end + Int64(seconds) * 1_000_000_000) <= slot)
            #expect(abs(profile.end.nanoseconds - end) <= slot)
            let before = fixture.profile(seconds: max(10, seconds), ago: ago + max(10, seconds))
            if seconds >= 10, ago + 2 * seconds < 140 { #expect(before.end <= profile.start) }
            let expected = taken.filter { $0.time >= profile.start && $0.time < profile.end }
            let counts = Dictionary(grouping: expected, by: \.stack).mapValues(\.count)
            #expect(profile.samplesByStack == counts)
            #expect(profile.samples == expected.count)
            #expect(profile.outside == expected.count { $0.stack.hasPrefix("outside") })
            #expect(profile.values { Int($0.processor) } == counts.mapValues { $0 * Int(StoreFixture.amount) })
        }
        #expect(fixture.store.counts.labelled + fixture.store.counts.outside == 8_000)
        fixture.advance(905_000_000_000)
        fixture.advance(905_000_000_000)
        #expect(fixture.profile(seconds: 60, ago: 840).samples == 0)
    }

    @Test("A range before all samples that are held has no length and is where they begin")
    func forgotten() throws {
        let fixture = try StoreFixture()
        let began = fixture.time.now
        fixture.take([], [1])
        let early = fixture.profile(seconds: 60, ago: 600)
        #expect(early.samples == 0 && early.start == began && early.end == began)
        // More stacks than the store holds.
        for slot in 0..<UInt(60) {
            for stack in 0..<UInt(300) { fixture.take([], [slot << 16 | stack]) }
            fixture.advance(5_000_000_000)
        }
        let held = fixture.store.state.withLock { $0.slots.oldest }
        let late = fixture.profile(seconds: 10, ago: 290)
        #expect(late.stacks.isEmpty && held > began && late.start == held && late.end == held)
        let now = fixture.profile(seconds: 10)
        #expect(now.start < now.end && now.samples == 600)
    }

    @Test("The newest stacks have space, whatever was sampled before")
    func newest() throws {
        let fixture = try StoreFixture()
        var generator = SeededGenerator(seed: TestSeed.drawn())
        let span = fixture.span("op")
        for _ in 0..<60 {
            for _ in 0..<100 {
                fixture.take([span], (0..<20).map { _ in UInt(1 + generator.index(below: 1 << 30)) })
                fixture.time.advance(by: .milliseconds(51))
            }
            fixture.store.tick(lost: 0)
        }
        let newest = fixture.profile(seconds: 10)
        #expect(newest.samples >= 100)
        #expect(newest.samplesByStack.keys.allSatisfy { !$0.contains("more stacks") }, "\(newest.samples)")
        // What was forgotten is not in the profile as something else.
        #expect(fixture.profile(seconds: 60, ago: 200).samples == 0)
    }

    private func moved(_ span: SpanContext, to root: SpanContext) -> SpanContext {
        SpanContext(trace: root.trace, span: span.span ^ root.trace << 1, record: span.record, subject: span.subject)
    }

    private func name(_ span: SpanContext, _ fixture: StoreFixture) -> String {
        fixture.telemetry.profiledSpans?.operation(ofSubject: span.subject).name ?? ""
    }

    @Test(
        "A million random samples take at most 768 KiB, and none is lost: what exceeds a limit has a frame that says so"
    )
    func bounds() throws {
        let fixture = try StoreFixture()
        var generator = SeededGenerator(seed: TestSeed.drawn())
        let spans = (0..<2_000).map { fixture.span("op\($0)") }
        let count = TestScale.count(1_000_000, usual: 0.03)
        var (bytes, times): (Int, [Instant]) = (0, [])
        // The last ones are more than the open slot has space for.
        for index in 0..<count + 6_000 {
            fixture.time.advance(by: .nanoseconds(1))
            times.append(fixture.time.now)
            let depth = 1 + generator.index(below: 30)
            let frames = (0..<depth).map { _ in UInt(generator.index(below: 50)) }
            let (root, inner) = (spans[generator.index(below: 2_000)], spans[generator.index(below: 2_000)])
            fixture.take(generator.index(below: 4) == 0 ? [] : [moved(inner, to: root), root], frames)
            if index < count && index.isMultiple(of: 300) {
                fixture.advance(1 + Int64(generator.index(below: 700)) * 1_000_000)
                bytes = max(bytes, fixture.store.bytes)
            }
        }
        bytes = max(bytes, fixture.store.bytes)
        print("the store has \(bytes) bytes at most")
        // The rest is for kept traces.
        #expect(bytes <= (768 - 80) << 10)
        let (begin, end) = (Instant(nanoseconds: 0), fixture.time.now)
        let all = fixture.store.state.withLock {
            $0.range(from: begin, to: Instant(nanoseconds: .max), now: end, knownFrom: begin)
        }
        // Stacks that are all different shorten the time that is held.
        #expect(all.rows.reduce(0) { $0 + $1.sums.samples } == times.count { $0 >= all.start })
        let profile = fixture.profile()
        let missing = profile.stacks.filter { profile.frames[$0.frames.last ?? 0].kind == .missing }
        #expect(!missing.isEmpty)
        #expect(profile.frames.contains { $0.kind == .missing && $0.name == "more stacks than the profiler holds" })
        #expect(profile.frames.contains { $0.kind == .missing && $0.name == "more operations than the profiler holds" })
    }

    @Test("The samples of kept traces take at most 80 KiB")
    func keptBytes() {
        var (traces, generator) = (TraceSamples(), SeededGenerator(seed: TestSeed.drawn()))
        let (latest, wanted) = (traces.bytes, Set(1...UInt64(2_000)))
        for trace in wanted {
            for _ in 0..<(1 + generator.index(below: 100)) {
                let key = UInt16(2 * generator.index(below: 90))
                traces.add(trace, SampleSlots.Entry(key: key, samples: 1, amount: 1))
                if traces.isDue { traces.keep(wanted) }
            }
        }
        #expect(traces.bytes > latest && traces.bytes - latest <= 80 << 10)
    }

    @Test("Full tables are rebuilt from what the slots still have, and are then used for other stacks")
    func rebuild() throws {
        let fixture = try StoreFixture()
        for index in 0..<20_000 { fixture.take([], [UInt(10_000 + index)]) }
        fixture.advance(1)
        // The oldest were forgotten, so that the newest have their stacks.
        #expect(fixture.profile().samples < 20_000)
        #expect(fixture.profile().samplesByStack["outside of actions;f29999"] == 1)
        fixture.advance(5_000_000_000)
        fixture.advance(910_000_000_000)
        fixture.advance(5_000_000_000)
        let span = fixture.span("op")
        for index in 0..<3_000 { fixture.take([span], [UInt(50_000 + index)]) }
        fixture.advance(1)
        let profile = fixture.profile(seconds: 4)
        #expect(profile.samplesByStack.count == 3_000)
        #expect(profile.samplesByStack["op;f50007"] == 1)
        #expect(!profile.frames.contains { $0.kind == .missing })
    }

    @Test("More than 65,535 samples of one stack are exact, and sums beyond 2^32 have seven digits")
    func largeSums() throws {
        let fixture = try StoreFixture()
        let span = fixture.span("op")
        for _ in 0..<70_000 { fixture.take([span], [1], amount: 1_000_000) }
        fixture.take([span], [2], amount: 20_000_000_000)
        fixture.take([span], [2], amount: 1 << 40, isAllocation: true)
        for _ in 0..<3 { fixture.advance(5_000_000_000) }
        let profile = fixture.profile()
        #expect(profile.samplesByStack == ["op;f1": 70_000, "op;f2": 1])
        let processor = profile.values { Int($0.processor) }
        for (stack, expected) in ["op;f1": 70_000_000_000, "op;f2": 20_000_000_000] {
            #expect(abs(Double(processor[stack] ?? 0) / Double(expected) - 1) < 1e-7)
        }
        #expect(profile.values { Int($0.allocated) } == ["op;f2": 1 << 40])
    }

    @Test("Old slots are merged when there are too many entries, and keep their sums")
    func merging() {
        var (slots, generator) = (SampleSlots(start: Instant(nanoseconds: 0)), SeededGenerator(seed: 7))
        var (now, sums): (Int64, [UInt16: Int]) = (0, [:])
        for _ in 0..<170 {
            for _ in 0..<400 {
                let key = UInt16(generator.index(below: 500))
                slots.add(SampleSlots.Entry(key: key, samples: 1, amount: 1_000), at: Instant(nanoseconds: now))
                sums[key, default: 0] += 1
            }
            now += 5_000_000_000
            let isClosed = slots.advance(to: Instant(nanoseconds: now))
            #expect(isClosed)
            #expect(slots.closed.reduce(0) { $0 + $1.entries.count } <= SampleSlots.limit)
        }
        #expect(slots.closed.count < 120)
        #expect(slots.closed.allSatisfy { $0.end.nanoseconds(since: $0.start) <= SampleSlots.coarse })
        // The latest two and a half minutes are not merged.
        #expect(slots.closed.suffix(29).allSatisfy { $0.end.nanoseconds(since: $0.start) == SampleSlots.length })
        var found: [UInt16: Int] = [:]
        for slot in slots.closed { for entry in slot.entries { found[entry.key, default: 0] += Int(entry.samples) } }
        #expect(sums.allSatisfy { found[$0.key] == $0.value } && found.count == sums.count)
    }

    @Test("Lost samples are counted in the slot of their time")
    func lostSamples() throws {
        let fixture = try StoreFixture()
        fixture.advance(5_000_000_000, lost: 7, lostAllocated: 20)
        fixture.advance(1_000_000_000, lost: 12, lostAllocated: 50)
        for (seconds, lost, lostAllocated) in [(1, 5, 30), (10, 12, 50)] {
            let profile = fixture.profile(seconds: seconds)
            #expect(profile.lost == lost && profile.lostAllocated == lostAllocated && profile.lostLive == 0)
        }
    }
}
