// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Observation
import Testing

@testable import Axiom

private enum Theme: String, AppValues.Key {
    case light, dark
    static let fallback = Theme.light
}

private enum FontSize: AppValues.Key {
    static let fallback = 12
}

private enum Greeter: AppValues.Key {
    static let fallback: @Sendable () -> String = { "hello" }
}

extension FeatureFlag where Value == Bool {
    fileprivate static let grid = FeatureFlag("grid", fallback: false)
}

/// Reads what a test asks for, and makes a child with values of its own.
@Observable
private final class Page: Context {
    struct Input: Sendable {
        var depth = 0
        var change: @MainActor @Sendable (inout AppValues, Int) -> Void = { _, _ in }
    }

    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored private(set) var child: Page?

    init(_ scope: borrowing ContextScope, _ input: Input) throws {
        identity = scope.identity
        guard input.depth > 0 else { return }
        var next = input
        next.depth -= 1
        child = try scope.context(Page.self, next) { input.change(&$0, input.depth) }
    }
}

/// Makes a child that takes no input, in dark.
@Observable
private final class Frame: Context {
    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored let child: PlainContext

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        child = try scope.context(PlainContext.self) { $0[Theme.self] = .dark }
    }
}

private struct ThemePage: Presentation {
    let context: Page
    var body: String { "theme \(context.values[Theme.self])" }
}

private struct SizePage: Presentation {
    let context: Page
    var body: String { "size \(context.values[FontSize.self])" }
}

private struct FlagPage: Presentation {
    let context: Page
    var body: String { "grid \(context.isEnabled(.grid))" }
}

private struct PlainPage: Presentation {
    let context: Page
    var body: String { "plain" }
}

@MainActor
@Suite("Values of an application", .timeLimit(.minutes(10)))
struct AppValuesTests {
    private let orchestrator = Orchestrator(limits: .endless)
    private let pictures = Journal<String>()

    private func start() async throws -> Orchestrator {
        orchestrator.register(Page.self, recursive: true) { try Page($0, $1) }
        try await orchestrator.start()
        return orchestrator
    }

    private func show<P: Presentation>(_ type: P.Type) async throws -> PresentationHost<P>
    where P.ContextType == Page, P.Output == String {
        let host = PresentationHost(type, orchestrator) { [pictures] in pictures.write($0) }
        try await host.mount(Page.Input())
        return host
    }

    @Test("A context sees the orchestrator's value, or the fallback of the key (ENV-01)")
    func fallback() async throws {
        let page = try await start().makeContext(Page.self, Page.Input(depth: 2))
        #expect(page.values[Theme.self] == .light && page.values[FontSize.self] == 12)
        orchestrator.values[Theme.self] = .dark
        #expect(page.values[Theme.self] == .dark && page.child?.child?.values[Theme.self] == .dark)
        #expect(orchestrator.values[Theme.self] == .dark && orchestrator.values[FontSize.self] == 12)
        orchestrator.values = AppValues()
        #expect(page.values[Theme.self] == .light)
    }

    @Test("A child that takes no input can have values of its own, too (CTX-14)")
    func childWithoutInput() async throws {
        orchestrator.register(PlainContext.self) { PlainContext($0) }
        orchestrator.register(Frame.self) { try Frame($0) }
        let frame = try await start().makeContext(Frame.self)
        #expect(frame.values[Theme.self] == .light && frame.child.values[Theme.self] == .dark)
        #expect(frame.child.upstreamContext === frame)
    }

