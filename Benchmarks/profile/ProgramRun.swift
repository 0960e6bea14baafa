// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation
internal import AxiomProfiler
internal import CPlantedCode
internal import Foundation

/// One run of a planted program.
struct ProgramRun {
    /// What the profile of the action says.
    struct Verdict: Sendable {
        let isNamed: Bool
        let text: String
    }

    /// As many samples must an action have.
    private static let samplesNeeded = 60

    private let program: PlantedProgram
    private let rate: Int
    private var random: SeededGenerator
    /// The share of the planted part in the action's processor time.
    private let share: Double

    init(_ program: PlantedProgram, seed: UInt64, rate: Int) {
        (self.program, self.rate) = (program, rate)
        random = SeededGenerator(seed: seed, stream: program.name.utf8.reduce(5_381) { $0 &* 33 &+ UInt64($1) })
        share = 0.5 + 0.3 * random.unit()
    }

    /// - Throws: ``ProfilerError``, or the error of the application's start.
    mutating func run() async throws -> Verdict {
        _ = await Speeds.rounds(of: program)
        let telemetry = try Telemetry()
        var options = Profiler.Options()
        options.rate = rate
        let profiler = try await Profiler.start(telemetry, options)
        defer { profiler.stop() }
        let application = try await PlantedApplication.start(telemetry)
        let background = await startOthers(application)
        var profile = Profile(start: Instant(nanoseconds: 0), end: Instant(nanoseconds: 0), rate: rate)
        for _ in 0..<3 where !enough(profile) {
            for call in await calls() { await application.context.send(.hot(call)) }
            profile = try await read(telemetry)
        }
        background.cancel()
        await background.value
        await application.shutdown()
        return Self.judge(profile, program)
    }

    /// The calls of the action, which together take the processor time for enough samples.
    private mutating func calls() async -> [PlantedCall] {
        let speed = await Speeds.rounds(of: program)
        let decoys: [(Double, @Sendable (Int) -> UInt64)] = [
            (await Speeds.rounds("first decoy", firstDecoy), firstDecoy),
            (await Speeds.rounds("second decoy", secondDecoy), secondDecoy),
            (await Speeds.rounds("small blocks", allocateLittle), allocateLittle),
        ]
        // Of the processor time of the whole action, in milliseconds.
        var rest = program.measure == .waiting ? 100 : 1.1e3 * Double(Self.samplesNeeded) / Double(rate)
        var calls: [PlantedCall] = []
        while rest > 0 {
            let length = 0.3 * pow(60, random.unit())
            var parts = [program.part(max(1, Int(length * share * speed)))]
            let split = 0.3 + 0.4 * random.unit()
            let (first, second) = (0, program.measure == .allocated ? 2 : 1)
            for (index, part) in [(first, split), (second, 1 - split)] {
                let rounds = max(1, Int(length * (1 - share) * part * decoys[index].0))
                parts.append(.now { [work = decoys[index].1] in work(rounds) })
            }
            parts.shuffle(using: &random)
            calls.append(
                PlantedCall(place: program.place, parts: parts, spans: random.index(below: 4))
            )
            rest -= program.measure == .waiting ? 5 : length
        }
        return calls
    }

    /// Lets other actions run until the task is cancelled.
    private mutating func startOthers(_ application: PlantedApplication) async -> Task<Void, Never> {
        let speed = await Speeds.rounds("other work", otherWork)
        let (count, length) = (1 + random.index(below: 3), 0.5 + 9 * random.unit())
        let pause = Duration.microseconds(500 + random.index(below: 5_000))
        return Task {
            await withTaskGroup { group in
                for spans in 0..<count {
                    let part = PlantedPart.now { otherWork(Int(length * speed)) }
                    let call = PlantedCall(place: .client, parts: [part], spans: spans)
                    group.addTask {
                        while !Task.isCancelled {
                            await application.context.send(.warm(call))
                            try? await Task.sleep(for: pause)
                        }
                    }
                }
            }
        }
    }

    // MARK: Reading

    private func read(_ telemetry: Telemetry) async throws -> Profile {
        var query = ProfileQuery()
        query.action = "\(program.place.rawValue).hot"
        guard let source = telemetry.readings.profiler else { throw NotAttached() }
        var profile = source.profile(query)
        for _ in 0..<10 where !enough(profile) {
            try await Task.sleep(for: .milliseconds(50))
            profile = source.profile(query)
        }
        return profile
    }

    private struct NotAttached: Error {}

