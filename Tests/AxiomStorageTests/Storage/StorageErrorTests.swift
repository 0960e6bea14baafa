// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Foundation
import Observation
import Testing

@testable import Axiom
@testable import AxiomStorage

@Suite("The errors and the documentation of storages", .timeLimit(.minutes(10)))
struct StorageErrorTests {
    @Test("Each error of storages names the path and the cause, and has the remedy of the catalogue (PER-01)")
    func errors() throws {
        let path = "/var/lib/shop"
        let errors: [StorageError] = [
            .full(path, cause: "the cause"), .readOnly(path, cause: "the cause"), .locked(path, cause: "the cause"),
            .newer(path, version: 3, known: 2), .valueTooLarge("cart", 11, limit: 10, path),
            .limitReached(path, limit: 10), .valueDamaged("cart", path, because: "the cause"),
            .setAside(path, as: "\(path).damaged", because: "the cause", "It is empty."),
            .failed(path, cause: "the cause"), .closed(path), .foreign(path, because: "the cause"),
            .migrationFailed(path, from: 1, to: 2, cause: CancellationError()),
            .valueUnreadable("cart", because: FileError("could not read \(path)", cause: "the cause")),
        ]
        #expect(errors.map(\.code) == ErrorCatalog.storages.map(\.code))
        for (error, entry) in zip(errors, ErrorCatalog.storages) {
            #expect(error.message.contains(path) && error.message.hasSuffix("."), "\(error)")
            #expect(error.recoverySuggestion == entry.remedy && error.severity == entry.severity)
            #expect(error.description.contains(entry.code.rawValue))
        }
    }

    @Test("The key in a message is short and has no control characters (PER-01)")
    func shortened() {
        #expect(StorageKey("cart").shortened == "\"cart\"")
        #expect(StorageKey("a\u{1B}[1m\n\0").shortened == #""a\u{1B}[1m\n\0""#)
        #expect(StorageKey(String(repeating: "x", count: 1_000)).shortened.count == 67)
    }

    @Test("The error of a system call says what to do about it (PER-01)")
    func systemErrors() {
        for (code, expected) in [
            (ENOSPC, ErrorCode.storageFull), (EDQUOT, .storageFull), (EFBIG, .storageFull), (EACCES, .storageReadOnly),
            (EPERM, .storageReadOnly), (EROFS, .storageReadOnly), (EWOULDBLOCK, .storageLocked), (EIO, .storageFailed),
            (0, .storageFailed),
        ] {
            #expect(StorageError.system("/a", "b", code: code).code == expected)
        }
    }

    @MainActor
    @Test("The example of the documentation is the one that is compiled here, and keeps its notes (PER-01)")
    func example() async throws {
        let text = { (path: String) in
            try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
        }
        let page = try text("Documentation/storage.md").split(separator: "```swift\n")
        let example = try #require(page.dropFirst().first?.split(separator: "```").first)
        #expect(try text("Tests/AxiomStorageTests/Storage/StorageDocumentationExample.swift").hasSuffix(example))
        let folder = try StorageFolder()
        for expected in [["tea"], ["tea", "tea"]] {
            let orchestrator = Orchestrator(limits: .endless)
            registerNotes(orchestrator, in: folder.path)
            orchestrator.register(NotesContext.self) { try NotesContext($0) }
            try await orchestrator.start()
            let notes = try orchestrator.makeContext(NotesContext.self).notes
            try await notes.process(.load)
            try await notes.process(.add("tea"))
            #expect(await notes.state.lines == expected)
            await orchestrator.shutdown()
        }
    }
}

@Observable
private final class NotesContext: Context {
    @ObservationIgnored nonisolated let identity: ComponentIdentity
    @ObservationIgnored let notes: any Client<NotesState, NotesAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        notes = try scope.client(NotesClient.self)
    }

    func handle(_ action: NoAction) async throws {}
}