    @Test("What a context overrides applies to the contexts below it, and to no other (CTX-14)")
    func hierarchy() async throws {
        let input = Page.Input(depth: 3) { values, depth in
            if depth == 3 { values[Theme.self] = .dark }
            if depth == 2 { values[FontSize.self] += 2 }
        }
        let page = try await start().makeContext(Page.self, input)
        let (second, third) = (try #require(page.child), try #require(page.child?.child))
        #expect(page.values[Theme.self] == .light)
        #expect(second.values[Theme.self] == .dark && second.values[FontSize.self] == 12)
        #expect(third.values[Theme.self] == .dark && third.values[FontSize.self] == 14)
        orchestrator.values[FontSize.self] = 20
        orchestrator.values[Theme.self] = .light
        #expect(second.values[FontSize.self] == 20 && second.values[Theme.self] == .dark)
        #expect(third.values[FontSize.self] == 14)
    }

    @Test("A change renders the presentations that read the value, once, and no other (CTX-14)")
    func observation() async throws {
        _ = try await start()
        let hosts: [any Sendable] = [
            try await show(ThemePage.self), try await show(SizePage.self), try await show(PlainPage.self),
        ]
        #expect(pictures.entries == ["theme light", "size 12", "plain"])
        orchestrator.values[Theme.self] = .dark
        await orchestrator.quiet()
        #expect(Array(pictures.entries.dropFirst(3)) == ["theme dark"])
        orchestrator.values[FontSize.self] = 16
        await orchestrator.quiet()
        #expect(Array(pictures.entries.dropFirst(4)) == ["size 16"])
        orchestrator.values[Theme.self] = .dark
        await orchestrator.quiet()
        #expect(pictures.entries.count == 5)
        _ = hosts
    }

    @Test("A value that cannot be compared is observed too")
    func incomparable() async throws {
        let page = try await start().makeContext(Page.self, Page.Input())
        #expect(page.values[Greeter.self]() == "hello")
        let changes = Lock(0)
        withObservationTracking {
            _ = page.values[Greeter.self]
        } onChange: {
            changes.withLock { $0 += 1 }
        }
        orchestrator.values[Theme.self] = .dark
        #expect(changes.withLock { $0 } == 0)
        orchestrator.values[Greeter.self] = { "welcome" }
        #expect(changes.withLock { $0 } == 1)
        #expect(page.values[Greeter.self]() == "welcome")
    }

    @Test("Contexts without overrides share one scope; one with an override has its own, below 1 KB (ENV-01)")
    func memory() async throws {
        let plain = try await start().makeContext(Page.self, Page.Input(depth: 1))
        let child = try #require(plain.child)
        #expect(plain.runtime.values === orchestrator.contexts.values)
        #expect(child.runtime.values === orchestrator.contexts.values)
        let input = Page.Input(depth: 1) { values, _ in values[Theme.self] = .dark }
        let other = try #require(try orchestrator.makeContext(Page.self, input).child)
        let scope = try #require(other.runtime.values)
        #expect(scope !== orchestrator.contexts.values)
        #expect(Footprint.heapBytes(of: scope) + MemoryLayout<AppValues.ID>.stride * 16 < 1_024)
        #expect(MemoryLayout<AppValues>.size <= 32)
    }

    @Test("A flag is a value: the application and a context override it, and a change renders what reads it (C14)")
    func flags() async throws {
        let host = try await start()
        orchestrator.flags.use([FixedFlags(["grid": "false"])])
        let page = try await show(FlagPage.self)
        orchestrator.flags.use([FixedFlags(["grid": "true", "other": "true"])])
        await orchestrator.quiet()
        orchestrator.flags.use([FixedFlags(["grid": "true"])])
        await orchestrator.quiet()
        #expect(pictures.entries == ["grid false", "grid true"])
        orchestrator.values[.grid] = false
        await orchestrator.quiet()
        #expect(pictures.entries.last == "grid false" && page.context?.values.evaluate(.grid).reason == .override)
        orchestrator.values[.grid] = nil
        await orchestrator.quiet()
        #expect(pictures.entries.last == "grid true")
        let input = Page.Input(depth: 1) { values, _ in values[.grid] = false }
        let child = try #require(try host.makeContext(Page.self, input).child)
        #expect(!child.isEnabled(.grid))
        #expect(child.values.evaluate(.grid) == FlagEvaluation(false, .override, source: "context"))
    }
}