    /// Whether the profile has what the program is judged by.
    private func enough(_ profile: Profile) -> Bool {
        switch program.measure {
        case .samples: profile.stacks.reduce(0) { $0 + $1.samples } >= Self.samplesNeeded
        case .waiting: profile.stacks.contains { $0.waiting > 0 }
        case .allocated: profile.stacks.contains { $0.allocated > 0 }
        }
    }

    private static func judge(_ profile: Profile, _ program: PlantedProgram) -> Verdict {
        let entries = HottestEntries(profile, by: program.measure)
        guard let hottest = entries.all.first else { return Verdict(isNamed: false, text: "nothing was sampled") }
        let isNamed =
            program.measure == .waiting ? hottest.isWait : program.wanted.contains { hottest.name.contains($0) }
        return Verdict(isNamed: isNamed, text: entries.text)
    }
}

/// The functions of this program by what their stacks cost, the most costly one first. What a library needs counts for the
/// function that called it.
struct HottestEntries {
    let all: [(name: String, isWait: Bool, value: Double)]
    private let samples: Int

    init(_ profile: Profile, by measure: PlantedProgram.Measure) {
        var values: [String: (isWait: Bool, value: Double)] = [:]
        for stack in profile.stacks {
            let frames = stack.frames.map { profile.frames[$0] }
            let isWait = frames.last?.kind == .wait
            let value =
                switch measure {
                case .samples: Double(stack.samples)
                case .waiting: Double(isWait ? stack.waiting : stack.processor)
                case .allocated: Double(stack.allocated)
                }
            guard value > 0 else { continue }
            let own = isWait ? frames.last : frames.last(where: Self.isPlanted) ?? frames.last(where: Self.isOwn)
            values[(own ?? frames.last)?.name ?? "", default: (isWait, 0)].value += value
        }
        all = values.map { ($0.key, $0.value.isWait, $0.value.value) }.sorted {
            ($1.value, $0.name) < ($0.value, $1.name)
        }
        samples = profile.stacks.reduce(0) { $0 + $1.samples }
    }

    /// The first five, with their shares.
    var text: String {
        let sum = all.reduce(0) { $0 + $1.value }
        return "\(samples) samples: "
            + all.prefix(5).map { "\($0.name) \(($0.value / sum).percent)" }.joined(separator: "; ")
    }

    /// Functions of libraries that the compiler put into this program are of its module, too.
    private static func isPlanted(_ frame: Profile.Frame) -> Bool {
        isOwn(frame) && planted.contains { frame.name.contains($0) }
    }

    private static func isOwn(_ frame: Profile.Frame) -> Bool { frame.kind == .function && frame.module == module }

    private static let planted =
        PlantedProgram.all.flatMap(\.wanted) + ["firstDecoy", "secondDecoy", "allocateLittle", "otherWork"]
    private static let module = URL(filePath: CommandLine.arguments.first ?? "").lastPathComponent
}

/// How many rounds of a function take a millisecond of processor time. Measured once.
enum Speeds {
    private static let known = Lock<[String: Double]>([:])

    static func rounds(_ name: String, _ work: @escaping @Sendable (Int) -> UInt64) async -> Double {
        await rounds(name) { rounds in .now { work(rounds) } }
    }

    static func rounds(of program: PlantedProgram) async -> Double {
        await rounds(
            program.measure == .waiting ? "client" : program.name,
            program.measure == .waiting ? inPlace : program.part
        )
    }

    private static let inPlace: PlantedProgram.Part = { rounds in .now { burnInPlace(rounds) } }

    private static func rounds(_ name: String, _ part: PlantedProgram.Part) async -> Double {
        if let speed = known.withLock({ $0[name] }) { return speed }
        var (rounds, time) = (1_000, 0.0)
        while time < 0.004 {
            rounds *= 2
            time = await seconds(part(rounds))
        }
        // A first call pays for more than its rounds, and a busy machine counts time that the process did not get: the fastest
        // call counts.
        for _ in 0..<4 { time = min(time, await seconds(part(Int(planted_same(UInt64(rounds)))))) }
        let speed = Double(rounds) / time / 1_000
        known.withLock { $0[name] = speed }
        return speed
    }

    private static func seconds(_ part: PlantedPart) async -> Double {
        let start = processorSeconds
        switch part {
        case .now(let work): PlantedCall.consume(work())
        case .later(let work): PlantedCall.consume(await work())
        }
        return processorSeconds - start
    }

    /// The time that all threads of this process have run.
    private static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
