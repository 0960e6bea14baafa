// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@testable import Axiom

@Suite("The catalogue of error codes")
struct ErrorCatalogTests {
    /// A code as the registry declares it.
    private struct Declaration {
        let name: String
        let code: String
        let isPublic: Bool
        let comment: String
    }

    private static let registry = Repository.root.appending(path: "Sources/Axiom/Errors")
    private static let page = Repository.root.appending(path: "Documentation/error-codes.md")

    /// Whether codes are declared in a file: `ErrorCode.swift` and the files of its extensions.
    private static func declaresCodes(_ file: URL) -> Bool {
        file.deletingLastPathComponent().path.hasSuffix("Axiom/Errors")
            && file.lastPathComponent.wholeMatch(of: #/ErrorCode(\+\w+)?\.swift/#) != nil
    }

    private func declarations() throws -> [Declaration] {
        let files = try FileManager.default.contentsOfDirectory(at: Self.registry, includingPropertiesForKeys: nil)
        let registry = files.filter(Self.declaresCodes).sorted {
            $0.deletingPathExtension().lastPathComponent < $1.deletingPathExtension().lastPathComponent
        }
        return try registry.flatMap(declarations)
    }

    private func declarations(in file: URL) throws -> [Declaration] {
        var (found, comment): ([Declaration], [Substring]) = ([], [])
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            if let text = line.wholeMatch(of: #/    /// (.*)/#) {
                comment.append(text.1)
            } else if let match = line.wholeMatch(of: #/    (public|package) static let (\w+): ErrorCode = "(\w+)"/#) {
                let (isPublic, words) = (match.1 == "public", comment.joined(separator: " "))
                found.append(
                    Declaration(name: String(match.2), code: String(match.3), isPublic: isPublic, comment: words)
                )
                comment = []
            } else {
                comment = []
            }
        }
        return found
    }

    @Test("Every code that is declared is in the catalogue, once, in its order, and a public one says what it means")
    func complete() throws {
        let declared = try declarations()
        try #require(declared.count > 30)
        #expect(declared.map(\.code) == ErrorCatalog.entries.map(\.code.rawValue))
        #expect(Set(declared.map(\.code)).count == declared.count)
        for (declaration, entry) in zip(declared, ErrorCatalog.entries) {
            let isDocumented = declaration.comment.hasPrefix(entry.meaning)
            #expect(isDocumented || !declaration.isPublic && declaration.comment.isEmpty, "\(declaration.name)")
        }
    }

    @Test("Each code is AXIOM_, a family and three digits that rise within it")
    func wellFormed() throws {
        var last: [Substring: Int] = [:]
        for entry in ErrorCatalog.entries {
            let match = try #require(entry.code.rawValue.wholeMatch(of: /AXIOM_([A-Z]+)_(\d{3})/))
            let number = try #require(Int(match.2))
            #expect(number > last[match.1, default: 0], "\(entry.code.rawValue)")
            last[match.1] = number
        }
    }

    @Test("Each entry says what it means and what to do, in one line of whole sentences (ERR-02)")
    func documented() {
        for entry in ErrorCatalog.entries {
            for text in [entry.meaning, entry.remedy] {
                #expect(text.hasSuffix(".") && text.count > 8, "\(entry.code.rawValue)")
                #expect(!text.contains("\n") && !text.contains("|"), "\(entry.code.rawValue)")
            }
            #expect(ErrorCatalog.entry(for: entry.code) == entry)
        }
    }

    @Test("No module declares a code of the framework outside of the registry")
    func oneRegistry() throws {
        let sources = Repository.root.appending(path: "Sources").resolvingSymlinksInPath()
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        var seen = 0
        for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
            seen += 1
            let declares = try String(contentsOf: file, encoding: .utf8).contains(/ErrorCode = "AXIOM_/)
            #expect(!declares || Self.declaresCodes(file), "\(file.lastPathComponent)")
        }
        try #require(seen > 0)
    }

