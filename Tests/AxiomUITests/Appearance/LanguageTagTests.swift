// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomTestSupport
import AxiomUI
import Testing

@Suite("Languages")
struct LanguageTagTests {
    @Test(
        "Well-formed tags are accepted, in the case that the standard recommends (THM-01)",
        arguments: [
            ("en", "en"), ("DE-ch", "de-CH"), ("zh-hant-tw", "zh-Hant-TW"), ("es-419", "es-419"),
            ("sl-rozaj-biske-1994", "sl-rozaj-biske-1994"), ("de-CH-1901", "de-CH-1901"),
            ("zh-cmn-hans-cn", "zh-cmn-Hans-CN"),
            ("en-u-ca-buddhist-t-it", "en-u-ca-buddhist-t-it"), ("X-whatever-1", "x-whatever-1"),
            ("de-x-formal", "de-x-formal"), ("I-KLINGON", "i-klingon"), ("en-gb-oed", "en-GB-oed"), ("qaaa", "qaaa"),
        ]
    )
    func wellFormed(text: String, canonical: String) throws {
        let tag = try LanguageTag(text)
        #expect(tag.description == canonical)
        #expect(try LanguageTag(canonical) == tag)
    }

    @Test(
        "Other texts are refused (THM-01)",
        arguments: [
            "", "-", "e", "en-", "-en", "en--US", "en_US", "english-language-x", "de-DE-DE", "en-a", "en-a-bb-a-cc",
            "x",
            "x-", "de-1901-1901", "12", "en-US-Latn", "en-ü", "e\u{301}n", "toolonglanguage", "en-toolongsubtag",
            "en\u{0}", "\u{212A}o", "en-\u{212A}\u{212A}", String(repeating: "en-", count: 1_000) + "en", "１２", "en-u",
        ]
    )
    func malformed(text: String) {
        #expect { try LanguageTag(text) } throws: { ($0 as? ValidationError)?.code == .invalidFormat }
    }

    @Test("A refused text is quoted in the message only in part, and without control characters (THM-01)")
    func quoted() throws {
        let error = #expect(throws: ValidationError.self) {
            try LanguageTag("\u{1B}[2J" + String(repeating: "a", count: 9_999))
        }
        let message = try #require(error?.message)
        #expect(message.count < 160 && !message.contains("\u{1B}"))
    }

    @Test("Random texts never trap, and an accepted one is its own canonical form (THM-01)")
    func random() throws {
        var generator = SplitMix64(seed: TestSeed.drawn())
        let alphabet: [Character] = ["a", "b", "x", "1", "-", "-", "Z", "é", "４", "\u{0}", "🇨🇭"]
        var accepted = 0
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<14, using: &generator)
            let text = String((0..<count).map { _ in alphabet.randomElement(using: &generator) ?? "a" })
            guard let tag = try? LanguageTag(text) else { continue }
            accepted += 1
            #expect(try LanguageTag(tag.description) == tag)
            #expect(tag.description.lowercased() == text.lowercased())
        }
        #expect(accepted > 0)
    }
}

@Suite("What is drawn from the user's and the system's settings")
struct ResolvedAppearanceTests {
    @Test("The theme is the user's, or else the system's (THM-01)", arguments: [true, false])
    func theme(isDark: Bool) {
        var system = SystemAppearance()
        system.isDark = isDark
        #expect(Appearance(theme: .system).resolved(in: system).isDark == isDark)
        #expect(Appearance(theme: .dark).resolved(in: system).isDark)
        #expect(!Appearance(theme: .light).resolved(in: system).isDark)
    }

    @Test("Motion and contrast change if the user or the system requests it; the language is the user's first (THM-01)")
    func accessibility() throws {
        var system = SystemAppearance()
        system.language = try LanguageTag("fr")
        #expect(
            !Appearance().resolved(in: system).reducesMotion && !Appearance().resolved(in: system).increasesContrast
        )
        #expect(Appearance().resolved(in: system).language?.description == "fr")
        #expect(Appearance(language: try LanguageTag("de")).resolved(in: system).language?.description == "de")
        var own = Appearance(accessibility: .init(reducesMotion: true, contrast: .increased))
        #expect(own.resolved(in: system).reducesMotion && own.resolved(in: system).increasesContrast)
        own = Appearance()
        (system.reducesMotion, system.increasesContrast) = (true, true)
        #expect(own.resolved(in: system).reducesMotion && own.resolved(in: system).increasesContrast)
    }

    @Test(
        "The system scales the size of text within the range (THM-01)",
        arguments: [
            (17.0, 17.0, 17.0), (17, 34, 34), (34, 8.5, 17), (72, 34, 72), (8, 1, 8), (17, .nan, 8),
            (17, .infinity, 72),
        ]
    )
    func sizes(own: Double, system size: Double, expected: Double) {
        var system = SystemAppearance()
        system.textSize = size
        #expect(Appearance(accessibility: .init(textSize: own)).resolved(in: system).textSize == expected)
    }
}
