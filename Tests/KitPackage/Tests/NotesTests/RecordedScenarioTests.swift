// Recorded from a running application: 4 actions.

import Axiom
import AxiomTesting
import Testing

@testable import Notes

@MainActor
@Suite("Recorded scenarios")
struct RecordedScenarioTests {
    @Test("Notes that are too long")
    func replay() async throws {
        let app = try NotesTests.underTest()
        let noteList = try await app.context(NoteListContext.self)
        await noteList.send(.refresh)
        await noteList.expectNoError()
        await noteList.send(.add("Tea"))
        await noteList.expectNoError()
        await app.advance(by: .milliseconds(2000))
        await noteList.send(.add("A note that is much too long for the server"))
        await noteList.expectError(ErrorCode(rawValue: "NOTES_TOO_LONG"))
        await noteList.send(.remove(1))
        await noteList.expectNoError()
        await noteList.finish()
    }
}
