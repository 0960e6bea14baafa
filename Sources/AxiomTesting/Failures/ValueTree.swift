// SPDX-License-Identifier: Apache-2.0

/// A value as text with structure, for comparisons that people read. Made by reflection; the value needs no conformance.
indirect enum ValueTree: Hashable, Sendable {
    /// A value without parts, as source text.
    case leaf(String)
    /// A struct, a tuple, or an enum case: its name, and its parts with their labels.
    case parts(String, [Part])
    /// An ordered collection.
    case list([ValueTree])
    /// A set or a dictionary: its entries in the order of their keys' texts. The values of a set are nil.
    case entries([Entry])

    struct Part: Hashable, Sendable {
        let label: String?
        let value: ValueTree
    }

    struct Entry: Hashable, Sendable {
        let key: ValueTree
        let value: ValueTree?
    }

    /// Deeper values are leaves, so that the tree of an object that contains itself ends.
    private static let depthLimit = 24

    init(_ value: Any) { self.init(value, depth: 0) }

    private init(_ value: Any, depth: Int) {
        let mirror = Mirror(reflecting: value)
        guard depth < Self.depthLimit, !Self.isLeaf(value, mirror) else {
            self = .leaf(Self.text(of: value, mirror))
            return
        }
        let parts = mirror.children.map {
            Part(label: $0.label.flatMap(Self.label), value: ValueTree($0.value, depth: depth + 1))
        }
        switch mirror.displayStyle {
        case .optional: self = parts.first?.value ?? .leaf("nil")
        case .collection: self = .list(parts.map(\.value))
        case .set:
            self = .entries(parts.map { Entry(key: $0.value, value: nil) }.sorted { $0.key.line < $1.key.line })
        case .dictionary: self = .entries(Self.entries(of: parts))
        case .enum: self = .parts(".\(mirror.children.first?.label ?? "")", Self.payload(of: parts))
        case .tuple: self = .parts("", parts)
        default: self = .parts("\(mirror.subjectType)", parts)
        }
    }

    /// Whether the value is shown by its own text: it has no parts, or it is a type of the system such as a date.
    private static func isLeaf(_ value: Any, _ mirror: Mirror) -> Bool {
        switch mirror.displayStyle {
        case .collection, .set, .dictionary, .optional, .tuple: return false
        case .class, .foreignReference: return true
        case .struct, .enum, .none: break
        @unknown default: return true
        }
        if mirror.children.isEmpty { return mirror.displayStyle != .struct || value is any CustomStringConvertible }
        guard value is any CustomStringConvertible else { return false }
        let module = String(reflecting: type(of: value)).prefix { $0 != "." }
        return module == "Swift" || module.hasPrefix("Foundation")
    }

    private static func text(of value: Any, _ mirror: Mirror) -> String {
        switch value {
        case let text as String: return String(reflecting: text)
        case let text as Substring: return String(reflecting: text)
        case let character as Character: return String(reflecting: character)
        default: break
        }
        switch mirror.displayStyle {
        case .enum: return ".\(value)"
        case .class, .foreignReference: return "\(type(of: value))"
        default: return "\(value)"
        }
    }

    /// The label of a part; nil for the position in a tuple.
    private static func label(_ label: String) -> String? {
        label.hasPrefix(".") ? nil : label
    }

    /// The payload of an enum case, whose several values are a tuple.
    private static func payload(of parts: [Part]) -> [Part] {
        guard let payload = parts.first?.value else { return [] }
        if case .parts("", let values) = payload { return values }
        return [Part(label: nil, value: payload)]
    }

    private static func entries(of pairs: [Part]) -> [Entry] {
        pairs.compactMap { pair in
            guard case .parts(_, let parts) = pair.value, parts.count == 2 else { return nil }
            return Entry(key: parts[0].value, value: parts[1].value)
        }
        .sorted { $0.key.line < $1.key.line }
    }
}

extension ValueTree {
    /// The value in one line.
    var line: String {
        switch self {
        case .leaf(let text): text
        case .parts(let name, let parts):
            name + "(" + parts.map { ($0.label.map { "\($0): " } ?? "") + $0.value.line }.joined(separator: ", ") + ")"
        case .list(let elements): "[" + elements.map(\.line).joined(separator: ", ") + "]"
        case .entries(let entries): "[" + entries.map(\.line).joined(separator: ", ") + "]"
        }
    }

    /// The text of the part that identifies an element of a collection; nil without a part named `id`.
    var identity: String? {
        guard case .parts(_, let parts) = self else { return nil }
        return parts.first { $0.label == "id" }?.value.line
    }
}

extension ValueTree.Entry {
    var line: String { key.line + (value.map { ": \($0.line)" } ?? "") }
}
