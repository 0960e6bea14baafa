// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomNavigation
import Foundation
import Observation

/// What happened, in order, and a way to wait for an entry.
@MainActor
final class LifeLog {
    private(set) var entries: [String] = []
    /// The life that a hook changes.
    var lifecycle: AppLifecycle?
    private var waiters: [(entry: String, continuation: CheckedContinuation<Void, Never>)] = []

    func write(_ entry: String) {
        entries.append(entry)
        for waiter in waiters where waiter.entry == entry { waiter.continuation.resume() }
        waiters.removeAll { $0.entry == entry }
    }

    func wait(for entry: String) async {
        guard !entries.contains(entry) else { return }
        await withCheckedContinuation { waiters.append((entry, $0)) }
    }

    func removeAll() { entries = [] }
    func count(_ entry: String) -> Int { entries.count { $0 == entry } }
}

/// An archive in memory.
actor MemoryArchive: StateArchive {
    struct Full: Error {}

    nonisolated let appVersion = Version(1, 0, 0)
    private(set) var image: AppImage?
    private(set) var loads = 0
    private(set) var saves = 0
    private(set) var confirmations = 0
    var isFull = false

    init(_ image: AppImage? = nil) { self.image = image }

    func fill() { isFull = true }

    func save(_ image: AppImage) throws -> Int {
        guard !isFull else { throw Full() }
        saves += 1
        self.image = image
        return 100
    }

    func load() -> LoadedState {
        loads += 1
        return LoadedState(image: image)
    }

    func launched() { confirmations += 1 }
    func discard() { image = nil }
}

/// A context with a draft, and with hooks of the test.
@MainActor
@Observable
final class EditorContext: RestorableContext {
    struct Image: Codable, Sendable, Hashable {
        var draft: String
        /// Added with version 2.
        var line: Int?
    }

    struct Script: Sendable {
        typealias Hook = @MainActor @Sendable () async throws -> Void

        var name = ""
        var onBackground: Hook = {}
        var onForeground: Hook = {}
        var onRestore: Hook = {}
    }

    typealias Input = Script

    @ObservationIgnored nonisolated let identity: ComponentIdentity
    @ObservationIgnored private let script: Script
    var draft = ""
    var line: Int?
    private(set) var restoredVersion: Int?

    init(_ scope: borrowing ContextScope, _ script: Script) {
        identity = scope.identity
        self.script = script
    }

    static var imageVersion: Int { 2 }
    var imageName: String { script.name }
    var image: Image { Image(draft: draft, line: line) }

    func restore(_ image: Image, version: Int) async throws {
        try await script.onRestore()
        (draft, line, restoredVersion) = (image.draft, image.line, version)
    }

    func onBackground() async throws { try await script.onBackground() }
    func onForeground() async throws { try await script.onForeground() }
}

struct EditorView: Presentation {
    let context: EditorContext
    var body: String { context.draft }
}

/// An application with one or more editors.
@MainActor
final class EditorApp {
    let orchestrator: Orchestrator
    let log = LifeLog()
    private(set) var hosts: [PresentationHost<EditorView>] = []

    /// - Parameter clock: Time stands still by default: on a busy machine a step of a phase takes longer than its grace.
    init(clock: TimeSource = .manual(ManualTime()), instrumentation: any Instrumentation = Instrumentations()) {
        orchestrator = Orchestrator(instrumentation: instrumentation, clock: clock, limits: .endless)
        orchestrator.register(EditorContext.self) { EditorContext($0, $1) }
    }

    func show(_ script: EditorContext.Script = EditorContext.Script()) async throws {
        let host = PresentationHost(EditorView.self, orchestrator) { _ in }
        hosts.append(host)
        try await host.mount(script)
    }

    /// A script that writes what the context hears.
    func script(_ name: String = "") -> EditorContext.Script {
        var script = EditorContext.Script(name: name)
        script.onBackground = { [log] in log.write("background") }
        script.onForeground = { [log] in log.write("foreground") }
        script.onRestore = { [log] in log.write("restore \(name)") }
        return script
    }

    var editor: EditorContext? { hosts.last?.context }
}

/// A flow of texts.
@MainActor
final class TextFlow: RestorableFlow {
    let restorationName: String
    var stack: [String] = ["home"]
    var failure: (any Error)?

    init(_ name: String) { restorationName = name }

    func encodedStack() throws -> [Data] {
        if let failure { throw failure }
        return try RouteStack.encode(stack)
    }

    func restoreStack(_ entries: [Data]) async throws {
        let (routes, error): ([String], (any Error)?) = RouteStack.decode(entries, from: restorationName)
        if !routes.isEmpty { stack = routes }
        if let error { throw error }
    }
}

/// The values of signals, by name and labels.
final class LifeSignalJournal: Instrumentation {
    private struct Recorder: Signal {
        let key: String
        let journal: LifeSignalJournal

        func add(_ amount: Int) { journal.write(key, Double(amount)) }
        func set(_ value: Double) { journal.write(key, value) }
        func observe(nanoseconds: Int64) { journal.write(key, Double(nanoseconds)) }
    }

    private let values = Lock<[String: [Double]]>([:])

    func signal(_ family: SignalFamily, _ labels: [String]) -> (any Signal)? {
        Recorder(key: ([family.name] + labels).joined(separator: " "), journal: self)
    }

    private func write(_ key: String, _ value: Double) {
        values.withLock { $0[key, default: []].append(value) }
    }

    subscript(key: String) -> [Double] { values.withLock { $0[key] ?? [] } }
}