    @Test("The page of all codes matches the catalogue, with a heading for each; Scripts/error-codes generates it")
    func pageIsCurrent() throws {
        let page = Self.pageOfAllCodes()
        if ProcessInfo.processInfo.environment["AXIOM_WRITE_ERROR_CODES"] != nil {
            try page.write(to: Self.page, atomically: true, encoding: .utf8)
        }
        let written = try String(contentsOf: Self.page, encoding: .utf8)
        #expect(written == page, "Run Scripts/error-codes and look at what changed.")
        for entry in ErrorCatalog.entries { #expect(page.contains("\n### \(entry.code.rawValue)\n")) }
    }

    private struct Failure: AxiomError {
        let code: ErrorCode
        let message = "It failed."
        let recoverySuggestion = "Try again."
    }

    @Test("The help anchor of an error is its code, if the framework explains that code; nil for others")
    func helpAnchors() {
        for entry in ErrorCatalog.entries {
            #expect(Failure(code: entry.code).helpAnchor == entry.code.rawValue)
            #expect((Failure(code: entry.code) as any LocalizedError).helpAnchor == entry.code.rawValue)
        }
        #expect(Failure(code: "TEST_NONE_001").helpAnchor == nil)
    }

    private static func pageOfAllCodes() -> String {
        var text = """
            # Error codes

            Every error of the framework has one of these codes. The meaning of a code never changes. Logs, metrics and the dashboard
            show it, and the dashboard shows its meaning and remedy too. Each exporter with a dashboard serves these explanations at
            `/codes`, as `/codes#AXIOM_STATE_003`, and the dashboard links to them. In code the anchor is `error.helpAnchor`.
            `Scripts/error-codes` generates this page.

            """
        var family: Substring = ""
        for entry in ErrorCatalog.entries {
            let code = entry.code.rawValue
            let own = code.dropFirst("AXIOM_".count).prefix { $0 != "_" }
            if own != family { text += "\n## \(own)\n" }
            family = own
            text += """

                ### \(code)

                \(entry.meaning)

                \(entry.remedy)

                Severity `\(entry.severity.rawValue)`, suggested action `\(entry.suggestedAction.rawValue)`.

                """
        }
        return text
    }
}

@Suite("Families of errors")
struct ErrorFamilyTests {
    static let client = ComponentDescriptor(kind: .client, name: "CartClient")
    static let errors: [any AxiomError] = [
        CapabilityError.initializationFailed("Network", cause: SampleError("x")),
        CapabilityError.unavailable("Network", because: "it is gone"),
        CapabilityError.timedOut("Network", after: .seconds(1)),
        CapabilityError.degraded("Network", .minimal, required: .limited, because: "the link is slow"),
        CapabilityError.monitoringEnded(client, "LinkSource", cause: SampleError("x")),
        CapabilityError.invalidParameter("period", "0.0 seconds", range: "0.1 seconds to 86400.0 seconds"),
        CapabilityError.sourceUnavailable(because: "/proc/pressure/memory: No such file or directory"),
        CapabilityError.sourceStopped(because: "3 readings failed"),
        StateError.subscriberStalled(TallyState.self, pending: 1_000),
        StateError.concurrentIteration(TallyState.self),
        StateError.reentrantUpdate(TallyState.self),
        StateError.inconsistent(TallyState.self, "the value is negative"),
        StateError.stale(TallyState.self, .initial, .initial.next(.latest)),
        StateError.criticalStatesLost(TallyState.self, 3),
        CompositionError(.referenceInState, "TallyState contains a reference.", "Store values only."),
        ClientError.notStarted(client, asker: client, cause: SampleError("x")),
        ClientError.storeOutsideScope(client, "TallyState"),
        ClientError.queueFull(client, action: "add", limit: 3),
        ClientError.answerSkipped(client, by: "a middleware"),
        RequestError.full(client, RequestLimits(), waited: true), RequestError.closed(client, RequestLimits()),
        RequestError.tooLate(client, after: .seconds(1)),
        ContextError.gone(client), ContextError.disappeared(client),
        NavigationError.unknownRoute("/nowhere"), NavigationError.fallbackFailed(cause: SampleError("x")),
        NetworkError.noConnection(to: "shop"), NetworkError.timeout("GET /cart", after: .seconds(2)),
        NetworkError.server("GET /cart", status: 503), NetworkError.invalidResponse("GET /cart", "it is no JSON"),
        ValidationError.missing("name"), ValidationError.invalidFormat("mail", expected: "name@host"),
        ValidationError.outOfRange("age", 18...120), ValidationError.actionRefused("the amount is negative"),
        AuthorizationError.notSignedIn("paying"), AuthorizationError.forbidden("paying"),
        AuthorizationError.sessionExpired(), AuthorizationError.permissionDenied(.camera, .denied, to: "Camera"),
        AuthorizationError.permissionNotRequested(.camera, by: "Camera"),
        CircuitError.open("network", for: .seconds(3)), CircuitError.forcedOpen("network"),
        CircuitError.probing("network"),
        LifecycleError.limitExpired(TurnSubject(.deactivate, of: client), "deactivation", .seconds(5)),
        LifecycleError.waitsForItself(client, path: "A → B → A"),
        ConfigurationError.invalid([
            ConfigurationError.Problem(key: "port", value: "0", source: "the file", expected: "a number from 1 to 9")
        ]),
        ConfigurationError.unreadable("the file", cause: SampleError("x")),
        ConfigurationError.refused("port", because: "it is in use"),
    ]

