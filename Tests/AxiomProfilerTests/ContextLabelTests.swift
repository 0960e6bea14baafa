// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import CAxiomProfiler
import Observation
import Testing

@testable import AxiomInstrumentation
@testable import AxiomProfiler

private struct Beat: OwnedState { var count = 0 }

private enum BeatAction: Action {
    case next

    static let caseNames = ["next"]
    var caseIndex: Int { 0 }
}

private actor BeatClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<Beat>

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
        store = scope.store(Beat())
    }

    var state: Beat { store.state }
    nonisolated var stateStream: StateStream<Beat> { store.stream }

    func process(_ action: BeatAction) { store.update { $0.count += 1 } }
}

/// Burns the processor in its observation, in an action that the observation sends, and in its rendering.
@MainActor
@Observable
private final class BurningContext: Context {
    nonisolated let identity: ComponentIdentity
    @ObservationIgnored let beats: any Client<Beat, BeatAction>
    /// What is bound in the observation, and the spans that begin there.
    @ObservationIgnored var bound: [SpanContext] = []
    @ObservationIgnored var sent: [Task<Void, Never>] = []
    @ObservationIgnored var milliseconds = 0
    var count = 0

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        beats = try scope.client(BeatClient.self)
    }

    func onAppear() {
        observe(beats) { context, beat in
            context.bound.append(OperationContext.currentSpan)
            burn(milliseconds: context.milliseconds)
            context.sent.append(Task.immediate { await context.send(.next) })
            context.count = beat.count
        }
    }

    func handle(_ action: BeatAction) { burn(milliseconds: milliseconds) }
}

private struct BurningView: Presentation {
    let context: BurningContext

    var body: Int {
        burn(milliseconds: context.count == 0 ? 0 : context.milliseconds)
        return context.count
    }
}

@MainActor
private struct BurningApp {
    let orchestrator: Orchestrator
    let host: PresentationHost<BurningView>
    let context: BurningContext
    private let pictures: AsyncStream<Int>

    init(_ telemetry: Telemetry) async throws {
        orchestrator = Orchestrator(instrumentation: telemetry)
        orchestrator.register(BeatClient.self) { BeatClient($0) }
        orchestrator.register(BurningContext.self) { try BurningContext($0) }
        try await orchestrator.start()
        let (pictures, drawn) = AsyncStream.makeStream(of: Int.self)
        host = PresentationHost(BurningView.self, orchestrator) { drawn.yield($0) }
        self.pictures = pictures
        try await host.mount()
        context = try #require(host.context)
    }

    /// Publishes a state, and waits until it is shown and the action has ended.
    func beat() async throws {
        let next = context.count + 1
        try await context.beats.process(.next)
        for await picture in pictures where picture >= next { break }
        for task in context.sent { await task.value }
    }
}

