// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase
internal import Configuration

/// The configuration of an application: reads the settings of capabilities and the feature flags from its sources,
/// checks them, and puts them into force, at the start and whenever a file changes.
///
/// ```swift
/// let configuration = AppConfiguration(orchestrator, [.arguments(), .environment(), .file("shop.json")])
/// configuration.bind(HTTPNetwork.self)
/// try await configuration.load()
/// try await orchestrator.start()
/// async let watching: Void = configuration.run()
/// ```
/// The first source that has a setting decides. A configuration is used as a whole or not at all: if a file is broken
/// or a setting is invalid, everything stays as it is, and the error ends at the orchestrator's boundary.
@MainActor
public final class AppConfiguration {
    private let orchestrator: Orchestrator
    private let sources: [ConfigurationSource]
    private let clock: TimeSource
    private let signals: ConfigurationSignals
    /// Each reads the settings of one capability.
    private var bindings: [(SettingsReader) -> SettingsChange] = []
    /// The fingerprints with which the files were last read, whether or not they were applied. Empty if a shutdown cut
    /// the last reload.
    private var fingerprints: [String: ConfigurationFile.Fingerprint] = [:]

    /// Each waits for the one before, so that the latest files are applied last.
    private var lastReload: Task<ReloadOutcome, Never>?

    /// How many configurations have been applied.
    public private(set) var generation = 0
    /// The settings in force that have been read, with their sources.
    public private(set) var settings: [SettingReport] = []

    /// Creates a configuration that has not been read yet.
    ///
    /// - Parameters:
    ///   - orchestrator: Its capabilities are configured, and it settles the errors.
    ///   - sources: The sources, the most important first.
    ///   - clock: The time source of ``run(every:)``; by default that of the orchestrator.
    public init(_ orchestrator: Orchestrator, _ sources: [ConfigurationSource], clock: TimeSource? = nil) {
        self.orchestrator = orchestrator
        self.sources = sources
        self.clock = clock ?? orchestrator.clock
        signals = ConfigurationSignals(orchestrator)
    }

    /// Adds a capability, which ``load()`` and each change of a file configure. Call it before ``load()``.
    public func bind<C: Configurable>(_ type: C.Type) where C.Settings: ReadableSettings {
        bindings.append { reader in
            let settings = C.Settings(from: reader)
            return { try await $0.configure(C.self, settings) }
        }
    }

    /// Reads all sources, and puts the settings into force. Call it before the orchestrator starts, so that
    /// capabilities are configured before they are initialised.
    ///
    /// - Throws: ``ConfigurationError`` if a file cannot be read, or one that names every missing and every invalid
    ///   setting, and then nothing is in force; any error of ``Orchestrator/configure(_:_:)``.
    public func load() async throws {
        let (snapshot, now) = try await SourceSnapshot.read(sources)
        fingerprints = now
        let (changes, reports) = try check(snapshot)
        for change in changes { try await change(orchestrator) }
        apply(snapshot, reports)
    }

    /// Reads the sources again if a file has changed, and puts the settings into force. Capabilities are configured in
    /// place, and only those whose settings differ. Does not throw: each error ends at the orchestrator's boundary,
    /// once for each change of a file. While the application starts or stops, nothing is read.
    @discardableResult
    public func reload() async -> ReloadOutcome {
        let previous = lastReload
        let task = Task {
            _ = await previous?.value
            return await reloadInTurn()
        }
        lastReload = task
        return await task.value
    }

    private func reloadInTurn() async -> ReloadOutcome {
        guard orchestrator.acceptsSettings else { return .unchanged }
        let files = self.files
        let now = await Task.detached { SourceSnapshot.fingerprints(of: files) }.value
        guard now != fingerprints else { return .unchanged }
        fingerprints = now
        let outcome = await readAgain()
        signals.count(outcome)
        return outcome
    }

