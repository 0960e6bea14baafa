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

    /// As many samples must an action have, and as many are enough.
    private static let (samplesNeeded, samplesAtMost) = (60, 600)

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
        let telemetry = try Telemetry()
        var options = Profiler.Options()
        options.rate = rate
        let profiler = try await Profiler.start(telemetry, options)
        defer { profiler.stop() }
        let application = try await PlantedApplication.start(telemetry)
        let background = startOthers(application)
        var profile = Profile(start: Instant(nanoseconds: 0), end: Instant(nanoseconds: 0), rate: rate)
        for _ in 0..<12 where !enough(profile) {
            for call in calls() { await application.context.send(.hot(call)) }
            profile = try await read(telemetry)
        }
        background.cancel()
        await background.value
        await application.shutdown()
        return Self.judge(profile, program)
    }

    /// The calls of the action, which together take the processor time for enough samples.
    private mutating func calls() -> [PlantedCall] {
        let second: @Sendable (Int) -> UInt64 = program.measure == .allocated ? allocateLittle : secondDecoy
        let decoys: [@Sendable (Int) -> UInt64] = [firstDecoy, second]
        // Of the processor time of the whole action, in milliseconds.
        var rest = program.measure == .waiting ? 100 : 1.1e3 * Double(Self.samplesNeeded) / Double(rate)
        var calls: [PlantedCall] = []
        while rest > 0 {
            let length = 0.3 * pow(60, random.unit())
            var parts = [program.part(length * share)]
            let split = 0.3 + 0.4 * random.unit()
            for (decoy, split) in zip(decoys, [split, 1 - split]) {
                let time = length * (1 - share) * split
                parts.append(.now { spend(time, decoy) })
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
    private mutating func startOthers(_ application: PlantedApplication) -> Task<Void, Never> {
        let (count, length) = (1 + random.index(below: 3), 0.5 + 9 * random.unit())
        let pause = Duration.microseconds(500 + random.index(below: 5_000))
        return Task {
            await withTaskGroup { group in
                for spans in 0..<count {
                    let part = PlantedPart.now { spend(length, otherWork) }
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

    /// Whether the profile has what the program is judged by: the lead of the hottest function is three times its error, or
    /// there are so many samples that this would not change.
    private func enough(_ profile: Profile) -> Bool {
        switch program.measure {
        case .samples:
            let count = profile.stacks.reduce(0) { $0 + $1.samples }
            return count >= Self.samplesAtMost
                || count >= Self.samplesNeeded && HottestEntries(profile, by: .samples).hasClearLead
        case .waiting: return profile.stacks.contains { $0.waiting > 0 }
        case .allocated: return profile.stacks.contains { $0.allocated > 0 }
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
            let name = (own ?? frames.last)?.name ?? ""
            // A function and its closures are one.
            let function = isWait ? name : Self.planted.first(where: name.contains) ?? name
            values[function, default: (isWait, 0)].value += value
        }
        all = values.map { ($0.key, $0.value.isWait, $0.value.value) }.sorted {
            ($1.value, $0.name) < ($0.value, $1.name)
        }
        samples = profile.stacks.reduce(0) { $0 + $1.samples }
    }

    /// Whether the first has more than the second by three times the error of that difference, if the values are counts.
    var hasClearLead: Bool {
        guard let first = all.first?.value else { return false }
        let second = all.dropFirst().first?.value ?? 0
        return first - second >= 3 * (first + second).squareRoot()
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
