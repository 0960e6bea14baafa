// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import Axiom

/// The points at which components of one random application hang until the end of the test.
private struct HangPoints: Sendable {
    let points: Set<String>
    /// Whether a call that hangs ends when it is cancelled.
    let obeys: Bool
    let gate: Gate
    let names = Journal<String>()

    func pass(_ point: String) async {
        guard points.contains(point) else { return }
        names.write(point)
        guard obeys else { return await gate.wait() }
        try? await Task.sleep(for: .seconds(3_600))
    }
}

private actor HangingCapability<Tag: PartTag>: Capability {
    static var componentName: String { "Capability\(Tag.index)" }

    nonisolated let identity: ComponentIdentity
    private let hangs: HangPoints

    init(_ scope: borrowing CapabilityScope, _ hangs: HangPoints, below: Bool) throws {
        identity = scope.identity
        self.hangs = hangs
        if below { _ = try scope.capability(HangingCapability<P0>.self) }
    }

    func initialize() async throws { await hangs.pass("initialize \(Tag.index)") }
    func terminate() async { await hangs.pass("terminate \(Tag.index)") }
}

private actor HangingClient<Tag: PartTag>: StatelessClient, Component {
    static var componentName: String { "Client\(Tag.index)" }

    nonisolated let identity: ComponentIdentity
    private let hangs: HangPoints

    init(_ scope: borrowing ClientScope, _ hangs: HangPoints) {
        identity = scope.identity
        self.hangs = hangs
    }

    func process(_ action: NoAction) async throws {}
    func activate() async throws { await hangs.pass("activate \(Tag.index)") }
    func deactivate() async { await hangs.pass("deactivate \(Tag.index)") }
}

@MainActor
@Suite("Random applications that hang", .timeLimit(.minutes(10)))
struct BoundedLifeTests {
    private static let points = [
        "initialize 0", "initialize 1", "terminate 0", "terminate 1", "activate 2", "activate 3", "deactivate 2",
        "deactivate 3", "appear", "disappear",
    ]

    /// On a loaded machine the time advances before everything waits, so that an operation takes more of it.
    private static let slack = 4

    /// A random application, and the time that its operations took.
    private struct Application {
        let orchestrator: Orchestrator
        let hangs: HangPoints
        let time: ManualTime
        let recording: RecordingInstrumentation
        /// The errors of its operations.
        let thrown = Journal<String>()
    }

    private func application(_ random: inout SeededGenerator) -> Application {
        let hanging = Self.points.filter { _ in random.index(below: 4) == 0 }
        let hangs = HangPoints(points: Set(hanging), obeys: random.index(below: 2) == 0, gate: Gate())
        let (time, recording) = (ManualTime(), RecordingInstrumentation())
        var script = ScriptContext.Script()
        script.onAppear = { _ in await hangs.pass("appear") }
        script.onDisappear = { _ in await hangs.pass("disappear") }
        let orchestrator = Orchestrator.scripted(script, instrumentation: recording, clock: .manual(time))
        let requirement = random.index(below: 2) == 0 ? CapabilityRequirement.required : .optional
        orchestrator.register(HangingCapability<P0>.self, requirement: requirement) {
            try HangingCapability<P0>($0, hangs, below: false)
        }
        orchestrator.register(HangingCapability<P1>.self, requirement: .optional) {
            try HangingCapability<P1>($0, hangs, below: true)
        }
        orchestrator.register(HangingClient<P2>.self) { HangingClient<P2>($0, hangs) }
        orchestrator.register(HangingClient<P3>.self) { HangingClient<P3>($0, hangs) }
        return Application(orchestrator: orchestrator, hangs: hangs, time: time, recording: recording)
    }

    /// Runs `operation`, and advances the time by 5 s whenever everything waits. Returns the seconds that it took.
    private func seconds(_ app: Application, _ operation: @escaping @MainActor () async throws -> Void) async -> Int {
        let (time, done) = (app.time, Box<Bool>())
        let task = Task {
            do { try await operation() } catch { app.thrown.write("\(error)") }
            done.put(true)
        }
        var seconds = 0
        while done.value == nil, seconds < 1_000 {
            for _ in 0..<200 where done.value == nil { await Task.detached {}.value }
            guard done.value == nil, time.sleeperCount > 0 else { continue }
            time.advance(by: .seconds(5))
            seconds += 5
        }
        if done.value == nil { task.cancel() } else { await task.value }
        return seconds
    }

    @Test("1,000 applications that hang at random start, change and stop within their limits and name it (ORC-13)")
    func bounded() async throws {
        let seed = TestSeed.drawn()
        for history in 0..<TestScale.count(1_000) {
            var random = SeededGenerator(seed: seed, stream: UInt64(history))
            let app = application(&random)
            await run(app, changes: random.index(below: 3), "seed \(seed), history \(history)")
        }
    }

    private func run(_ app: Application, changes: Int, _ note: Comment) async {
        let orchestrator = app.orchestrator
        let host = PresentationHost(ScriptPresentation.self, orchestrator) { _ in }
        // Two initialisations, three activations, and the shutdown of a start that failed.
        let start = await seconds(app) { try await orchestrator.start() }
        #expect(start <= Self.slack * (2 * 20 + 3 * 20 + 25), note)
        if orchestrator.isRunning {
            let mount = await seconds(app) { try await host.mount() }
            #expect(mount <= Self.slack * 20, note)
        }
        for _ in 0..<changes where orchestrator.isRunning {
            let change = await seconds(app) {
                try await orchestrator.capabilityChanged(HangingCapability<P0>.self, .serviceRestored)
            }
            #expect(change <= Self.slack * 2 * (20 + 5), note)
        }
        let stop = await seconds(app) { await orchestrator.shutdown() }
        #expect(stop <= Self.slack * 25, note)
        #expect(orchestrator.phase == .stopped || orchestrator.phase == .configuring, note)
        await expectNamed(app, hasExpired: stop >= 25, note)
    }

    /// Each component that hung is named by an error of the orchestrator; and all components end when nothing hangs.
    ///
    /// The limit of a whole shutdown can expire on a busy machine, where the time advances too early; also that of a shutdown
    /// after a start that failed. An error names that limit. What was being terminated then is abandoned with the shutdown,
    /// so that its own limit is not reported. The steps after that are cancelled at once, and those that obey are not late.
    ///
    /// - Parameter hasExpired: Whether the limit of the last shutdown may have expired.
    private func expectNamed(_ app: Application, hasExpired: Bool, _ note: Comment) async {
        let errors = app.orchestrator.errorBoundary.history.map(\.error)
        let messages = errors.map { "\($0)" } + app.thrown.entries
        let hasExpired =
            hasExpired
            || errors.contains {
                ($0 as? any MessageError)?.recoverySuggestion?.contains("WaitLimits.shutdown") == true
            }
        for name in Set(app.hangs.names.entries) where !name.contains("appear") {
            let words = name.split(separator: " ")
            if hasExpired, words[0] == "terminate" || (app.hangs.obeys && words[0] == "deactivate") { continue }
            let component = ["activate", "deactivate"].contains(words[0]) ? "Client" : "Capability"
            #expect(messages.contains { $0.contains("\(component)\(words[1])") }, "\(name) \(note)")
        }
        app.hangs.gate.open()
        #if Instrumented
        let kinds = ["Capability0", "Capability1", "Client2", "Client3", "ScriptContext", "TallyClient"]
        // What obeys its cancellation may sleep until the end of the process. The suite has a time limit.
        while !app.hangs.obeys, kinds.contains(where: { !app.recording.live($0).isEmpty }) { await Task.yield() }
        #endif
    }
}
