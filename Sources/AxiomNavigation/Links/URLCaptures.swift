// SPDX-License-Identifier: Apache-2.0

public import Axiom

/// The values that a ``URLPattern`` captures in a URL, decoded, by name.
///
/// ```swift
/// let id = captures["id", as: Int.self]           // nil if it is missing or not a number
/// let id = try captures.require("id", as: Int.self)
/// let section = captures.segments("rest")         // of *rest
/// ```
public struct URLCaptures: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// The values of captures in the host, the path and the query.
    package private(set) var values: [String: String]
    private var lists: [String: [String]]

    /// Collects values, to print a URL.
    ///
    /// - Parameters:
    ///   - values: The values of `:name`, in the host, the path and the query.
    ///   - segments: The segments of `*name`.
    package init(_ values: [String: String], segments: [String: [String]] = [:]) {
        self.values = values
        lists = segments.filter { !$0.value.isEmpty }
    }

    /// Collects values. If a name occurs twice, its last value applies.
    public init(dictionaryLiteral elements: (String, any CustomStringConvertible & Sendable)...) {
        self.init(Dictionary(elements.map { ($0.0, $0.1.description) }) { _, last in last })
    }

    /// The value of `:name`; nil if an optional capture is missing, or the pattern has none of this name.
    public subscript(_ name: String) -> String? {
        values[name]
    }

    /// The value of `:name`; nil if it is missing, or its text is not a `V`.
    public subscript<V: LosslessStringConvertible>(_ name: String, as type: V.Type) -> V? {
        values[name].flatMap(V.init)
    }

    /// The value of `:name`.
    ///
    /// - Throws: ``Axiom/NavigationError`` if it is missing, or its text is not a `V`.
    public func require<V: LosslessStringConvertible>(
        _ name: String,
        as type: V.Type = V.self
    ) throws(NavigationError) -> V {
        if let value = self[name, as: type] { return value }
        throw .invalidCapture(name, String(describing: type), isMissing: values[name] == nil)
    }

    /// The segments of `*name`; empty if there are none.
    public func segments(_ name: String) -> [String] {
        lists[name] ?? []
    }

    mutating func set(_ name: String, _ value: String) { values[name] = value }
    mutating func set(_ name: String, _ segments: ArraySlice<String>) {
        lists[name] = segments.isEmpty ? nil : Array(segments)
    }
}
