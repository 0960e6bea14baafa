// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomNavigation
import AxiomTesting
import Foundation
import Testing

@testable import Notes

/// A server that refuses long notes.
private actor StrictNoteServer: NoteServer, Capability {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }

    func load() async throws -> [Note] { [Note(id: 1, text: "Milk")] }

    func save(_ note: Note) async throws {
        if note.text.count > 20 { throw NoteTooLong(length: note.text.count) }
    }
}

private struct NoteTooLong: AxiomError {
    let length: Int
    var code: ErrorCode { "NOTES_TOO_LONG" }
    var message: String { "The note has \(length) characters; 20 are allowed." }
    var recoverySuggestion: String { "Write a shorter note." }
}

extension NotesTests {
    /// The application of a recorded scenario.
    static func underTest() throws -> TestOrchestrator {
        let app = TestOrchestrator(exhaustivity: .off) {
            NoteApp.register(in: $0)
            $0.register(StrictNoteServer.self, as: (any NoteServer).self) { StrictNoteServer($0) }
        }
        _ = try app.navigation(NoteRoute.list)
        return app
    }
}

@MainActor
@Suite("Recording", .timeLimit(.minutes(10)))
struct RecordingTests {
    /// Runs the application as its users do, and records.
    private func record() async throws -> RecordedScenario {
        let time = ManualTime()
        let telemetry = try Telemetry(clock: .manual(time))
        let orchestrator = Orchestrator(instrumentation: telemetry, clock: .manual(time))
        NoteApp.register(in: orchestrator)
        orchestrator.register(StrictNoteServer.self, as: (any NoteServer).self) { StrictNoteServer($0) }
        let flow = try orchestrator.navigation(NoteRoute.list) {
            NoteApp.screen($0)
        } render: { _ in
        }
        try await orchestrator.start()
        telemetry.recordScenario()
        let host = PresentationHost(NoteListView.self, orchestrator) { _ in }
        try await host.mount()
        let list = try #require(host.context)
        await list.send(.refresh)
        await list.send(.add("Tea"))
        time.advance(by: .seconds(2))
        await list.send(.add("A note that is much too long for the server"))
        await list.send(.remove(1))
        await orchestrator.shutdown()
        withExtendedLifetime(flow) {}
        return telemetry.endScenario()
    }

    @Test("A recorded scenario is a test that compiles, runs and expects the same errors")
    func recorded() async throws {
        let scenario = try await record()
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
            path: "RecordedScenarioTests.swift"
        )
        let text = scenario.test(named: "Notes that are too long", application: "try NotesTests.underTest()")
        if ProcessInfo.processInfo.environment["AXIOM_RECORD"] != nil { try Data(text.utf8).write(to: file) }
        // The file is compiled with these tests, and runs with them.
        #expect(text == (try String(contentsOf: file, encoding: .utf8)))
        #expect(scenario.count == 4 && scenario.gapCount == 0 && scenario.dropped == 0)
    }
}
