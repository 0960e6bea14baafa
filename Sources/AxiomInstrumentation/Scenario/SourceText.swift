// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Foundation

/// Writes values as Swift source, by reflection: literals, collections, optionals, tuples, enums with their payloads,
/// raw values, and structs by their memberwise initializers.
///
/// What cannot be written so is a gap: an editor placeholder, with which the source does not compile until somebody fills
/// it. Classes and closures are gaps, everything that is redacted, and structs that may have no memberwise initializer
/// under the labels of their properties: those with an underscore. Reflection shows neither other initializers nor constants
/// with a value, so the initializer of another struct may be missing too.
struct SourceText {
    /// A value is written to this depth, with this many elements of each collection, and to about this many bytes.
    private static let (depthLimit, elementLimit, byteLimit) = (12, 100, 8_192)

    /// What the gaps stand for, in their order.
    private(set) var gaps: [String] = []
    private var bytes = 0

    /// The source of a value where its type is known from the context, as in an argument.
    mutating func write(_ value: Any, depth: Int = 0) -> String {
        let text = source(of: value, depth)
        bytes += text.utf8.count
        return text
    }

    private mutating func source(of value: Any, _ depth: Int) -> String {
        let type = String(describing: type(of: value))
        if value is any RedactedState { return gap("a redacted \(type)") }
        if let text = Self.literal(value) { return text }
        if depth >= Self.depthLimit || bytes >= Self.byteLimit { return gap("a large \(type)") }
        if Swift.type(of: value) is AnyClass { return gap("an object \(type)") }
        if value is any CustomReflectable, Self.isForeign(value) { return gap("a \(type)") }
        return reflected(value, type, Mirror(reflecting: value), depth + 1)
    }

    private mutating func reflected(_ value: Any, _ type: String, _ mirror: Mirror, _ depth: Int) -> String {
        switch mirror.displayStyle {
        case .optional: mirror.children.first.map { write($0.value, depth: depth) } ?? "nil"
        case .enum: enumCase(value, type, mirror, depth)
        case .tuple: "(" + arguments(mirror, depth) + ")"
        case .collection, .set: collection(mirror, type, empty: "[]", depth)
        case .dictionary: collection(mirror, type, empty: "[:]", depth)
        case .struct: structure(value, type, mirror, depth)
        default: gap("a \(type)")
        }
    }

    /// A marked gap, as editors show it.
    private mutating func gap(_ what: String) -> String {
        let what = what.replacing("#", with: "").prefix(80)
        gaps.append(String(what))
        return "<#\(what)#>"
    }
}

// MARK: - Values without children

extension SourceText {
    private static func literal(_ value: Any) -> String? {
        switch value {
        case let text as String: quoted(text)
        case let character as Character: quoted(String(character))
        case let flag as Bool: flag ? "true" : "false"
        case let number as any BinaryInteger: String(describing: number)
        case let number as Double: floating(number)
        case let number as Float: floating(Double(number))
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

    private static func floating(_ number: Double) -> String {
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

    /// Whether a type shows something else in its mirror than its stored properties. The collections of the standard library
    /// show their elements.
    private static func isForeign(_ value: Any) -> Bool {
        switch Mirror(reflecting: value).displayStyle {
        case .collection, .set, .dictionary, .optional: false
        default: true
        }
    }
}

// MARK: - Values with children

extension SourceText {
    private mutating func enumCase(_ value: Any, _ type: String, _ mirror: Mirror, _ depth: Int) -> String {
        guard let name = EnumMetadata.caseName(ofValue: value) else { return gap("a case of \(type)") }
        let dotted = name == "init" || name == "self" || name == "Type" ? ".`\(name)`" : "." + name
        guard let payload = mirror.children.first else { return dotted }
        let inner = Mirror(reflecting: payload.value)
        let isList = inner.displayStyle == .tuple && !(payload.value is any RedactedState)
        return dotted + "(" + (isList ? arguments(inner, depth) : write(payload.value, depth: depth)) + ")"
    }

    /// The elements of a tuple, or the properties of a struct, with their labels.
    private mutating func arguments(_ mirror: Mirror, _ depth: Int) -> String {
        var texts: [String] = []
        for child in mirror.children {
            let label =
                child.label.flatMap { $0.hasPrefix(".") ? nil : Self.property($0, of: child.value) + ": " } ?? ""
            texts.append(label + write(child.value, depth: depth))
        }
        return texts.joined(separator: ", ")
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

    private mutating func collection(_ mirror: Mirror, _ type: String, empty: String, _ depth: Int) -> String {
        guard !mirror.children.isEmpty else { return empty }
        guard mirror.children.count <= Self.elementLimit else { return gap("a large \(type)") }
        var texts: [String] = []
        for child in mirror.children {
            guard mirror.displayStyle == .dictionary else {
                texts.append(write(child.value, depth: depth))
                continue
            }
            let parts = Array(Mirror(reflecting: child.value).children)
            guard parts.count == 2 else { return gap("a \(type)") }
            texts.append(write(parts[0].value, depth: depth) + ": " + write(parts[1].value, depth: depth))
        }
        // Sets and dictionaries have another order in each process.
        if mirror.displayStyle != .collection { texts.sort() }
        return "[" + texts.joined(separator: ", ") + "]"
    }

    private mutating func structure(_ value: Any, _ type: String, _ mirror: Mirror, _ depth: Int) -> String {
        let name = Self.sourceName(of: Swift.type(of: value))
        if let raw = value as? any RawRepresentable {
            return name + "(rawValue: " + write(raw.rawValue, depth: depth) + ")"
        }
        guard mirror.children.allSatisfy(Self.isParameter) else { return gap("a \(type)") }
        return name + "(" + arguments(mirror, depth) + ")"
    }

    /// The name of a type with the types that it is nested in, without its module.
    static func sourceName(of type: Any.Type) -> String {
        let whole = String(reflecting: type)
        // A generic type names the modules of its arguments too; a private type has an unusable context.
        guard !whole.contains("<"), !whole.contains("(") else { return String(describing: type) }
        return whole.split(separator: ".").dropFirst().joined(separator: ".")
    }
}
