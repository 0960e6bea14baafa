// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The labels of one series, stored in the form that text encoders copy: `client="Cart",action="add"`.
///
/// Two sets are equal if these bytes are equal, so a page never has two equal series. (Swift's string equality treats
/// different encodings of one character as equal; Prometheus does not.)
package struct LabelSet: Hashable, Sendable {
    /// Names and escaped values, separated by commas, without labels whose value is empty.
    let rendered: [UInt8]

    package static let none = LabelSet(rendered: [])

    init(rendered: [UInt8]) { self.rendered = rendered }

    init(copying bytes: UnsafeBufferPointer<UInt8>) { rendered = [UInt8](bytes) }

    /// Renders values in the order of their names. The names must be valid.
    init(template: LabelTemplate, values: [String]) {
        var writer = LabelWriter()
        for value in values { writer.append(value, template) }
        rendered = writer.finish { [UInt8]($0) }
    }

    /// The labels of a family's overflow series.
    static func overflow(of names: [String]) -> LabelSet {
        LabelSet(template: LabelTemplate(names: names), values: names.map { _ in MetricOptions.overflowValue })
    }

    /// These labels followed by `others`, which must have other names.
    func appending(_ others: LabelSet) -> LabelSet {
        let separator = isEmpty || others.isEmpty ? [] : [UInt8(ascii: ",")]
        return LabelSet(rendered: rendered + separator + others.rendered)
    }

    /// Whether there are no labels.
    package var isEmpty: Bool { rendered.isEmpty }

    /// The unescaped names and values in page order. Cost: one pass over the bytes.
    package var pairs: [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        forEachRendered { name, _, value in
            pairs.append((Self.unescaped(name), Self.unescaped(value)))
        }
        return pairs
    }

    /// The value of one label; empty if the label is absent.
    package subscript(name: String) -> String {
        pairs.first { ByteName($0.name) == ByteName(name) }?.value ?? ""
    }

    /// Calls `body` with each label as it was rendered: the escaped name, whether it is in quotes, and the escaped value.
    func forEachRendered(_ body: (_ name: ArraySlice<UInt8>, _ isQuoted: Bool, _ value: ArraySlice<UInt8>) -> Void) {
        var rest = rendered[...]
        while let first = rest.first {
            let isQuoted = first == UInt8(ascii: "\"")
            let name = isQuoted ? Self.takeQuoted(&rest) : rest.prefix { $0 != UInt8(ascii: "=") }
            rest = isQuoted ? rest.dropFirst() : rest[name.endIndex...].dropFirst()
            body(name, isQuoted, Self.takeQuoted(&rest))
            rest = rest.dropFirst()
        }
    }

    /// The hash by which a family finds these labels: that of the values (see ``LabelKey``).
    func hash(seed: UInt64) -> UInt64 {
        var key = LabelKey(seed: seed)
        let isPlain = !rendered.contains(UInt8(ascii: "\\"))
        forEachRendered { _, _, value in
            guard isPlain else { return Self.unescaped(value).withBytes { key.add($0) } }
            value.withUnsafeBytes { key.add($0) }
        }
        return key.hash
    }

    /// The number of labels; -1 if a value has an escape or a name is in quotes.
    var plainCount: Int {
        var (count, isPlain) = (0, !rendered.contains(UInt8(ascii: "\\")))
        forEachRendered { _, isQuoted, _ in (count, isPlain) = (count + 1, isPlain && !isQuoted) }
        return isPlain ? count : -1
    }

    /// Removes a quoted text from the front of `rest` and returns the part between the quotes.
    private static func takeQuoted(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = rest.startIndex + 1
        var end = start
        while end < rest.endIndex, rest[end] != UInt8(ascii: "\"") {
            end += rest[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        defer { rest = rest[min(end + 1, rest.endIndex)...] }
        return rest[min(start, rest.endIndex)..<min(end, rest.endIndex)]
    }

    static func unescaped(_ escaped: ArraySlice<UInt8>) -> String {
        guard escaped.contains(UInt8(ascii: "\\")) else { return String(decoding: escaped, as: UTF8.self) }
        var text: [UInt8] = []
        var rest = escaped
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let next = rest.popFirst() else {
                text.append(byte)
                continue
            }
            text.append(next == UInt8(ascii: "n") ? UInt8(ascii: "\n") : next)
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension LabelSet: Comparable, CustomStringConvertible {
    /// The labels in braces, as on a page.
    package var description: String { "{" + String(decoding: rendered, as: UTF8.self) + "}" }

    /// The order of series on a page: by the bytes of the labels.
    package static func < (left: LabelSet, right: LabelSet) -> Bool {
        left.rendered.lexicographicallyPrecedes(right.rendered)
    }

    /// Eight bytes, the first one the highest; zero beyond the end. Of labels that are equal before `start`, those with the
    /// lower word come first.
    func word(from start: Int) -> UInt64 {
        (start..<start + 8).reduce(0) { $0 << 8 | ($1 < rendered.count ? UInt64(rendered[$1]) : 0) }
    }
}

/// The constant part of a family's labels, rendered once: `client="` for each name, or `"my.client"="` if the name is not
/// a classic one.
@usableFromInline
final class LabelTemplate: Sendable {
    /// The names in the order of the values.
    let names: [String]
    /// All openings, followed by 8 zero bytes, because they are copied in steps of 8 bytes.
    let openings: [UInt8]
    /// The start of each opening in `openings`, and the end of the last one.
    let starts: [Int]
    /// Whether all names have only letters, digits and underscores, so that no escaping changes them.
    let areClassic: Bool
    var count: Int { names.count }

    /// The position of an opening in `openings`.
    @inline(__always)
    func opening(_ label: Int) -> Range<Int> {
        Range(uncheckedBounds: (starts[label], starts[label &+ 1]))
    }

    init(names: [String]) {
        areClassic = names.allSatisfy(NameRules.isIdentifier)
        var openings: [UInt8] = []
        var starts: [Int] = []
        // Without labels there is nothing to allocate.
        if !names.isEmpty { starts.reserveCapacity(names.count + 1) }
        for name in names {
            starts.append(openings.count)
            openings += Array("\(NameRules.quotedUnlessClassic(name))=\"".utf8)
        }
        if !names.isEmpty { starts.append(openings.count) }
        self.starts = starts
        self.names = names
        self.openings = openings + [UInt8](repeating: 0, count: MemoryLayout<UInt64>.size)
    }
}

extension LabelSet {
    /// Whether these are the rendered labels.
    func matches(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        rendered.withUnsafeBufferPointer { own in
            guard own.count == other.count else { return false }
            guard let left = own.baseAddress, let right = other.baseAddress else { return true }
            return memcmp(left, right, own.count) == 0
        }
    }
}
