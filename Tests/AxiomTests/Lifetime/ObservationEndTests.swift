// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Observation
import Testing

@testable import Axiom

/// Something that lives as long as the application, as a feature flag does, and tells which of its reads are observed: a
/// read is a key path with a marker of its own, which the observation keeps.
private final class Board: Observable, Sendable {
    final class Marker: Hashable, Sendable {
        static func == (left: Marker, right: Marker) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    private let registrar = ObservationRegistrar()
    private let reads = Lock<[WeakReference]>([])

    subscript(marker: Marker) -> Bool { true }

    func read() {
        let marker = Marker()
        registrar.access(self, keyPath: \Board.[marker])
        reads.withLock { $0.append(WeakReference(marker)) }
    }

    var observedReads: Int { reads.withLock { $0 }.count { $0.object != nil } }
    var readCount: Int { reads.withLock { $0.count } }
}

@Observable
private final class BoardContext: Context {
    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored let board: Board
    var value = 0

    init(_ scope: borrowing ContextScope, _ board: Board) {
        identity = scope.identity
        self.board = board
    }
}

private struct BoardView: Presentation {
    let context: BoardContext

    var body: String {
        context.board.read()
        return "value \(context.value)"
    }
}

@MainActor
@Suite("The end of what a presentation observes", .timeLimit(.minutes(10)))
struct ObservationEndTests {
    private let board = Board()
    private let pictures = Journal<String>()

    private func host() async throws -> PresentationHost<BoardView> {
        let (orchestrator, board, pictures) = (Orchestrator(limits: .endless), board, pictures)
        orchestrator.register(BoardContext.self) { BoardContext($0, board) }
        try await orchestrator.start()
        return PresentationHost(BoardView.self, orchestrator) { pictures.write($0) }
    }

    @Test("After an unmount nothing observes what the body read, however often it was mounted")
    func unmount() async throws {
        let host = try await host()
        for number in 1...50 {
            try await host.mount()
            #expect(board.readCount == number)
            #expect(board.observedReads == 1)
            await host.unmount()
            #expect(board.observedReads == 0)
        }
    }

    @Test("A covered presentation observes nothing, and observes again when it is uncovered")
    func cover() async throws {
        let host = try await host()
        try await host.mount()
        for _ in 0..<50 {
            await host.cover()
            #expect(board.observedReads == 0)
            await host.uncover()
            #expect(board.observedReads == 1)
        }
        host.context?.value = 1
        await pictures.wait(for: "value 1")
        await host.unmount()
        #expect(board.observedReads == 0)
    }

    @Test("Each render takes the place of the one before")
    func renders() async throws {
        let host = try await host()
        try await host.mount()
        for number in 1...50 {
            host.context?.value = number
            await pictures.wait(for: "value \(number)")
            #expect(board.observedReads == 1)
        }
        #expect(board.readCount == 51)
        await host.unmount()
    }

    @Test("A host that is released while it shows a presentation observes nothing any more")
    func release() async throws {
        var host: PresentationHost<BoardView>? = try await host()
        try await host?.mount()
        #expect(board.observedReads == 1)
        let context = host?.context
        host = nil
        #expect(board.observedReads == 0)
        withExtendedLifetime(context) {}
    }
}