    /// Calls ``reload()`` again and again, until the task is cancelled.
    ///
    /// - Parameter interval: The time between two checks of the files.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func run(every interval: Duration = .seconds(5)) async throws {
        while true {
            try await clock.sleep(until: clock.now.advanced(by: max(interval, .milliseconds(1))))
            await reload()
        }
    }

    private func readAgain() async -> ReloadOutcome {
        do {
            let (snapshot, now) = try await SourceSnapshot.read(sources)
            fingerprints = now
            let (changes, reports) = try check(snapshot)
            var isRefused = false
            for change in changes {
                do {
                    try await change(orchestrator)
                } catch {
                    isRefused = true
                    guard let error = error as? CompositionError else { continue }
                    // The application has begun to stop. The next reload reads the files again.
                    if error.code == .wrongPhase { fingerprints = [:] }
                    // The orchestrator has settled all other errors.
                    await orchestrator.report(error)
                }
            }
            apply(snapshot, reports)
            return isRefused ? .refused : .applied
        } catch {
            await orchestrator.report(error)
            return (error as? ConfigurationError)?.code == .invalidSettings ? .invalid : .unreadable
        }
    }

    private func apply(_ snapshot: SourceSnapshot, _ reports: [SettingReport]) {
        settings = reports
        generation += 1
        orchestrator.flags.use(snapshot.entries.map { ConfiguredFlags($0) })
        signals.show(generation: generation)
    }

    /// Reads the settings of all capabilities.
    ///
    /// - Throws: ``ConfigurationError`` that names everything that is missing or invalid.
    private func check(_ snapshot: SourceSnapshot) throws -> ([SettingsChange], [SettingReport]) {
        let reader = SettingsReader(snapshot)
        let changes = bindings.map { $0(reader) }
        guard reader.problems.isEmpty else { throw ConfigurationError.invalid(reader.problems) }
        return (changes, reader.reports)
    }

    // MARK: - Reading

    private var files: [ConfigurationFile] { sources.compactMap(\.file) }
}

extension SourceSnapshot {
    typealias Fingerprints = [String: ConfigurationFile.Fingerprint]

    static func fingerprints(of files: [ConfigurationFile]) -> Fingerprints {
        Dictionary(files.map { ($0.path, ConfigurationFile.Fingerprint($0.path)) }) { first, _ in first }
    }

    /// Reads all sources. Files are read on another thread.
    ///
    /// - Throws: ``ConfigurationError`` for the first file that cannot be read.
    static func read(_ sources: [ConfigurationSource]) async throws -> (snapshot: SourceSnapshot, Fingerprints) {
        let files = sources.compactMap(\.file)
        return try await Task.detached {
            for _ in 0..<3 {
                let now = fingerprints(of: files)
                let entries = Result { try sources.map { try $0.entry($0.file.flatMap { now[$0.path] }) } }
                // A file that changed while it was read is read again.
                if now == fingerprints(of: files) { return (SourceSnapshot(entries: try entries.get()), now) }
            }
            throw ConfigurationError.unreadable("the files", cause: FileError("they change all the time"))
        }
        .value
    }
}

/// Puts the settings of one capability into force.
typealias SettingsChange = @MainActor @Sendable (Orchestrator) async throws -> Void

/// The feature flags in one source of a configuration: the settings below `flags`, as in
/// `{"flags": {"express-checkout": "20%"}}`, `FLAGS_EXPRESS_CHECKOUT=20%` or `--flags-express-checkout 20%`.
struct ConfiguredFlags: FlagSource {
    static let section = "flags"

    private let entry: SourceSnapshot.Entry

    init(_ entry: SourceSnapshot.Entry) {
        self.entry = entry
    }

    var name: String { entry.name }

    func rule(for flag: String) -> FlagRule? {
        entry.text(AbsoluteConfigKey(entry.prefix + [Self.section, flag])).map { FlagRule($0) }
    }
}

/// The result of reading a configuration again.
public enum ReloadOutcome: String, Sendable, Hashable, CaseIterable {
    /// No file has changed.
    case unchanged
    /// The new settings are in force.
    case applied
    /// The new settings are in force, except for those of a capability that refused them.
    case refused
    /// Some settings are missing or invalid, and none of them was applied.
    case invalid
    /// A file could not be read, and nothing was applied.
    case unreadable
}

/// The signals of one configuration.
struct ConfigurationSignals: Sendable {
    static let reloads = SignalFamily(
        "axiom_configuration_reloads_total",
        .counter,
        help: "How often a changed configuration was read again, by the outcome.",
        labels: ["outcome"]
    )
    static let generation = SignalFamily(
        "axiom_configuration_generation",
        .gauge,
        help: "How many configurations have been applied since the start of the process."
    )

    private let outcomes: [ReloadOutcome: any Signal]
    private let applied: (any Signal)?

    @MainActor
    init(_ orchestrator: Orchestrator) {
        outcomes = ReloadOutcome.allCases.reduce(into: [:]) { signals, outcome in
            guard outcome != .unchanged else { return }
            signals[outcome] = orchestrator.signal(Self.reloads, [outcome.rawValue])
        }
        applied = orchestrator.signal(Self.generation)
    }

    func count(_ outcome: ReloadOutcome) { outcomes[outcome]?.add(1) }
    func show(generation: Int) { applied?.set(Double(generation)) }
}
