// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomConfiguration
import AxiomTestSupport
import Foundation
import Testing

@MainActor
@Suite("A configuration that is read again", .timeLimit(.minutes(10)))
struct ReloadTests {
    private let grid = FeatureFlag("grid", fallback: false)

    @Test("A file that is replaced by a rename takes effect without a restart or a recreation (ORC-16)")
    func replaced() async throws {
        let app = try ConfiguredApp()
        let configuration = try await app.start(#"{"http": {"timeout": 7}, "flags": {"grid": false}}"#)
        let id = app.orchestrator.graph.nodes.count
        #expect(await configuration.reload() == .unchanged)
        try app.replace(#"{"http": {"timeout": 8}, "flags": {"grid": true}}"#)
        #expect(await configuration.reload() == .applied)
        #expect(app.applied.all.map(\.timeout) == [7, 8])
        #expect(app.orchestrator.flags[grid] && configuration.generation == 2)
        #expect(app.orchestrator.graph.nodes.count == id)
        #expect(await configuration.reload() == .unchanged)
        #if Instrumented
        #expect(app.signals["axiom_configuration_reloads_total applied"] == 1)
        #expect(app.signals["axiom_configuration_reloads_total unreadable"] == 0)
        #expect(app.signals["axiom_configuration_generation"] == 2)
        #endif
        await app.orchestrator.shutdown()
    }

    @Test("A flag's share beyond 100% and a value of another type are reported once for each change of the file")
    func invalidFlags() async throws {
        let app = try ConfiguredApp()
        let flags = [FeatureFlag("grid", fallback: false), FeatureFlag("list", fallback: false)]
        let layout = FeatureFlag("layout", fallback: "plain")
        func evaluate() async {
            for _ in 0..<3 {
                for flag in flags { #expect(app.orchestrator.flags.evaluate(flag, for: "me").value == false) }
                #expect(app.orchestrator.flags[layout, for: "me"] == "plain")
            }
            await app.orchestrator.quiet()
        }
        let text = #"{"flags": {"grid": "150%", "list": "maybe", "layout": "wide@-3%"}}"#
        let configuration = try await app.start(text)
        await evaluate()
        #expect(app.orchestrator.errorBoundary.count == 3)
        let messages = app.orchestrator.errorBoundary.history.map { String(clause: $0.error) }
        for part in [#"flags.grid is "150%""#, #"flags.list is "maybe""#, "0% to 100%", app.path, "a value of Bool"] {
            #expect(messages.contains { $0.contains(part) }, "\(part) in \(messages)")
        }
        try app.replace(#"{"flags": {"grid": "150%", "list": true}}"#)
        #expect(await configuration.reload() == .applied)
        #expect(app.orchestrator.flags[flags[1]])
        for _ in 0..<3 { #expect(!app.orchestrator.flags[flags[0]]) }
        await app.orchestrator.quiet()
        #expect(app.orchestrator.errorBoundary.count == 4)
        await app.orchestrator.shutdown()
    }

    @Test("A change that does not concern a capability does not configure it again")
    func untouched() async throws {
        let app = try ConfiguredApp()
        let configuration = try await app.start(#"{"http": {"timeout": 7}}"#)
        try app.replace(#"{"http": {"timeout": 7.0}, "other": 1}"#)
        #expect(await configuration.reload() == .applied)
        #expect(app.applied.all.count == 1)
        await app.orchestrator.shutdown()
    }

    @Test("A broken file keeps everything in force and is reported once; a correct one is used again (ORC-16)")
    func broken() async throws {
        let app = try ConfiguredApp()
        let configuration = try await app.start(#"{"http": {"timeout": 7}, "flags": {"grid": true}}"#)
        try app.replace("{\n\"http\": {\"timeout\" 8}}")
        #expect(await configuration.reload() == .unreadable)
        #expect(await configuration.reload() == .unchanged)
        let error = app.orchestrator.errorBoundary.current?.error as? ConfigurationError
        #expect(error?.code == .configurationUnreadable && app.orchestrator.errorBoundary.count == 1)
        #expect(error?.message.contains("it is not valid JSON (line 2, ") == true, "\(error?.message ?? "")")
        #expect(app.orchestrator.flags[grid] && configuration.generation == 1)
        #expect(app.applied.all.count == 1)
        try FileManager.default.removeItem(atPath: app.path)
        #expect(await configuration.reload() == .unreadable)
        try app.replace(#"{"http": {"timeout": 9}}"#)
        #expect(await configuration.reload() == .applied)
        #expect(app.applied.all.last?.timeout == 9)
        await app.orchestrator.shutdown()
    }

    @Test("Invalid settings keep all of the old ones, those of valid keys and flags included (ORC-16)")
    func invalid() async throws {
        let app = try ConfiguredApp()
        let configuration = try await app.start(#"{"http": {"timeout": 7}}"#)
        try app.replace(#"{"http": {"timeout": 8, "retries": 99}, "flags": {"grid": true}}"#)
        #expect(await configuration.reload() == .invalid)
        #expect(app.applied.all.map(\.timeout) == [7])
        #expect(!app.orchestrator.flags[grid])
        let error = app.orchestrator.errorBoundary.current?.error as? ConfigurationError
        #expect(error?.message.contains("http.retries is \"99\"") == true)
        await app.orchestrator.shutdown()
    }

    @Test("A capability that refuses its settings keeps the old ones; the error is settled once (CAP-28)")
    func refused() async throws {
        let app = try ConfiguredApp()
        let configuration = try await app.start(#"{"http": {"timeout": 7}}"#)
        try app.replace(#"{"hosts": [], "flags": {"grid": true}}"#)
        #expect(await configuration.reload() == .refused)
        #expect(app.applied.all.map(\.timeout) == [7])
        #expect(app.orchestrator.flags[grid] && app.orchestrator.errorBoundary.count == 1)
        let error = app.orchestrator.errorBoundary.current?.error as? ConfigurationError
        #expect(error?.message == "The setting hosts was refused: a host is needed.")
        await app.orchestrator.shutdown()
    }

    @Test("A change that a shutdown cuts is read again after the next start (ORC-16)")
    func cut() async throws {
        let app = try ConfiguredApp()
        let (reached, gate) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
        // The shutdown lasts until the reload has ended: after it, settings are kept for the next start.
        let exit = AsyncStream.makeStream(of: Void.self)
        let mixer = AppliedModes()
        app.orchestrator.register(Gatekeeper.self) { Gatekeeper($0, reached.continuation, gate.stream, exit.stream) }
        app.orchestrator.register(Mixer.self) { Mixer($0, mixer) }
        try app.replace(#"{"mode": "fast"}"#)
        let configuration = AppConfiguration(app.orchestrator, [.file(app.path)])
        configuration.bind(Gatekeeper.self)
        configuration.bind(Mixer.self)
        try await configuration.load()
        try await app.orchestrator.start()
        try app.replace(#"{"mode": "safe"}"#)
        async let reload = configuration.reload()
        for await _ in reached.stream { break }
        async let shutdown: Void = app.orchestrator.shutdown()
        while app.orchestrator.isRunning { await Task.yield() }
        gate.continuation.finish()
        #expect(await reload == .refused)
        exit.continuation.finish()
        await shutdown
        try await app.orchestrator.start()
        #expect(mixer.all.last != .safe)
        #expect(await configuration.reload() == .applied)
        #expect(mixer.all.last == .safe)
        #expect(await configuration.reload() == .unchanged)
        await app.orchestrator.shutdown()
    }

    @Test("Settings of a capability that is not registered are reported once for each change of the file")
    func unregistered() async throws {
        let app = try ConfiguredApp()
        let configuration = try await app.start(#"{"mode": "fast"}"#)
        configuration.bind(Mixer.self)
        try app.replace(#"{"mode": "safe"}"#)
        #expect(await configuration.reload() == .refused)
        #expect(await configuration.reload() == .unchanged)
        #expect(app.orchestrator.errorBoundary.count == 1)
        await app.orchestrator.shutdown()
    }

    @Test("A file whose permissions change is read again: it may have become readable (ORC-16)")
    func permissions() async throws {
        let app = try ConfiguredApp()
        let configuration = try await app.start(#"{"http": {"timeout": 7}}"#)
        #expect(chmod(app.path, 0o600) == 0)
        #expect(await configuration.reload() == .applied)
        #expect(await configuration.reload() == .unchanged)
        await app.orchestrator.shutdown()
    }

    @Test("run(every:) reads a change after the interval, and ends when it is cancelled")
    func watching() async throws {
        let app = try ConfiguredApp()
        let configuration = try await app.start(#"{"http": {"timeout": 7}}"#)
        let watching = Task { try await configuration.run(every: .seconds(5)) }
        try app.replace(#"{"http": {"timeout": 8}}"#)
        while configuration.generation == 1 {
            app.time.advance(by: .seconds(5))
            await Task.yield()
        }
        #expect(app.applied.all.last?.timeout == 8)
        watching.cancel()
        await #expect(throws: CancellationError.self) { try await watching.value }
        await app.orchestrator.shutdown()
    }

    @Test("Reloads that overlap end with the latest file, whatever their order (ORC-16)")
    func overlapping() async throws {
        let app = try ConfiguredApp()
        let configuration = try await app.start(#"{"http": {"timeout": 7}}"#)
        var reloads: [Task<ReloadOutcome, Never>] = []
        for round in 1...30 {
            try app.replace(#"{"http": {"timeout": \#(round)}, "flags": {"grid": \#(round == 30)}}"#)
            reloads.append(Task { await configuration.reload() })
            if round.isMultiple(of: 3) { await Task.yield() }
        }
        for reload in reloads { _ = await reload.value }
        #expect(app.applied.all.last?.timeout == 30)
        #expect(app.orchestrator.flags[grid])
        await app.orchestrator.shutdown()
    }

    @Test("Flags come from each source in its order, and a rollout from the environment (FLG-01)")
    func flags() async throws {
        let app = try ConfiguredApp()
        try app.replace(#"{"flags": {"grid": "0%", "express-checkout": true, "rows": 12, "share": 0.5}}"#)
        let variables = ["FLAGS_EXPRESS_CHECKOUT": "100%"]
        let configuration = app.configuration([.environment(variables), .file(app.path)])
        try await configuration.load()
        let flags = app.orchestrator.flags
        let checkout = flags.evaluate(FeatureFlag("express-checkout", fallback: false), for: "a")
        #expect(checkout.value && checkout.reason == .split && checkout.source == "the environment")
        #expect(
            !flags.evaluate(grid, for: "a").value && flags.evaluate(grid, for: "a").source == "the file \(app.path)"
        )
        #expect(flags[FeatureFlag("rows", fallback: 1)] == 12 && flags[FeatureFlag("share", fallback: 1.0)] == 0.5)
        #expect(flags.evaluate(FeatureFlag("unknown", fallback: false)).reason == .default)
    }
}
