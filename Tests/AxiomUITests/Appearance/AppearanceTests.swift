// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomUI
import Foundation
import Observation
import Testing

@MainActor
@Observable
private final class PageContext: Context {
    @ObservationIgnored nonisolated let identity: ComponentIdentity
    @ObservationIgnored private(set) var child: PageContext?

    struct Input: Sendable { var isPoster = false, hasChild = false }

    init(_ scope: borrowing ContextScope, _ input: Input) throws {
        identity = scope.identity
        guard input.hasChild else { return }
        child = try scope.context(PageContext.self, Input()) { values in
            if input.isPoster { values[Appearance.self].theme = .light }
        }
    }
}

private struct Page: Presentation {
    let context: PageContext
    var body: String { "\(context.values.appearance.isDark) \(context.child?.values.appearance.isDark ?? false)" }
}

/// Hands out the client.
@Observable
private final class ClientContext: Context {
    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored let client: any Client<Appearance, AppearanceAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(AppearanceClient.self)
    }
}

@MainActor
@Suite("The appearance of an application", .timeLimit(.minutes(10)))
struct AppearanceTests {
    private let orchestrator = Orchestrator(limits: .endless)

    private func start(_ initial: Appearance = .fallback) async throws -> AppearanceContext {
        try orchestrator.registerAppearance(initial)
        orchestrator.register(PageContext.self, recursive: true) { try PageContext($0, $1) }
        try await orchestrator.start()
        return try orchestrator.makeContext(AppearanceContext.self)
    }

    @Test("By default everything is as the system has it, with text of 17 points (THM-01)")
    func defaults() async throws {
        let context = try await start()
        #expect(context.appearance == Appearance())
        #expect(context.appearance.theme == .system && context.appearance.language == nil)
        #expect(context.appearance.accessibility.textSize == 17)
    }

    @Test("Each setting is changed by an action, and all contexts have the value when the action returns (THM-02)")
    func changes() async throws {
        let context = try await start()
        let page = try orchestrator.makeContext(PageContext.self, PageContext.Input())
        let actions: [AppearanceAction] = [
            .setTheme(.dark), .setLanguage("DE-ch"), .setTextSize(21), .setReducesMotion(true),
            .setContrast(.increased),
        ]
        for action in actions { await context.send(action) }
        var expected = Appearance(theme: .dark, language: try LanguageTag("de-CH"))
        expected.accessibility = .init(textSize: 21, reducesMotion: true, contrast: .increased)
        #expect(page.values[Appearance.self] == expected)
        #expect(orchestrator.values[Appearance.self] == expected)
        await context.send(.setLanguage(nil))
        #expect(page.values[Appearance.self].language == nil)
        await context.send(.replace(Appearance(theme: .light)))
        #expect(page.values[Appearance.self] == Appearance(theme: .light))
    }

    @Test("The client has the appearance, from the first one on (THM-02)")
    func client() async throws {
        orchestrator.register(ClientContext.self) { try ClientContext($0) }
        let context = try await start(Appearance(theme: .dark))
        let client = try orchestrator.makeContext(ClientContext.self).client
        #expect(await client.state == Appearance(theme: .dark))
        await context.send(.setTheme(.light))
        #expect(await client.state == Appearance(theme: .light))
    }

    @Test("A mounted settings screen shows each change of the client, also those of other screens (THM-02)")
    func follows() async throws {
        let other = try await start(Appearance(theme: .light))
        struct Settings: Presentation {
            let context: AppearanceContext
            var body: String { context.appearance.theme.rawValue }
        }
        let outputs = Outputs<String>()
        let host = PresentationHost(Settings.self, orchestrator) { outputs.append($0) }
        try await host.mount()
        #expect(outputs.all == ["light"])
        await other.send(.setTheme(.dark))
        await until { outputs.all.last == "dark" }
        await host.unmount()
    }

    @Test("A page that reads the appearance is rendered again when it changes; an override stays (THM-01)")
    func rendering() async throws {
        let context = try await start()
        let outputs = Outputs<String>()
        let host = PresentationHost(Page.self, orchestrator) { outputs.append($0) }
        try await host.mount(PageContext.Input(isPoster: true, hasChild: true))
        #expect(outputs.all == ["false false"])
        await context.send(.setTheme(.dark))
        await until { outputs.all.last == "true false" }
        orchestrator.values[SystemAppearance.self].isDark = true
        await context.send(.setTheme(.light))
        await until { outputs.all.last == "false false" }
        await context.send(.setTheme(.system))
        await until { outputs.all.last == "true false" }
        await host.unmount()
    }

    @Test(
        "A value that is not valid changes nothing, and its error says what is valid (THM-02)",
        arguments: [
            (AppearanceAction.setTextSize(7.9), "The size of text must be between 8.0 and 72.0."),
            (.setTextSize(.nan), "The size of text must be between 8.0 and 72.0."),
            (.setTextSize(.infinity), "The size of text must be between 8.0 and 72.0."),
            (
                .setLanguage("german!"),
                "The language \"german!\" does not have the format of BCP 47, as in en or de-CH."
            ),
            (
                .replace(Appearance(accessibility: .init(textSize: 100))),
                "The size of text must be between 8.0 and 72.0."
            ),
        ]
    )
    func invalid(action: AppearanceAction, message: String) async throws {
        let context = try await start(Appearance(theme: .dark))
        await context.send(action)
        let error = try #require(ErrorPresentation(context.errorBoundary))
        #expect(error.message == message)
        #expect(error.kind == .input)
        #expect(orchestrator.values[Appearance.self] == Appearance(theme: .dark))
        await context.send(.setTheme(.light))
        #expect(ErrorPresentation(context.errorBoundary) == nil)
    }

    @Test("An initial appearance that is not valid is refused before the start (THM-01)")
    func invalidInitial() {
        #expect(throws: ValidationError.self) {
            try orchestrator.registerAppearance(Appearance(accessibility: .init(textSize: 0)))
        }
    }

    @Test("Concurrent changes leave the state of the client and the value of the application equal (THM-02)")
    func concurrent() async throws {
        let context = try await start()
        let changes = (8...72).flatMap { size in
            [AppearanceAction.setTextSize(Double(size)), .setReducesMotion(size.isMultiple(of: 2))]
        }
        let tasks = changes.map { change in Task { await context.send(change) } }
        for task in tasks { await task.value }
        let last = orchestrator.values[Appearance.self]
        await context.send(.setTheme(.dark))
        var expected = last
        expected.theme = .dark
        #expect(orchestrator.values[Appearance.self] == expected)
    }

    @Test("What is stored is read again, and what was damaged is refused (THM-01)")
    func stored() throws {
        let appearance = Appearance(theme: .dark, language: try LanguageTag("zh-hant-tw"))
        let data = try JSONEncoder().encode(appearance)
        #expect(try JSONDecoder().decode(Appearance.self, from: data) == appearance)
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.contains("\"zh-Hant-TW\""))
        let damaged = Data(text.replacing("zh-Hant-TW", with: "-").utf8)
        #expect(throws: (any Error).self) { try JSONDecoder().decode(Appearance.self, from: damaged) }
    }
}
