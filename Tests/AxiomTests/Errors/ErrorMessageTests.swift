// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import AxiomTestSupport
import Foundation
import Testing

@testable import Axiom

@Suite("Messages of errors")
struct ErrorMessageTests {
    private static let missing = CompositionError(
        .notRegistered,
        "The client A requires the capability B, which is not registered.",
        "Register it before start(): orchestrator.register(…) { … }."
    )

    /// What an application may throw: a message, a text with a full stop, a type without any text.
    private static let causes: [any Error] =
        ErrorFamilyTests.errors + [
            missing, SampleError("the disk is full."), SampleError("wait ..."), CancellationError(), Unlabelled.offline,
            Translated(), CapabilityError.unavailable("Disk", because: "it failed.", cause: missing),
        ]

    /// Every message that embeds another error or a text of the application.
    private static func embedding(_ cause: any Error) -> [any AxiomError] {
        let (client, text) = (ErrorFamilyTests.client, String(clause: cause) + ".")
        return [
            CapabilityError.initializationFailed("Network", cause: cause),
            CapabilityError.unavailable("Network", because: text),
            ClientError.notStarted(client, asker: client, cause: cause), NavigationError.fallbackFailed(cause: cause),
            NetworkError.invalidResponse("GET /", text), StateError.inconsistent(TallyState.self, text),
        ]
    }

    private enum Unlabelled: Error {
        case offline
    }

    private struct Translated: LocalizedError {
        let errorDescription: String? = "Die Platte ist voll."
    }

    @Test("A message ends in one full stop, whatever error it embeds, and shows no braces, dumps or remedies of it")
    func oneFullStop() {
        for error in ErrorFamilyTests.errors + Self.causes.flatMap(Self.embedding) {
            let message = error.message
            #expect(message.hasSuffix("."), "\(message)")
            #expect(!message.contains(".."), "\(message)")
            #expect(!message.contains("}") && !message.contains("Error("), "\(message)")
            #expect(!message.contains("Optional(") && !message.contains("Register it"), "\(message)")
            #expect(!error.description.contains(".."), "\(error.description)")
        }
    }

    @Test("A message that embeds an error says what that error says")
    func embeds() {
        let error = ClientError.notStarted(ErrorFamilyTests.client, asker: ErrorFamilyTests.client, cause: Self.missing)
        #expect(error.message.hasSuffix("could not be started: \(Self.missing.message)"))
        #expect(
            CapabilityError.initializationFailed("X", cause: Translated()).message.hasSuffix(": Die Platte ist voll.")
        )
        #expect(CapabilityError.initializationFailed("X", cause: Unlabelled.offline).message.hasSuffix(": offline."))
        #expect(CapabilityError.initializationFailed("X", cause: CancellationError()).message.contains("was cancelled"))
    }

    @Test("localizedDescription is the message, also of the resilience library's errors")
    func localized() throws {
        let others: [any MessageError] = [
            Self.missing, TimeoutError(policy: "mail", limit: .seconds(2)), ComponentGraph.Cycle(path: []),
            try #require(throws: ResilienceError.self) { try CircuitBreaker(name: "") },
        ]
        for error in ErrorFamilyTests.errors.map({ $0 as any MessageError }) + others {
            #expect((error as any Error).localizedDescription == error.message)
            #expect(!error.message.isEmpty)
        }
        let foundation: any LocalizedError = Self.missing
        #expect(foundation.recoverySuggestion == "Register it before start(): orchestrator.register(…) { … }.")
    }

    @Test("Every public error type of every module states its message")
    func allTypes() throws {
        let sources = Repository.root.appending(path: "Sources").resolvingSymlinksInPath()
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        let declaration = #/^ *public (?:struct|enum|final class|class|actor) (\w*)[^:{]*: ([^{]*)\{/#
            .anchorsMatchLineEndings()
        var found: Set<String> = []
        for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
            for match in try String(contentsOf: file, encoding: .utf8).matches(of: declaration) {
                let protocols = match.2.split { !$0.isLetter }.map(String.init)
                guard protocols.contains(where: { $0.hasSuffix("Error") || $0 == "ErrorFamily" }) else { continue }
                let states = protocols.contains { ["MessageError", "AxiomError", "ErrorFamily"].contains($0) }
                #expect(states, "\(match.1) in \(file.lastPathComponent) does not conform to MessageError")
                found.insert(String(match.1))
            }
        }
        let modules: Set = [
            "CapabilityError", "CircuitOpenError", "HTTPServerError", "MetricsError",
            "ProfileError", "ResilienceError", "TelemetryError", "TimeoutError", "BulkheadFullError",
        ]
        #expect(modules.subtracting(found).isEmpty, "not found in the sources: \(modules.subtracting(found))")
    }
}
