// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
internal import Synchronization

/// Values that an application passes down its contexts, such as a theme or a locale.
///
/// ```swift
/// enum Theme: String, AppValues.Key { case light, dark; static let fallback = Theme.light }
///
/// orchestrator.values[Theme.self] = .dark
/// ```
/// A context reads them through ``Context/values``. Feature flags are values too; see ``FeatureFlag``.
public struct AppValues: Sendable {
    /// A type that identifies one value.
    public protocol Key {
        /// The type of the value.
        associatedtype Value: Sendable = Self

        /// The value where none is set.
        static var fallback: Value { get }
    }

    /// What identifies a value.
    enum ID: Hashable, Sendable {
        case key(ObjectIdentifier)
        case flag(String)
    }

    typealias Storage = [ID: any Sendable]

    /// The values of the level above.
    private var inherited: Storage
    /// The values that were set here.
    private(set) var written: Storage = [:]
    /// When the request is too late, on the clock of the orchestrator; nil without a limit. An outgoing call passes on
    /// what is left. The request is cancelled then, and so is each call in it.
    public internal(set) var deadline: Instant?

    /// No values: every key has its fallback.
    public init() { self.init(inherited: [:]) }

    init(inherited: Storage) { self.inherited = inherited }

    /// All values, those of the level above included.
    var all: Storage { written.isEmpty ? inherited : inherited.merging(written) { _, new in new } }

    /// The value of a key, or its fallback.
    public subscript<K: Key>(_ key: K.Type) -> K.Value {
        get { self[.key(ObjectIdentifier(key))] as? K.Value ?? K.fallback }
        set { written[.key(ObjectIdentifier(key))] = newValue }
    }

    /// The value of a flag, which takes precedence over all its sources; nil if it is not set.
    public subscript<V>(_ flag: FeatureFlag<V>) -> V? {
        get { self[.flag(flag.name)] as? V }
        set {
            written[.flag(flag.name)] = newValue
            if newValue == nil { inherited[.flag(flag.name)] = nil }
        }
    }

    private subscript(_ id: ID) -> (any Sendable)? { written[id] ?? inherited[id] }
}

/// The values of a context; see ``AppValues``. Reading one in the body of a presentation observes it: the presentation
/// is rendered again when that value changes, and only then.
@MainActor
public struct ContextValues {
    /// Nil for a context that no orchestrator made.
    private let scope: ValueScope?

    init(_ scope: ValueScope?) { self.scope = scope }

    /// The value of a key: that of the nearest context above that overrides it, or that of the orchestrator, or the
    /// fallback.
    public subscript<K: AppValues.Key>(_ key: K.Type) -> K.Value {
        scope?.read(.key(ObjectIdentifier(key))) as? K.Value ?? K.fallback
    }

    /// The value of a flag for `subject`, such as the id of a user; see ``FeatureFlags``.
    ///
    /// All evaluations of one action see the same sources, even if the sources are replaced between them.
    public func evaluate<V>(_ flag: FeatureFlag<V>, for subject: String? = nil) -> FlagEvaluation<V> {
        guard let scope else { return FlagEvaluation(flag.fallback, .default, source: nil) }
        scope.root.observe(.flag(flag.name))
        if let value = scope.overridden(flag.name) as? V {
            return scope.flags.count(FlagEvaluation(value, .override, source: "context"), of: flag)
        }
        return scope.flags.evaluate(flag, for: subject)
    }

    /// The value of a flag for `subject`.
    public subscript<V>(_ flag: FeatureFlag<V>, for subject: String? = nil) -> V {
        evaluate(flag, for: subject).value
    }
}

/// What the tasks of a request inherit besides its span.
final class RequestFacts: InheritedFacts {
    /// A number that no other request or session of this process has.
    let id: UInt64
    let values: AppValues

    private static let lastID = Atomic<UInt64>(0)

    /// - Parameter id: Nil for a new number.
    init(_ values: AppValues, id: UInt64? = nil) {
        self.id = id ?? Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
        self.values = values
    }
}

extension AppValues {
    /// The values of the request in which the calling task runs; no values outside of a request.
    ///
    /// Clients, capabilities and the tasks that they begin see the values of the request that called them, except in
    /// `Task.detached`. Cost: one read of a task-local value.
    public static var current: AppValues {
        (OperationContext.current.request as? RequestFacts)?.values ?? AppValues()
    }

    /// These values without their deadline, and for what they do not set those of `base`.
    func over(_ base: Storage) -> AppValues {
        if all.isEmpty { return AppValues(inherited: base) }
        return AppValues(inherited: base.isEmpty ? all : base.merging(all) { _, own in own })
    }
}
