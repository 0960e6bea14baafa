// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomTestSupport
import Observation
import Testing

/// Takes the place of a profiler.
private final class NoProfiler: ProfileSource {
    func profile(_ query: ProfileQuery) -> Profile {
        Profile(start: Instant(nanoseconds: 0), end: Instant(nanoseconds: 0), rate: 1)
    }

    func file(of profile: Profile, format: String) -> [UInt8]? { nil }
}

/// Answers with the span of the call.
struct SpanAction: Action {
    typealias Answer = SpanContext

    let during: @Sendable () async -> Void

    init(_ during: @escaping @Sendable () async -> Void = {}) { self.during = during }

    static var caseNames: [String] { ["span"] }
    var caseIndex: Int { 0 }
}

actor PlainClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing ClientScope) { identity = scope.identity }

    func process(_ action: SpanAction) async throws -> SpanContext {
        let span = OperationContext.currentSpan
        await action.during()
        #expect(OperationContext.currentSpan == span)
        return span
    }
}

@MainActor
@Observable
final class CallingContext: Context {
    nonisolated let identity: ComponentIdentity
    @ObservationIgnored let client: any StatelessClient<SpanAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(PlainClient.self)
    }
}

struct CallingApp: Sendable {
    let telemetry: Telemetry
    /// Lives as long as its client.
    let orchestrator: Orchestrator
    let client: any StatelessClient<SpanAction>

    @MainActor
    static func started(_ telemetry: Telemetry) async throws -> CallingApp {
        let orchestrator = Orchestrator(instrumentation: telemetry)
        orchestrator.register(PlainClient.self) { PlainClient($0) }
        orchestrator.register(CallingContext.self) { try CallingContext($0) }
        try await orchestrator.start()
        let client = try orchestrator.makeContext(CallingContext.self).client
        return CallingApp(telemetry: telemetry, orchestrator: orchestrator, client: client)
    }

    /// Whether 100 calls, of which some time their wait, bind their spans. All of them do or none.
    var binds: Bool {
        get async throws {
            var count = 0
            for _ in 0..<100 { count += try await client.process(SpanAction()).isNone ? 0 : 1 }
            #expect(count == 0 || count == 100)
            return count > 0
        }
    }
}

@Suite("Calls while a profiler is attached", .timeLimit(.minutes(10)))
struct ProfiledCallTests {
    @Test("A call binds its span from the start of a profiler to its end, also if the client was made before")
    func attached() async throws {
        let app = try await CallingApp.started(try Telemetry())
        #expect(try await app.binds == false)
        for profiler in [NoProfiler(), NoProfiler(), NoProfiler()] {
            #expect(app.telemetry.attach(profiler))
            #expect(try await app.binds == true)
            // One that was refused changes nothing when it ends.
            let refused = NoProfiler()
            #expect(!app.telemetry.attach(refused))
            app.telemetry.detach(refused)
            #expect(try await app.binds == true)
            app.telemetry.detach(profiler)
            app.telemetry.detach(profiler)
            #expect(try await app.binds == false)
        }
    }

    @Test("What binds spans for another reason, as a manual clock, does so after the end")
    func other() async throws {
        let app = try await CallingApp.started(try Telemetry(clock: .manual(ManualTime())))
        let profiler = NoProfiler()
        #expect(try await app.binds == true)
        #expect(app.telemetry.attach(profiler))
        app.telemetry.detach(profiler)
        #expect(try await app.binds == true)
    }

    @Test("A call that runs when the profiler ends keeps its span, which is recorded once")
    func running() async throws {
        let app = try await CallingApp.started(try Telemetry())
        let (profiler, own) = (NoProfiler(), OperationContext.currentSpan)
        #expect(app.telemetry.attach(profiler))
        let before = try #require(app.telemetry.spanCounts).recorded
        let (telemetry, client) = (app.telemetry, app.client)
        let span = try await client.process(SpanAction { telemetry.detach(profiler) })
        #expect(!span.isNone && OperationContext.currentSpan == own)
        #expect(telemetry.activity(latest: 10).filter { $0.id == span.span }.count == 1)
        // And one that began without a span goes on without.
        let later = try await client.process(SpanAction { _ = telemetry.attach(profiler) })
        #expect(later.isNone && OperationContext.currentSpan == own)
        #expect(try #require(telemetry.spanCounts).recorded == before + 2)
    }

    @Test("Profilers that come and go while tasks call leave each caller its own span, and each call is recorded")
    func coming() async throws {
        let app = try await CallingApp.started(try Telemetry())
        let before = try #require(app.telemetry.spanCounts)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<250 {
                        try await app.telemetry.span("outer") {
                            let own = OperationContext.currentSpan
                            _ = try await app.client.process(SpanAction { await Task.yield() })
                            #expect(OperationContext.currentSpan == own)
                        }
                    }
                }
            }
            group.addTask {
                for _ in 0..<1_000 {
                    let profiler = NoProfiler()
                    #expect(app.telemetry.attach(profiler))
                    await Task.yield()
                    app.telemetry.detach(profiler)
                }
            }
            try await group.waitForAll()
        }
        let after = try #require(app.telemetry.spanCounts)
        #expect(after.recorded + after.contended == before.recorded + before.contended + 2_000)
        #expect(try await app.binds == false)
    }
}
#endif
