// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Testing

@testable import AxiomUI

@Suite("Lines of text by columns")
struct TextWrappingTests {
    @Test(
        "Graphemes have the columns of a terminal (UI-04)",
        arguments: [
            ("a", 1), ("é", 1), ("e\u{301}", 1), ("→", 1), ("漢", 2), ("あ", 2), ("한", 2), ("Ａ", 2), ("ｱ", 1),
            ("🙂", 2), ("👩‍👩‍👧‍👦", 2), ("🇨🇭", 2), ("❤️", 2), ("❤", 1), ("👍🏽", 2), ("\u{200B}", 0), ("\t", 0),
            ("\u{301}", 0), ("𠀀", 2), ("⌁", 1), ("…", 1), ("1️⃣", 2), ("🇨", 1), ("。", 2), ("한", 2),
        ]
    )
    func columns(text: String, columns: Int) {
        #expect(TextColumns.count(of: text) == columns)
    }

    @Test("Lines break at spaces, between wide characters and inside words that are too long (UI-04)")
    func breaks() {
        #expect(TextWrapping.lines(of: "one two three", width: 7) == ["one two", "three"])
        #expect(TextWrapping.lines(of: "  one   two ", width: 20) == ["one two"])
        #expect(TextWrapping.lines(of: "abcdefghij", width: 4) == ["abcd", "efgh", "ij"])
        #expect(TextWrapping.lines(of: "a bcdefgh", width: 4) == ["a", "bcde", "fgh"])
        #expect(TextWrapping.lines(of: "接続がありません。", width: 8) == ["接続があ", "りませ", "ん。"])
        #expect(TextWrapping.lines(of: "価格 list", width: 6) == ["価格", "list"])
        #expect(TextWrapping.lines(of: "👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", width: 5) == ["👩‍👩‍👧‍👦👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦"])
        #expect(TextWrapping.lines(of: "one\n\ntwo", width: 9) == ["one", "", "two"])
        #expect(TextWrapping.lines(of: "", width: 9) == [""])
    }

    @Test("Characters that control a terminal are left out (UI-04)")
    func controls() {
        let text = "\u{1B}[31mred\u{7}\u{8}\u{9B}2J\u{202E}txt\r\nnext\u{0}\u{7F}"
        #expect(TextWrapping.visible(text) == "[31mred2Jtxt\nnext")
        #expect(TextWrapping.lines(of: "a\tb", width: 9) == ["a b"])
    }

    @Test("Random texts: no line is too wide, and nothing but white space is lost (UI-04)")
    func random() {
        var generator = SplitMix64(seed: TestSeed.drawn())
        let alphabet: [Character] = ["a", "é", " ", " ", "漢", "。", ",", "👩‍👩‍👧‍👦", "🇨🇭", "-", "\n", "ｱ", "❤️", "\u{301}"]
        for _ in 0..<2_000 {
            let count = Int.random(in: 0..<60, using: &generator)
            let text = String((0..<count).map { _ in alphabet.randomElement(using: &generator) ?? "a" })
            let width = Int.random(in: -3..<20, using: &generator)
            let lines = TextWrapping.lines(of: text, width: width)
            #expect(lines.allSatisfy { TextColumns.count(of: $0) <= max(width, 2) }, "\(text) \(width)")
            #expect(visible(lines.joined()) == visible(text), "\(text) \(width)")
        }
    }

    private func visible(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter { !$0.properties.isWhitespace }
    }
}
