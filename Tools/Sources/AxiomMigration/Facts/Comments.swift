// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

extension SyntaxProtocol {
    /// The text without comments, and without blanks at both ends. What replaces a node may have parts of its text, but not its
    /// comments, which the replacement keeps by itself.
    var code: String {
        let parts = tokens(viewMode: .sourceAccurate).map { token in
            token.leadingTrivia.withoutComments + token.text + token.trailingTrivia.withoutComments
        }
        return parts.joined().trimmed
    }
}

extension Trivia {
    /// The blanks and line ends.
    var withoutComments: String {
        Trivia(pieces: pieces.filter { $0.comment == nil }).description
    }
}

extension TriviaPiece {
    /// The text of a comment.
    var comment: String? {
        switch self {
        case .lineComment(let text), .blockComment(let text), .docLineComment(let text), .docBlockComment(let text):
            text
        default: nil
        }
    }
}

extension String {
    /// Without blanks and line ends at both ends.
    var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace ?? false { text.removeFirst() }
        while text.last?.isWhitespace ?? false { text.removeLast() }
        return String(text)
    }
}
