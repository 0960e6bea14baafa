// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

extension FactsReader {
    private static let marker = Array("axiom:ignore".utf8)

    mutating func readLines() {
        var starts: [UInt32] = [0]
        bytes.withUnsafeBufferPointer { bytes in
            for index in bytes.indices where bytes[index] <= 0x0D {
                let byte = bytes[index]
                let isPair = byte == 0x0D && index + 1 < bytes.count && bytes[index + 1] == 0x0A
                if byte == 0x0A || (byte == 0x0D && !isPair) { starts.append(UInt32(index + 1)) }
            }
        }
        facts.lineStarts = starts
    }

    /// Reads the comments that accept findings. Almost no file has one, so the bytes are searched before the tree.
    mutating func readSuppressions(_ tree: SourceFileSyntax) {
        guard contains(Self.marker) else { return }
        for token in tree.tokens(viewMode: .sourceAccurate) {
            var offset = reading.base + token.position.utf8Offset
            for piece in token.leadingTrivia {
                read(piece, at: offset)
                offset += piece.sourceLength.utf8Length
            }
            offset = reading.base + token.endPositionBeforeTrailingTrivia.utf8Offset
            for piece in token.trailingTrivia {
                read(piece, at: offset)
                offset += piece.sourceLength.utf8Length
            }
        }
    }

    private func contains(_ pattern: [UInt8]) -> Bool {
        guard bytes.count >= pattern.count else { return false }
        return bytes.withUnsafeBufferPointer { bytes in
            for start in 0...(bytes.count - pattern.count)
            where bytes[start] == pattern[0] && bytes[start + 1] == pattern[1] {
                if bytes[start..<start + pattern.count].elementsEqual(pattern) { return true }
            }
            return false
        }
    }

    private mutating func read(_ piece: TriviaPiece, at offset: Int) {
        guard case .lineComment(let text) = piece else { return }
        let words = text.drop { $0 == "/" }.split(whereSeparator: \.isWhitespace)
        guard words.first == "axiom:ignore", !text.hasPrefix("///") else { return }
        let place = FactSpan(offset, offset + text.utf8.count)
        let line = facts.line(of: place.start)
        let isAlone = startsLine(offset)
        facts.suppressions.append(
            Suppression(
                rule: words.dropFirst().first.map(String.init) ?? "",
                reason: words.dropFirst(2).joined(separator: " "),
                span: place,
                removal: isAlone ? wholeLine(of: place) : FactSpan(endOfCode(before: offset), Int(place.end)),
                line: isAlone ? nextLineOfCode(after: line) : line
            )
        )
    }

    /// The line of a span with its end, if nothing else stands in it; else the span.
    func wholeLine(of place: FactSpan) -> FactSpan {
        var end = Int(place.end)
        while end < bytes.count, bytes[end] == 0x20 || bytes[end] == 0x09 { end += 1 }
        guard startsLine(Int(place.start)), end == bytes.count || bytes[end] == 0x0A || bytes[end] == 0x0D else {
            return place
        }
        if end < bytes.count, bytes[end] == 0x0D { end += 1 }
        if end < bytes.count, bytes[end] == 0x0A { end += 1 }
        return FactSpan(endOfCode(before: Int(place.start)), end)
    }

    /// The offset behind the last byte before `offset` that is no blank.
    private func endOfCode(before offset: Int) -> Int {
        var start = offset
        while start > 0, bytes[start - 1] == 0x20 || bytes[start - 1] == 0x09 { start -= 1 }
        return start
    }

    private func startsLine(_ offset: Int) -> Bool {
        let start = endOfCode(before: offset)
        return start == reading.base || start == 0 || bytes[start - 1] == 0x0A || bytes[start - 1] == 0x0D
    }

    private func nextLineOfCode(after line: Int) -> Int {
        var number = line + 1
        while number <= facts.lineStarts.count {
            var index = Int(facts.lineStarts[number - 1])
            while index < bytes.count, bytes[index] == 0x20 || bytes[index] == 0x09 { index += 1 }
            let isBlank = index >= bytes.count || bytes[index] == 0x0A || bytes[index] == 0x0D
            let isComment = index + 1 < bytes.count && bytes[index] == 0x2F && bytes[index + 1] == 0x2F
            if !isBlank && !isComment { return number }
            number += 1
        }
        return line
    }
}
