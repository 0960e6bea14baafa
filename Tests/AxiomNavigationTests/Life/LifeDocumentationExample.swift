// SPDX-License-Identifier: Apache-2.0

// The first example of Documentation/application-life.md. A test compares the two.
import Axiom
import AxiomNavigation
import AxiomStorage
import Observation

@Observable
final class NoteContext: RestorableContext {
    struct Image: Codable, Sendable { var text: String }

    @ObservationIgnored let identity: ComponentIdentity
    var text = ""

    init(_ scope: borrowing ContextScope) { identity = scope.identity }

    var image: Image { Image(text: text) }
    func restore(_ image: Image, version: Int) { text = image.text }
}

struct NoteView: Presentation {
    let context: NoteContext
    var body: String { context.text }
}

/// Shows a note until SIGTERM or SIGINT, and continues with it in the next run.
@MainActor
func showNote(in folder: String) async throws {
    let orchestrator = Orchestrator()
    orchestrator.register(NoteContext.self) { NoteContext($0) }
    let host = PresentationHost(NoteView.self, orchestrator) { print($0) }
    let storage = FileStorage(folder: folder, options: StorageOptions(lockTimeout: .seconds(1)))
    let archive = StorageArchive(storage, appVersion: Version(1, 2, 0))
    let lifecycle = try AppLifecycle(orchestrator, archive: archive) { try await host.mount() }
    try await orchestrator.start()
    await lifecycle.move(to: .active)
    for image in lifecycle.setAside { print("not restored: \(image.key), \(image.reason.rawValue)") }
    await lifecycle.follow(SignalPhases())
}
