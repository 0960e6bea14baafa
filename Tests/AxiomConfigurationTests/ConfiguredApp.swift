// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomConfiguration
import AxiomTestSupport
import Foundation

/// A capability with one setting of each kind.
actor Server: Configurable {
    enum Mode: String, SettingValue, CaseIterable { case fast, safe }

    struct Settings: ReadableSettings {
        static let timeout = SettingKey("http.timeout", fallback: 5.0, allowed: 0.1...60)
        static let retries = SettingKey("http.retries", fallback: 3, allowed: 0...10)
        static let token = SettingKey("http.token", fallback: "none", isSecret: true, expected: "at least 4 characters")
        {
            $0.count >= 4
        }
        static let mode = SettingKey("mode", fallback: Mode.safe)
        static let hosts = SettingKey("hosts", fallback: ["localhost"])
        static let isTraced = SettingKey("traced", fallback: false)

        var timeout = 5.0
        var retries = 3
        @Redacted var token = "none"
        var mode = Mode.safe
        var hosts = ["localhost"]
        var isTraced = false

        init() {}

        init(from reader: SettingsReader) {
            timeout = reader[Self.timeout]
            retries = reader[Self.retries]
            token = reader[Self.token]
            mode = reader[Self.mode]
            hosts = reader[Self.hosts]
            isTraced = reader[Self.isTraced]
        }
    }

    nonisolated let identity: ComponentIdentity
    private let journal: AppliedSettings

    init(_ scope: borrowing CapabilityScope, _ journal: AppliedSettings) {
        identity = scope.identity
        self.journal = journal
    }

    func configure(_ settings: Settings) throws {
        if settings.hosts.isEmpty { throw ConfigurationError.refused("hosts", because: "a host is needed") }
        journal.add(settings)
    }
}

/// The settings that a ``Server`` accepted.
final class AppliedSettings: Sendable {
    private let list = Lock<[Server.Settings]>([])
    var all: [Server.Settings] { list.withLock { $0 } }
    func add(_ settings: Server.Settings) { list.withLock { $0.append(settings) } }
}

/// The only setting of a ``Gatekeeper`` and a ``Mixer``.
struct ModeSettings: ReadableSettings, Hashable {
    static let mode = SettingKey("mode", fallback: Server.Mode.safe)
    var mode = Server.Mode.safe

    init() {}
    init(from reader: SettingsReader) { mode = reader[Self.mode] }
}

/// Holds each change of its settings to `safe` until one stream ends, and its own end until another does.
actor Gatekeeper: Configurable {
    nonisolated let identity: ComponentIdentity
    private let reached: AsyncStream<Void>.Continuation
    private let gate: AsyncStream<Void>
    private let exit: AsyncStream<Void>

    init(
        _ scope: borrowing CapabilityScope,
        _ reached: AsyncStream<Void>.Continuation,
        _ gate: AsyncStream<Void>,
        _ exit: AsyncStream<Void>
    ) {
        (identity, self.reached, self.gate, self.exit) = (scope.identity, reached, gate, exit)
    }

    func configure(_ settings: ModeSettings) async throws {
        guard settings.mode == .safe else { return }
        reached.yield()
        for await _ in gate {}
    }

    func terminate() async {
        for await _ in exit {}
    }
}

/// Writes down its settings.
actor Mixer: Configurable {
    nonisolated let identity: ComponentIdentity
    private let journal: AppliedModes

    init(_ scope: borrowing CapabilityScope, _ journal: AppliedModes) {
        (identity, self.journal) = (scope.identity, journal)
    }

    func configure(_ settings: ModeSettings) { journal.add(settings.mode) }
}

/// The modes of a ``Mixer``, in their order.
final class AppliedModes: Sendable {
    private let list = Lock<[Server.Mode]>([])
    var all: [Server.Mode] { list.withLock { $0 } }
    func add(_ mode: Server.Mode) { list.withLock { $0.append(mode) } }
}

/// An application with a ``Server``, and a file in a folder of its own.
@MainActor
final class ConfiguredApp {
    let signals = SignalValues()
    let applied = AppliedSettings()
    let time = ManualTime()
    let orchestrator: Orchestrator
    let folder: URL
    let path: String

    init(file: String = "app.json") throws {
        orchestrator = Orchestrator(instrumentation: signals, clock: .manual(time))
        folder = FileManager.default.temporaryDirectory.appending(path: "axiom-configuration-\(UUID())")
        path = folder.appending(path: file).path
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let applied = applied
        orchestrator.register(Server.self) { Server($0, applied) }
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Replaces the file as editors and deployments do: by a rename.
    func replace(_ text: String) throws {
        let new = folder.appending(path: "new-\(UUID())")
        try Data(text.utf8).write(to: new)
        guard rename(new.path, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    func configuration(_ sources: [ConfigurationSource]? = nil) -> AppConfiguration {
        let configuration = AppConfiguration(orchestrator, sources ?? [.file(path)], clock: .manual(time))
        configuration.bind(Server.self)
        return configuration
    }

    /// Loads the file and starts the application.
    func start(_ text: String) async throws -> AppConfiguration {
        try replace(text)
        let configuration = configuration()
        try await configuration.load()
        try await orchestrator.start()
        return configuration
    }
}
