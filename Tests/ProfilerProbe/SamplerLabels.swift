// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && canImport(Glibc)
import Axiom
import AxiomBase
import AxiomProfiler
import Glibc

/// Tasks that nest at random; each burns in a function of its own span, so that the program counter says which span is right.
enum SamplerLabels {
    static func run(seed: UInt64) async throws {
        let collector = SampleCollector()
        let sampler = try await SamplerProbe.start(collector, rate: 250)
        let marks = await Self.marks(collector)
        let begin = collector.all.count
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask { await work(UInt64(task % 4), Random(seed: seed &+ UInt64(task))) }
            }
            group.addTask { await SampledWork.bind(2) { await call(Random(seed: seed)) } }
        }
        sampler.stop()
        var counts = ["right": 0, "none": 0, "wrong": 0, "detached": 0]
        for sample in collector.all[begin...] {
            guard let subject = marks.firstIndex(where: { !$0.isDisjoint(with: sample.frames) }) else { continue }
            counts[verdict(sample, planted: UInt64(subject)), default: 0] += 1
        }
        for (name, count) in counts { print(name, count) }
        print("paths", collector.all.filter { $0.spans.map(\.subject).starts(with: [2, 9, 1, 2]) }.count)
        print("lost", sampler.counts.lost)
    }

    private static func verdict(_ sample: RawSample, planted subject: UInt64) -> String {
        switch sample.spans.first?.subject {
        case nil: subject == 3 ? "detached" : "none"
        case let label: label == subject + 1 && subject < 3 ? "right" : "wrong"
        }
    }

    /// The addresses that are in most stacks of one planted function, and in none of the others: one runs at a time. They are
    /// inside of what all functions share; outside are frames of the pool, which differ by chance.
    private static func marks(_ collector: SampleCollector) async -> [Set<UInt>] {
        var stacks: [[[UInt]]] = []
        for subject: UInt64 in 0..<4 { stacks.append(await Self.stacks(of: subject, collector)) }
        let shared = stacks.dropFirst().reduce(most(of: stacks[0])) { $0.intersection(most(of: $1)) }
        let own = stacks.map { $0.map { Array($0.prefix { !shared.contains($0) }) } }
        return own.indices.map { index in
            own.indices.filter { $0 != index }.reduce(most(of: own[index])) { $0.subtracting(own[$1].joined()) }
        }
    }

    /// At least 30 stacks: with few of them, a frame that all functions share looks like one of this function.
    private static func stacks(of subject: UInt64, _ collector: SampleCollector) async -> [[UInt]] {
        let begin = collector.all.count
        var samples: [RawSample] = []
        while samples.count < 30 {
            await SampledWork.bind(subject + 1) { plant(subject, 0.2) }
            let tick = collector.ticks
            while collector.ticks < tick + 2 { try? await Task.sleep(for: .milliseconds(5)) }
            samples = collector.all[begin...].filter { $0.spans.first?.subject == subject + 1 }
        }
        return samples.map(\.frames)
    }

    /// The addresses that are in more than half of the stacks.
    private static func most(of stacks: [[UInt]]) -> Set<UInt> {
        var counts: [UInt: Int] = [:]
        for frame in stacks.flatMap(Set.init) { counts[frame, default: 0] += 1 }
        return Set(counts.filter { $0.value > stacks.count / 2 }.keys)
    }

    /// The subject 3 stands for detached tasks, which have no span.
    private static func work(_ subject: UInt64, _ random: Random) async {
        var random = random
        for _ in 0..<12 {
            let child = Random(seed: random.next())
            if subject == 3 {
                await Task.detached { await burn(3, child) }.value
            } else {
                await SampledWork.bind(subject + 1) { await nest(subject, child) }
            }
            await Task.yield()
        }
    }

    private static func nest(_ subject: UInt64, _ random: Random) async {
        var random = random
        let child = Random(seed: random.next())
        switch random.next() % 6 {
        case 0:
            async let first: Void = burn(subject, child)
            async let second: Void = burn(subject, random)
            _ = await (first, second)
        case 1:
            await withTaskGroup(of: Void.self) { group in
                for part in 0..<3 { group.addTask { await burn(subject, Random(seed: UInt64(part))) } }
            }
        case 2: await Task { await burn(subject, child) }.value
        case 3:
            if subject == 1 { await call(child) } else { await burn(subject, child) }
        case 4: await Other().run { await burn(subject, child) }
        default:
            try? await Task.sleep(for: .milliseconds(2))
            await burn(subject, child)
        }
    }

    /// A context calls a client, which calls a capability.
    private static func call(_ random: Random) async {
        await SampledWork.bind(1) {
            await SampledWork.bind(9) { await SampledWork.bind(2) { for _ in 0..<4 { await burn(1, random) } } }
        }
    }

    private static func burn(_ subject: UInt64, _ random: Random) async {
        var random = random
        for _ in 0..<3 {
            plant(subject, Double(random.next() % 16) * 0.001)
            await Task.yield()
        }
    }

    private actor Other {
        func run(_ body: @Sendable () async -> Void) async { await body() }
    }

    private struct Random {
        private var state: UInt64
        init(seed: UInt64) { state = seed | 1 }
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
    }

    private static func plant(_ subject: UInt64, _ seconds: Double) {
        switch subject {
        case 0: first(seconds)
        case 1: second(seconds)
        case 2: third(seconds)
        default: fourth(seconds)
        }
    }

    @inline(never)
    private static func first(_ seconds: Double) {
        var value: UInt64 = 1
        let end = ThreadTime.seconds + seconds
        while ThreadTime.seconds < end { for _ in 0..<5_000 { value = value &* 6_364_136_223_846_793_005 &+ 1 } }
        SampledWork.keep(value)
    }

    @inline(never)
    private static func second(_ seconds: Double) {
        var value: UInt64 = 1
        let end = ThreadTime.seconds + seconds
        while ThreadTime.seconds < end { for round: UInt64 in 0..<5_000 { value = (value ^ round) &* 31 } }
        SampledWork.keep(value)
    }

    @inline(never)
    private static func third(_ seconds: Double) {
        var value: UInt64 = 1
        let end = ThreadTime.seconds + seconds
        while ThreadTime.seconds < end { for round: UInt64 in 0..<5_000 { value = (value &>> 1) &+ (round &* value) } }
        SampledWork.keep(value)
    }

    @inline(never)
    private static func fourth(_ seconds: Double) {
        var value: UInt64 = 1
        let end = ThreadTime.seconds + seconds
        while ThreadTime.seconds < end { for round: UInt64 in 0..<5_000 { value = (value &- round) ^ (value &<< 3) } }
        SampledWork.keep(value)
    }
}
#endif
