// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomNavigation
import AxiomTesting
import Testing

@testable import Notes

actor FakeNoteServer: NoteServer, MockCapability {
    nonisolated let identity: ComponentIdentity
    nonisolated let simulation: Simulation

    init(_ scope: borrowing CapabilityScope, _ simulation: Simulation) {
        (identity, self.simulation) = (scope.identity, simulation)
        simulation.connect(scope)
    }

    func load() async throws -> [Note] { try await simulation.answer() }
    func save(_ note: Note) async throws { try await simulation.call() }
}

@MainActor
@Suite("Notes", .timeLimit(.minutes(10)))
struct NotesTests {
    /// The application with a server that has one note, and a flow that records.
    private func makeApp() throws -> (TestOrchestrator, Simulation, MockNavigationFlow<NoteRoute>) {
        let app = TestOrchestrator { NoteApp.register(in: $0) }
        let server = app.simulate((any NoteServer).self, as: FakeNoteServer.self)
        server.on("load", answer: [Note(id: 1, text: "Milk")])
        return (app, server, try app.navigation(NoteRoute.list))
    }

    @Test("Notes are loaded, added and removed")
    func list() async throws {
        let (app, server, _) = try makeApp()
        let list = try await app.context(NoteListContext.self)
        await list.send(.refresh)
        await list.receive(NoteClient.self) { $0.titles = ["Milk"] }
        await list.send(.add("Tea"))
        await list.receive(NoteClient.self) { $0.titles = ["Milk", "Tea"] }
        await list.send(.remove(1))
        await list.receive(NoteClient.self, state: NoteState(notes: [Note(id: 2, text: "Tea")]))
        #expect(server.calls == ["load", "save"])
        await list.finish()
    }

    @Test("A slow server shows that a note is being saved")
    func slow() async throws {
        let (app, server, _) = try makeApp()
        let list = try await app.context(NoteListContext.self)
        server.delay(.seconds(2))
        await list.send(.add("Tea"))
        await list.receive(NoteClient.self) {
            $0.titles = ["Tea"]
            $0.isSaving = true
        }
        await app.advance(by: .seconds(2))
        await list.receive(NoteClient.self) { $0.isSaving = false }
        await list.finish()
    }

    @Test("A network error is retried once")
    func retry() async throws {
        let (app, server, _) = try makeApp()
        let list = try await app.context(NoteListContext.self)
        server.fail(with: NetworkError.timeout("GET /notes", after: .seconds(3)))
        await list.send(.refresh)
        await app.advance(by: .seconds(10))
        await list.expectError(.networkTimeout, recoveredBy: "retry")
        await list.receive(NoteClient.self) { $0.titles = ["Milk"] }
        await list.finish()
    }

    @Test("The list works in every state of the server")
    func everyState() async throws {
        let (app, server, _) = try makeApp()
        let list = try await app.context(NoteListContext.self)
        try await server.visitAllStates { state in
            let title = "\(state)"
            server.on("load", answer: [Note(id: 1, text: title)])
            let mustWait = state == .slow || state == .hanging
            await list.send(.refresh) { if mustWait { $0.isRefreshing = true } }
            switch state {
            case .full, .limited, .minimal: await list.receive(NoteClient.self) { $0.titles = [title] }
            case .unavailable, .notAvailable, .failing: await list.expectError(.capabilityUnavailable)
            case .permissionRevoked: await list.expectError(.forbidden)
            case .slow, .hanging:
                await app.advance(by: .seconds(1))
                server.release()
                await list.receive(NoteClient.self) { $0.titles = [title] }
                await list.expectChange { $0.isRefreshing = false }
            }
        }
        #expect(try list.context.titles == ["slow"])
        await list.finish()
    }

    @Test("The list navigates to a note")
    func navigation() async throws {
        let (app, _, flow) = try makeApp()
        let list = try await app.context(NoteListContext.self)
        await list.send(.open(1))
        flow.expectRequests(.note(1))
        await list.finish()
    }

    @Test("A deep link shows a note, and the way back the list")
    func deepLink() async throws {
        let notes = try await TestApplication.launch(NoteRoute.list, links: NoteApp.links()) { app in
            NoteApp.register(in: app.orchestrator)
            _ = app.client(NoteClient.self, NoteState(notes: [Note(id: 1, text: "Milk")]))
        } screen: {
            NoteApp.screen($0)
        }
        #expect(try await notes.handleDeepLink("notes://note/1") == .note(1))
        #expect(try notes.currentContext(as: NoteContext.self).context.text == "Milk")
        #expect(notes.visible.last as? String == "Milk")
        try await notes.navigateBack()
        #expect(notes.visible.last as? String == "Milk")
        await notes.finish()
    }

    @Test("The client alone")
    func client() async throws {
        let scopes = TestScopes()
        let server = scopes.simulate((any NoteServer).self, as: FakeNoteServer.self)
        let client = try await scopes.client { try NoteClient($0) }
        try await client.process(.add("Tea"))
        #expect(await client.state == NoteState(notes: [Note(id: 1, text: "Tea")]))
        #expect(server.calls == ["save"])
    }

    @Test("What the test forgets is a failure with a difference")
    func forgotten() async throws {
        let (app, _, _) = try makeApp()
        let list = try await app.context(NoteListContext.self)
        await withKnownIssue {
            await list.send(.add("Tea"))
            await list.finish()
        } matching: { issue in
            issue.comments.first?.rawValue == """
                A NoteState arrived at the NoteListContext, and the test ends without having received it:

                -   titles: []
                +   titles: ["Tea"]

                (Expected: −, Actual: +)
                """
        }
    }

    @Test("The architecture is valid")
    func architecture() async throws {
        let (app, _, _) = try makeApp()
        let list = try await app.context(NoteListContext.self)
        #expect(ArchitectureValidator.validate(app.orchestrator.graph).isEmpty)
        await list.finish()
    }
}