// One profiler runs in a process at a time.
extension ProfilerTests {
    @Test("What a context does between actions has its name as label, and an action that it sends there is a root")
    @MainActor
    func contexts() async throws {
        let telemetry = try Telemetry()
        var options = Profiler.Options()
        options.rate = 250
        let profiler = try await Profiler.start(telemetry, options)
        defer { profiler.stop() }
        let app = try await BurningApp(telemetry)
        app.context.milliseconds = 100
        let paths = [["BurningContext.observe"], ["BurningContext.render"], ["BurningContext.next"]]
        // A busy machine gives fewer samples, each of more time.
        var profile = profiler.profile(ProfileQuery())
        for _ in 0..<50 where !paths.allSatisfy({ share(profile, under: $0) > 150_000_000 }) {
            try await app.beat()
            profile = profiler.profile(ProfileQuery())
        }
        for path in paths { #expect(share(profile, under: path) > 150_000_000, "\(path)") }
        // Nothing of it is under anything else, and the counts are those of all samples.
        for frame in profile.frames where paths.contains([frame.name]) { #expect(frame.kind == .context) }
        let burning = profile.stacks.filter { $0.frames.contains { profile.frames[$0].name == "planted_c_burn" } }
        let outside = burning.filter { profile.frames[$0.frames[0]].kind == .outside }
        #expect(outside.reduce(0) { $0 + $1.samples } * 20 <= burning.reduce(0) { $0 + $1.samples })
        #expect(profile.samples == profile.stacks.reduce(0) { $0 + $1.samples })
        let counts = profiler.counts
        #expect(counts.samples == counts.labelled + counts.outside && counts.labelled > 0)
        // A label is no span: the actions are roots, and nothing is recorded for it.
        #expect(app.context.bound.allSatisfy { $0.isNone && $0.subject != 0 })
        let actions = telemetry.activity(latest: 100, of: [.contextAction])
        #expect(actions.count == app.context.sent.count)
        #expect(actions.allSatisfy { $0.name == "next" && $0.parent == nil })
        #expect(telemetry.readings.operations.isSuperset(of: paths.joined()))
        await app.host.unmount()
    }

    @Test("Without a profiler, and after its end, contexts bind no label")
    @MainActor
    func contextsAfterTheEnd() async throws {
        let telemetry = try Telemetry()
        let app = try await BurningApp(telemetry)
        try await app.beat()
        let profiler = try await Profiler.start(telemetry)
        let before = app.context.bound.count
        try await app.beat()
        profiler.stop()
        let during = app.context.bound.count
        try await app.beat()
        let bound = app.context.bound
        #expect(bound[..<before].allSatisfy { $0 == .none } && before > 0)
        #expect(bound[before..<during].allSatisfy { $0.isNone && $0.subject != 0 } && during > before)
        #expect(bound[during...].allSatisfy { $0 == .none } && bound.count > during)
        await app.host.unmount()
    }
}

@Suite("Labels of contexts in a profile")
struct ContextLabelTests {
    @Test("A label is the path of its samples, below a span it is hidden, and every sample is counted once")
    func stored() throws {
        let fixture = try StoreFixture()
        let recorder = try #require(fixture.telemetry.recording.spans?.recorder)
        func label(_ name: String) -> SpanContext {
            recorder.label(SpanWords.subject(.contextAction, component: 0, name: recorder.names.number(of: name)))
        }
        let (render, action) = (label("render"), fixture.span("action", kind: .contextAction))
        fixture.take([render], [1])
        fixture.take([render], [1], amount: 4_096, isAllocation: true)
        fixture.take([action, render], [2])
        fixture.take([render, action], [3])
        fixture.take([SpanContext(trace: 0, span: 0, record: 0xffff, subject: render.subject)], [4])
        fixture.take([], [5])
        fixture.advance(1)
        let profile = fixture.profile()
        let outside = ["outside of actions;f4": 1, "outside of actions;f5": 1]
        let stacks = ["render;f1": 1, "action;f2": 1, "render;f3": 1].merging(outside, uniquingKeysWith: +)
        #expect(profile.samplesByStack == stacks)
        #expect(profile.values { Int($0.allocated) } == ["render;f1": 4_096])
        #expect(fixture.store.counts == (3, 2))
        #expect(profile.samples == 5 && profile.outside == 2)
        #expect(fixture.store.state.withLock { $0.orphans.isEmpty })
        #expect(fixture.profile(action: "render").samplesByStack == ["render;f1": 1, "render;f3": 1])
        #expect(!recorder.isOwn(render) && render.isNone)
    }

    #if os(Linux) && canImport(Glibc)
    @Test("The handler reads labels as it reads spans, and nothing below a binding of none")
    func read() async throws {
        try #require(await LabelCalibration.problem == nil)
        let span = SpanContext(trace: 1, span: 2, record: 3, subject: 4)
        let label = SpanContext(trace: 0, span: 0, record: 3, subject: 5)
        func read(_ bound: SpanContext...) -> [SpanContext] { spans(below: bound[...]) }
        #expect(read(span, label) == [label, span])
        #expect(read(label, span) == [span, label])
        #expect(read(label, label) == [label])
        #expect(read(span, .none).isEmpty && read(label, .none).isEmpty)
        #expect(read(span, .none, label) == [label])
    }

    /// What the handler reads while these are bound, the first one outermost.
    private func spans(below bound: ArraySlice<SpanContext>) -> [SpanContext] {
        if let first = bound.first {
            let context = OperationContext(span: first)
            return OperationContext.$current.withValue(context) { spans(below: bound.dropFirst()) }
        }
        var sample = axiom_sample()
        axiom_capture(&sample, 0, 0, 0)
        return RawSample(&sample).spans
    }
    #endif
}
#endif