    @Test("Every error that can be made has a code of the catalogue, and its severity and suggested action")
    func matchCatalogue() throws {
        for error in Self.errors {
            let entry = try #require(ErrorCatalog.entry(for: error.code))
            #expect(error.severity == entry.severity, "\(error)")
            #expect(error.suggestedAction == entry.suggestedAction, "\(error)")
            #expect(!error.message.isEmpty && !error.recoverySuggestion.isEmpty, "\(error)")
        }
    }

    @Test("Every code of these families is made by one of them")
    func allCodesAreMade() {
        let made = Set(Self.errors.map(\.code))
        let composed = (ErrorCatalog.composition + ErrorCatalog.telemetry + ErrorCatalog.profilers).map(\.code)
        // AxiomNavigation makes the errors after the first two of these families, and AxiomStorage those of the others.
        // They have tests of their own for them, as AxiomProfiler does.
        let navigation = ErrorCatalog.navigation.dropFirst(2) + ErrorCatalog.lifecycle.dropFirst(2)
        let storage = ErrorCatalog.storages + ErrorCatalog.persistentStates + ErrorCatalog.caches + ErrorCatalog.pools
        let work = ErrorCatalog.backgroundTasks + ErrorCatalog.offlineWork
        let elsewhere = composed + (navigation + storage + work).map(\.code)
        #expect(Set(ErrorCatalog.entries.map(\.code)).subtracting(elsewhere) == made)
    }

    @Test("A server's fault may pass, a wrong request does not", arguments: 400..<600)
    func serverStatus(status: Int) {
        let error = NetworkError.server("GET /", status: status)
        #expect(error.isRecoverable == (status >= 500 || [408, 429].contains(status)))
        #expect((error.suggestedAction == .retry) == error.isRecoverable)
    }

    @Test("An application's error needs a code, a message and a suggestion; the rest has defaults (ERR-01)")
    func defaults() {
        struct OutOfPaper: AxiomError {
            var code: ErrorCode { "SHOP_PRINTER_001" }
            var message: String { "The printer is out of paper." }
            var recoverySuggestion: String { "Put some in." }
        }
        let error = OutOfPaper()
        #expect(error.severity == .nonCritical && error.isRecoverable && error.suggestedAction == .dismiss)
        #expect(error.origin == nil && error.cause == nil)
        #if DEBUG
        #expect(error.debugInformation == "OutOfPaper SHOP_PRINTER_001")
        let outer = CapabilityError.unavailable("Printer", because: "of paper", cause: error)
        #expect(outer.debugInformation.hasSuffix("in the capability Printer, caused by OutOfPaper SHOP_PRINTER_001"))
        #endif
    }
}
