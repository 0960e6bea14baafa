// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

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
    public init() {
        self.init(inherited: [:])
    }

    init(inherited: Storage) {
        self.inherited = inherited
    }

    /// All values, those of the level above included.
    var all: Storage {
        written.isEmpty ? inherited : inherited.merging(written) { _, new in new }
    }

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
