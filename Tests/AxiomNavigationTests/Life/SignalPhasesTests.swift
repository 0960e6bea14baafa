// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomNavigation
import AxiomTestSupport
import Foundation
import Testing

// Serialized: the signals belong to the whole process.
@Suite("Signals as phases", .serialized)
struct SignalPhasesTests {
    private func isHandled(_ number: CInt) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        return action.__sigaction_handler.sa_handler != nil
    }

    @Test("Each signal is a phase, and afterwards has its former effect (APP-06)", .timeLimit(.minutes(10)))
    func phases() async {
        let before = [SIGTERM, SIGTSTP, SIGINT].map(isHandled)
        do {
            var signals = SignalPhases(suspension: true).makeAsyncIterator()
            #expect([SIGTERM, SIGTSTP, SIGINT, SIGCONT].allSatisfy(isHandled))
            kill(getpid(), SIGTSTP)
            #expect(await signals.next() == .background)
            kill(getpid(), SIGCONT)
            #expect(await signals.next() == .active)
            kill(getpid(), SIGINT)
            #expect(await signals.next() == .terminating)
            kill(getpid(), SIGTERM)
            #expect(await signals.next() == .terminating)
        }
        #expect([SIGTERM, SIGTSTP, SIGINT].map(isHandled) == before)
    }

    @Test(
        "Two receivers get each signal, and the first that ends changes nothing for the other (APP-06)",
        .timeLimit(.minutes(10))
    )
    func twoReceivers() async {
        var second = SignalPhases().makeAsyncIterator()
        do {
            var first = SignalPhases().makeAsyncIterator()
            kill(getpid(), SIGTERM)
            #expect(await first.next() == .terminating)
            #expect(await second.next() == .terminating)
        }
        kill(getpid(), SIGTERM)
        #expect(await second.next() == .terminating)
    }

    @Test("SIGTERM ends an application through the background (APP-06)", .timeLimit(.minutes(10)))
    @MainActor
    func termination() async throws {
        let app = EditorApp()
        try await app.orchestrator.start()
        let archive = MemoryArchive()
        let lifecycle = try AppLifecycle(app.orchestrator, archive: archive) { try await app.show(app.script()) }
        await lifecycle.move(to: .active)
        let signals = SignalPhases()
        var guardian = signals.makeAsyncIterator()
        let follow = Task { await lifecycle.follow(signals) }
        // The second receiver keeps the signal from ending the process if it comes before the first one waits. It takes each signal
        // before the next is sent: one that is pending when the last receiver is gone would end the process.
        while lifecycle.phase != .terminating {
            kill(getpid(), SIGTERM)
            #expect(await guardian.next() == .terminating)
        }
        await follow.value
        withExtendedLifetime(guardian) {}
        #expect(app.log.entries == ["background"] && !app.orchestrator.isRunning)
        #expect(await archive.saves == 1)
    }
}

@Suite("The documentation of the application's life")
struct LifeDocumentationTests {
    @Test("The example of the documentation is the one that is compiled here")
    func example() throws {
        let text = { (path: String) in
            try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
        }
        let page = try text("Documentation/application-life.md").split(separator: "```swift\n")
        let example = try #require(page.dropFirst().first?.split(separator: "```").first)
        #expect(try text("Tests/AxiomNavigationTests/Life/LifeDocumentationExample.swift").hasSuffix(example))
    }
}
