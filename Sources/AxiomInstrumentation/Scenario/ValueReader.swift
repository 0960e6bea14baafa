// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Foundation

/// Reads values as Swift source, by reflection: literals, collections, optionals, tuples, enums with their payloads, raw
/// values, and structs by their memberwise initializers.
///
/// What cannot be written so is a gap. Classes and closures are gaps, everything that is redacted, and structs that may have
/// no memberwise initializer under the labels of their properties: those with an underscore. Reflection shows neither other
/// initializers nor constants with a value, so the initializer of another struct may be missing too.
package struct ValueReader {
    /// What the source is for.
    package enum Purpose: Sendable {
        /// To be compiled: a gap is an editor placeholder, with which the source does not compile until somebody fills it.
        /// Values are read to this depth, with this many elements of each collection, and to about this many bytes.
        case code
        /// To be compared by people: a gap is shown by its description, or by its parts.
        case comparison
    }

    private static let (depthLimit, elementLimit, byteLimit) = (12, 100, 8_192)
    /// Deeper values of a comparison are leaves, so that the tree of an object that contains itself ends.
    private static let comparisonDepth = 24

    private let purpose: Purpose
    /// What the gaps of code stand for, in their order.
    private(set) var gaps: [String] = []
    private var bytes = 0

    package init(_ purpose: Purpose = .code) { self.purpose = purpose }

    /// The source of a value where its type is known from the context, as in an argument.
    mutating func write(_ value: Any) -> String { read(value).line }

    package mutating func read(_ value: Any) -> ValueTree { read(value, 0) }

    private mutating func read(_ value: Any, _ depth: Int) -> ValueTree {
        let type = String(describing: type(of: value))
        if purpose == .code, value is any RedactedState { return gap("a redacted \(type)", value) }
        if let text = Self.literal(value) { return leaf(text) }
        if isTooLarge(depth) { return gap("a large \(type)", value) }
        if Swift.type(of: value) is AnyClass { return gap("an object \(type)", type) }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional: return mirror.children.first.map { read($0.value, depth + 1) } ?? leaf("nil")
        case .collection, .set, .dictionary: return collection(mirror, type, depth + 1)
        case .tuple: return .parts("", parts(mirror, depth + 1))
        case .enum where !isOpaque(value, mirror): return enumCase(value, type, mirror, depth + 1)
        case .struct where !isOpaque(value, mirror): return structure(value, type, mirror, depth + 1)
        default: return gap("a \(type)", value)
        }
    }

    private func isTooLarge(_ depth: Int) -> Bool {
        purpose == .code ? depth >= Self.depthLimit || bytes >= Self.byteLimit : depth >= Self.comparisonDepth
    }

    /// Whether the stored properties are not what is written. Code needs those, and a mirror may show others. People read the
    /// description of a type of the system, or of one without properties.
    private func isOpaque(_ value: Any, _ mirror: Mirror) -> Bool {
        guard purpose == .comparison else { return value is any CustomReflectable }
        guard value is any CustomStringConvertible else { return false }
        let module = String(reflecting: type(of: value)).prefix { $0 != "." }
        let isOfSystem = module == "Swift" || module.hasPrefix("Foundation")
        return isOfSystem || mirror.displayStyle == .struct && mirror.children.isEmpty
    }

    private mutating func leaf(_ text: String) -> ValueTree {
        bytes += text.utf8.count
        return .leaf(text)
    }

    /// A marked gap, as editors show it; in a comparison the text of the value.
    private mutating func gap(_ what: String, _ value: Any) -> ValueTree {
        guard purpose == .code else { return leaf("\(value)") }
        let what = what.replacing("#", with: "").prefix(80)
        gaps.append(String(what))
        return leaf("<#\(what)#>")
    }

    // MARK: - Values without children

    private static func literal(_ value: Any) -> String? {
        switch value {
        case let text as String: quoted(text)
        case let text as Substring: quoted(String(text))
        case let character as Character: quoted(String(character))
        case let flag as Bool: flag ? "true" : "false"
        case let number as any BinaryInteger: String(describing: number)
        case let number as Double: floating(number)
        case let number as Float: floating(number)
        case let duration as Duration: source(of: duration)
        case let date as Date: "Date(timeIntervalSinceReferenceDate: \(date.timeIntervalSinceReferenceDate))"
        case let url as URL: "URL(string: \(quoted(url.absoluteString)))!"
        case let id as UUID: "UUID(uuidString: \(quoted(id.uuidString)))!"
        default: nil
        }
    }

    private static func source(of duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        if attoseconds == 0 { return ".seconds(\(seconds))" }
        return "Duration(secondsComponent: \(seconds), attosecondsComponent: \(attoseconds))"
    }

    private static func floating(_ number: some BinaryFloatingPoint) -> String {
        if number.isNaN { return ".nan" }
        if number.isInfinite { return number < 0 ? "-.infinity" : ".infinity" }
        return String(describing: number)
    }

    /// A string literal on one line.
    static func quoted(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case "\n": literal += "\\n"
            case "\r": literal += "\\r"
            case "\t": literal += "\\t"
            case _ where scalar.properties.generalCategory == .control || scalar.properties.isBidiControl:
                literal += "\\u{\(String(scalar.value, radix: 16))}"
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }

    // MARK: - Values with children

    private mutating func enumCase(_ value: Any, _ type: String, _ mirror: Mirror, _ depth: Int) -> ValueTree {
        guard let name = EnumMetadata.caseName(ofValue: value) else { return gap("a case of \(type)", value) }
        let dotted = name == "init" || name == "self" || name == "Type" ? ".`\(name)`" : "." + name
        guard let payload = mirror.children.first else { return leaf(dotted) }
        let inner = Mirror(reflecting: payload.value)
        let isList = inner.displayStyle == .tuple && !(payload.value is any RedactedState)
        bytes += dotted.utf8.count
        return .parts(
            dotted,
            isList ? parts(inner, depth) : [ValueTree.Part(label: nil, value: read(payload.value, depth))]
        )
    }

    /// The elements of a tuple, or the properties of a struct, with their labels.
    private mutating func parts(_ mirror: Mirror, _ depth: Int) -> [ValueTree.Part] {
        var parts: [ValueTree.Part] = []
        for child in mirror.children {
            let label = child.label.flatMap { $0.hasPrefix(".") ? nil : Self.property($0, of: child.value) }
            bytes += label?.utf8.count ?? 0
            parts.append(ValueTree.Part(label: label, value: read(child.value, depth)))
        }
        return parts
    }

    /// The storage of a wrapped property has an underscore before the name.
    private static func property(_ label: String, of value: Any) -> String {
        let name = label.hasPrefix("_") && value is any HiddenValue ? String(label.dropFirst()) : label
        return name == "inout" ? "`inout`" : name
    }

    /// Whether a property is surely a parameter of the memberwise initializer under this label. One with an underscore may be
    /// the storage of a lazy property, or of one with another wrapper.
    private static func isParameter(_ property: Mirror.Child) -> Bool {
        guard let label = property.label, !label.hasPrefix("$") else { return false }
        return !label.hasPrefix("_") || property.value is any HiddenValue
    }

    private mutating func collection(_ mirror: Mirror, _ type: String, _ depth: Int) -> ValueTree {
        guard !mirror.children.isEmpty else { return leaf(mirror.displayStyle == .dictionary ? "[:]" : "[]") }
        guard purpose == .comparison || mirror.children.count <= Self.elementLimit else {
            return gap("a large \(type)", type)
        }
        guard mirror.displayStyle != .collection else { return .list(mirror.children.map { read($0.value, depth) }) }
        var entries: [ValueTree.Entry] = []
        for child in mirror.children {
            let pair = mirror.displayStyle == .dictionary ? Array(Mirror(reflecting: child.value).children) : [child]
            guard let key = pair.first?.value else { return gap("a \(type)", type) }
            let value = pair.count == 2 ? read(pair[1].value, depth) : nil
            entries.append(ValueTree.Entry(key: read(key, depth), value: value))
        }
        // Sets and dictionaries have another order in each process.
        return .entries(entries.map { ($0.prefix + $0.tree.line, $0) }.sorted { $0.0 < $1.0 }.map(\.1))
    }

    private mutating func structure(_ value: Any, _ type: String, _ mirror: Mirror, _ depth: Int) -> ValueTree {
        let name = Self.sourceName(of: Swift.type(of: value))
        if let raw = value as? any RawRepresentable {
            return .parts(name, [ValueTree.Part(label: "rawValue", value: read(raw.rawValue, depth))])
        }
        guard purpose == .comparison || mirror.children.allSatisfy(Self.isParameter) else {
            return gap("a \(type)", value)
        }
        bytes += name.utf8.count
        return .parts(name, parts(mirror, depth))
    }

    /// The name of a type with the types that it is nested in, without its module.
    static func sourceName(of type: Any.Type) -> String {
        let whole = String(reflecting: type)
        // A generic type names the modules of its arguments too; a private type has an unusable context.
        guard !whole.contains("<"), !whole.contains("(") else { return String(describing: type) }
        return whole.split(separator: ".").dropFirst().joined(separator: ".")
    }
}
