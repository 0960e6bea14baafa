// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

extension SyntaxReading {
    /// An expression without `try`, `await`, parentheses, `?` and `!`.
    func bare(_ expression: SourceNode) -> SourceNode {
        let inner: SourceNode? =
            switch expression.kind {
            case .tryExpr: expression[.tried]
            case .awaitExpr: expression[.awaited]
            case .unsafeExpr: expression[.unsafe]
            case .optionalChainingExpr: expression[.chained]
            case .forceUnwrapExpr: expression[.unwrapped]
            case .consumeExpr: expression[.consumed]
            case .copyExpr: expression[.copied]
            case .genericSpecializationExpr: expression[.specialized]
            case .tupleExpr: expression.list(.tupleElements).only?[.argument]
            default: nil
            }
        return inner.map(bare) ?? expression
    }

    /// The names that an expression consists of, with dots and without a leading `self.`. A part that is no name is `()`.
    func path(_ expression: SourceNode) -> String {
        if let plain = plainPath(bare(expression)) { return plain }
        let path = fullPath(expression)
        return path.hasPrefix("self.") ? String(path.dropFirst(5)) : path
    }

    /// The path if the expression consists of names alone, else nothing.
    func names(_ expression: SourceNode) -> String {
        let inner = bare(expression)
        // Most arguments are neither.
        guard inner.kind == .declReferenceExpr || inner.kind == .memberAccessExpr else { return "" }
        let path = path(inner)
        return path.containsBytes("()") ? "" : path
    }

    /// The path of names and dots that are written as a path is: without blanks, back-ticks, marks and arguments. Nil for others.
    private func plainPath(_ expression: SourceNode) -> String? {
        guard !isBroken else { return nil }
        var root: SourceNode? = expression
        while let node = root, node.kind == .memberAccessExpr { root = node[.memberBase] }
        guard root.map({ $0.kind == .declReferenceExpr }) ?? true else { return nil }
        var place = place(of: expression)
        guard !place.isEmpty, place.upperBound <= bytes.count else { return nil }
        return bytes.withUnsafeBufferPointer { bytes in
            guard bytes[place].allSatisfy(Self.isPathByte) else { return nil }
            if place.count > 5, bytes[place].starts(with: "self.".utf8) {
                place = (place.lowerBound + 5)..<place.upperBound
            }
            return String(decoding: bytes[place], as: UTF8.self)
        }
    }

    private static func isPathByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "$"):
            true
        default: false
        }
    }

    private func fullPath(_ expression: SourceNode) -> String {
        var parts: [String] = []
        var next: SourceNode? = expression
        while let current = next {
            let inner = bare(current)
            switch inner.kind {
            case .declReferenceExpr:
                parts.append(name(inner[.referenceName]))
                next = nil
            case .memberAccessExpr:
                parts.append(name(inner[.member]?[.referenceName]))
                next = inner[.memberBase]
                if next == nil { parts.append("") }
            default:
                parts.append("()")
                next = nil
            }
        }
        return parts.reversed().joined(separator: ".")
    }

    func value(_ expression: SourceNode) -> Value {
        var value = Value(span: span(expression), path: names(expression))
        let inner = bare(expression)
        if inner.kind == .functionCallExpr { value.made = inner[.callee].flatMap(made(by:)) }
        if inner.kind == .arrayExpr {
            let texts = inner.list(.arrayElements).map { $0[.arrayElement].flatMap(literal) }
            if texts.allSatisfy({ $0 != nil }) { value.strings = texts.compactMap(\.self) }
        }
        return value
    }

    /// The path of a state that a value is or is computed from directly: `store.state` of `store.state.count + 1`.
    func stateRoot(_ expression: SourceNode) -> String {
        guard expression.kind == .sequenceExpr else { return stateRoot(part: expression) ?? "" }
        for part in expression.list(.sequence) {
            if let root = stateRoot(part: part) { return root }
        }
        return ""
    }

    private func stateRoot(part: SourceNode) -> String? {
        let path = names(part)
        guard path.containsBytes("state") else { return nil }
        let names = path.split(separator: ".")
        return names.firstIndex(of: "state").map { names[...$0].joined(separator: ".") }
    }
}

extension String {
    /// Whether the bytes of a short ASCII text occur. Faster than `contains(_:)`, which compares characters.
    func containsBytes(_ pattern: StaticString) -> Bool {
        utf8.withContiguousStorageIfAvailable { bytes in
            let count = pattern.utf8CodeUnitCount
            guard bytes.count >= count else { return false }
            return (0...(bytes.count - count)).contains { start in
                (0..<count).allSatisfy { bytes[start + $0] == pattern.utf8Start[$0] }
            }
        } ?? contains("\(pattern)")
    }
}
