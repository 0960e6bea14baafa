// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation
internal import AxiomProfiler

/// Whether samples have the label of the action that they belong to.
struct LabelScore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "labels",
        abstract: "Counts the samples that have the label of their action, no label, or a wrong one.",
        discussion: """
            Ten actions run at once, each a random nest of async let, groups, tasks, hops between actors, sleeps and calls. Each \
            burns the processor in a function of its own, which says to which action a sample belongs. Detached tasks burn in \
            another function; their samples must have no label.

            Exit status: 0 if at least 95 % of the samples have the right label and at most 0.1 % a wrong one; 1 if not.
            """
    )

    @Option(help: "How many samples are judged at least: 100 to 100000000.")
    var samples = 10_000

    @Option(help: "The seed of the nests.")
    var seed: UInt64 = 1

    @Option(help: "Samples per second of processor time: 10 to 250.")
    var rate = 97

    func validate() throws {
        guard (100...100_000_000).contains(samples) else {
            throw ValidationError("--samples is \(samples); 100 to 100000000 are allowed.")
        }
        guard (10...250).contains(rate) else { throw ValidationError("--rate is \(rate); 10 to 250 are allowed.") }
    }

    func run() async throws {
        var (counts, round) = (LabelCounts(), seed)
        // Nothing was sampled in some rounds: the profiler does not work.
        var idle = 0
        while counts.judged < samples, idle < 3 {
            let seconds = min(20, max(1, Double(samples - counts.judged) / Double(rate)))
            let more = try await LabelRun(seed: round, rate: rate).run(for: .milliseconds(Int64(seconds * 1_000)))
            idle = more.judged == 0 ? idle + 1 : 0
            counts += more
            round += 1
        }
        print("10 actions at once, \(rate) samples a second, seeds \(seed) to \(round - 1)")
        for line in counts.lines { print(line) }
        if !counts.isGood { throw ExitCode.failure }
    }
}

/// What the labels of samples are.
struct LabelCounts: Sendable {
    private(set) var (right, none, wrong) = (0, 0, 0)
    /// Samples of detached tasks, and those of them that have a label.
    private(set) var (detached, labelled) = (0, 0)
    /// Samples of neither.
    private(set) var others = 0
    private(set) var lost = 0
    /// What the first wrong and missing labels are.
    private(set) var examples: [String] = []

    init() {}

    init(_ profile: Profile) {
        lost = profile.lost
        for stack in profile.stacks where stack.samples > 0 {
            let frames = stack.frames.map { profile.frames[$0] }
            let functions = frames.filter { $0.kind == .function }.map(\.name)
            let operations = frames.filter { [.context, .client].contains($0.kind) }.map(\.name)
            let label = operations.last.flatMap(Self.number)
            if functions.contains(where: { $0.contains("planted_detached") }) {
                detached += stack.samples
                if label != nil {
                    labelled += stack.samples
                    note("a detached task", functions, operations)
                }
            } else if let action = functions.lazy.compactMap(Self.number).first {
                if label == action {
                    right += stack.samples
                } else if label == nil {
                    none += stack.samples
                    note("action\(action), no label,", functions, frames.filter { $0.kind != .function }.map(\.name))
                } else {
                    wrong += stack.samples
                    note("action\(action)", functions, operations)
                }
            } else {
                others += stack.samples
            }
        }
    }

    private mutating func note(_ what: String, _ functions: [String], _ operations: [String]) {
        guard examples.count < 10 else { return }
        examples.append(
            "\(what) under \(operations.joined(separator: " > ")): \(functions.suffix(6).joined(separator: " > "))"
        )
    }

    /// The number at the end of `LabelClient.action7`, or after `planted_action_`.
    private static func number(in name: String) -> Int? {
        guard let range = name.firstRange(of: "action_") ?? name.firstRange(of: ".action") else { return nil }
        return Int(name[range.upperBound...].prefix { $0.isNumber })
    }

    var judged: Int { right + none + wrong }

    static func += (counts: inout LabelCounts, more: LabelCounts) {
        counts.right += more.right
        counts.none += more.none
        counts.wrong += more.wrong
        counts.detached += more.detached
        counts.labelled += more.labelled
        counts.others += more.others
        counts.lost += more.lost
        counts.examples = Array((counts.examples + more.examples).prefix(10))
    }

    private func proportion(_ count: Int, of all: Int) -> Proportion {
        var proportion = Proportion()
        proportion.add(count, of: all)
        return proportion
    }

    /// A label of a detached task is wrong too.
    private var wrongOfAll: Proportion { proportion(wrong + labelled, of: judged + detached) }
    private var rightOfAll: Proportion { proportion(right, of: judged) }

    var isGood: Bool { judged > 0 && rightOfAll.share >= 0.95 && wrongOfAll.share <= 0.001 }

    var lines: [String] {
        [
            "samples of actions: \(judged); of detached tasks: \(detached); others: \(others); lost: \(lost)",
            "right: \(right), \(rightOfAll.share.percent), at least \(rightOfAll.low.percent)",
            "none:  \(none), \(proportion(none, of: judged).share.percent)",
            "wrong: \(wrong) of actions, \(labelled) of detached tasks, \(wrongOfAll.share.percent), at most "
                + wrongOfAll.high.percent,
        ] + examples
    }
}

/// Ten actions at once, for some seconds.
struct LabelRun: Sendable {
    let seed: UInt64
    let rate: Int

    /// - Parameter time: At most 45 s: a profile has the last minute.
    func run(for time: Duration) async throws -> LabelCounts {
        let speed = Self.roundsPerMillisecond()
        let telemetry = try Telemetry()
        var options = Profiler.Options()
        options.rate = rate
        let profiler = try await Profiler.start(telemetry, options)
        defer { profiler.stop() }
        let (orchestrator, context) = try await start(telemetry)
        let end = TimeSource.live.now.advanced(by: time)
        await withTaskGroup { group in
            for action in 0..<LabelAction.count {
                group.addTask { await send(action, to: context, until: end, speed) }
            }
        }
        // What was sampled last is still on its way.
        try await Task.sleep(for: .milliseconds(300))
        var query = ProfileQuery()
        query.seconds = 60
        let counts = (telemetry.readings.profiler?.profile(query)).map(LabelCounts.init)
        await orchestrator.shutdown()
        return counts ?? LabelCounts()
    }

    private static func roundsPerMillisecond() -> Double {
        var all = 0
        let time = 20.0
        _ = spend(time) { rounds in
            LabelNest.burn(-1, rounds)
            all += rounds
            return 1
        }
        return Double(all) / time
    }

    private func send(_ action: Int, to context: LabelContext, until end: Instant, _ speed: Double) async {
        var random = SeededGenerator(seed: seed, stream: UInt64(action))
        while TimeSource.live.now < end {
            let call = LabelAction(number: action, nest: LabelNest(&random, action: action, depth: 4, speed: speed))
            if LabelAction.isOfContext(action) {
                await context.send(call)
            } else {
                try? await context.client.process(call)
            }
        }
    }

    @MainActor
    private func start(_ telemetry: Telemetry) async throws -> (Orchestrator, LabelContext) {
        let parts = LabelParts(telemetry: telemetry, actor: LabelActor())
        let orchestrator = Orchestrator(instrumentation: telemetry)
        orchestrator.register(LabelCapability.self) { LabelCapability($0) }
        orchestrator.register(LabelClient.self) { try LabelClient($0, parts) }
        orchestrator.register(LabelContext.self) { try LabelContext($0, parts) }
        try await orchestrator.start()
        return (orchestrator, try orchestrator.makeContext(LabelContext.self))
    }
}
