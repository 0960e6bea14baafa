// SPDX-License-Identifier: Apache-2.0

@_spi(RawSyntax) internal import SwiftSyntax

/// Where the text of nodes begins, behind blanks and comments: at their first token.
///
/// All calls of a chain `a.b().c()` have one first token, and the way to it is as long as the chain. To go it for each call
/// would cost the square of the length, so places at the end of a long way are kept.
final class TextStarts {
    /// A way of so many levels is shorter than to look its end up.
    private static let short = 64
    /// The first bytes of nodes with a long way, and where their text begins.
    private var known: [Int: Int] = [:]

    func start(of node: SourceNode) -> Int {
        var (inner, levels) = (node.raw, 0)
        while let child = Self.first(in: inner) {
            (inner, levels) = (child, levels + 1)
            if levels == Self.short, let known = known[node.start] { return known }
        }
        let start = node.start + inner.leadingTriviaByteLength
        if levels >= Self.short { known[node.start] = start }
        return start
    }

    /// The first child that has text. A child without text is not the first, as an empty list of attributes.
    private static func first(in node: RawSyntax) -> RawSyntax? {
        node.layoutView?.children.first { ($0?.byteLength ?? 0) > 0 } ?? nil
    }
}
