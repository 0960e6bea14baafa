// SPDX-License-Identifier: Apache-2.0

import AxiomVerification
import Foundation
import Testing

/// SwiftLint matches custom rules with `NSRegularExpression`, anchors for lines and dots for line ends.
@Suite("The custom rules for SwiftLint")
struct SwiftLintRuleTests {
    /// Code that a rule finds, and code that it does not.
    struct Sample: Sendable, CustomTestStringConvertible {
        let rule: String
        let bad: [String]
        let good: [String]

        var testDescription: String { rule }
    }

    private static func type(_ head: String, _ members: String...) -> String {
        "\(head) {\n    let identity: ComponentIdentity\n"
            + members.map { "    \($0)\n" }.joined() + "\n    init() {}\n}\n"
    }

    /// A type whose members are no part of the type before.
    private static let other = type(
        "struct Other",
        "let cart: any Client<CartState, CartAction>",
        "let clock: CapabilityRef<Clock>",
        "let one: CartContext",
        "let two: PriceContext"
    )

    static let samples = [
        Sample(
            rule: "client_capability_only",
            bad: [
                type("actor CartClient: Client, Component", "private let price: any Client<PriceState, PriceAction>"),
                type("public actor CartClient: Component, Client", "var price: ClientOf<PriceClient>"),
            ],
            good: [
                type("actor CartClient: Client, Component", "private let clock: CapabilityRef<Clock>") + other,
                type("final class CartContext: Context", "let cart: any Client<CartState, CartAction>"),
            ]
        ),
        Sample(
            rule: "context_client_only",
            bad: [type("final class CartContext: Context", "private let clock: CapabilityRef<Clock>")],
            good: [
                type("final class CartContext: Context", "let cart: any Client<CartState, CartAction>") + other,
                type("actor CartClient: Client, Component", "let clock: CapabilityRef<Clock>"),
            ]
        ),
        Sample(
            rule: "capability_no_dependencies",
            bad: [
                type("actor Network: Capability", "let cart: any Client<CartState, CartAction>"),
                type("actor Network: Sendable, Capability", "let cart: ClientOf<CartClient>"),
            ],
            good: [
                type("actor Network: Capability", "let clock: CapabilityRef<Clock>") + other,
                type("actor CartClient: Client, Component", "let price: ClientOf<PriceClient>"),
            ]
        ),
        Sample(
            rule: "view_single_context",
            bad: [type("struct CartView: Presentation", "let cart: CartContext", "let price: PriceContext")],
            good: [
                type("struct CartView: Presentation", "let cart: CartContext", "var title = \"Cart\"") + other,
                type("struct Pair: Sendable", "let cart: CartContext", "let price: PriceContext"),
            ]
        ),
    ]

    /// The regular expressions by the names of the rules.
    private static func expressions() throws -> [String: NSRegularExpression] {
        let rules = SwiftLintConfiguration.text.matches(of: #/\n  (\w+):\n +name: .*\n +regex: '(.*)'\n/#)
        let pairs = try rules.map { rule in
            let options: NSRegularExpression.Options = [.anchorsMatchLines, .dotMatchesLineSeparators]
            return (String(rule.1), try NSRegularExpression(pattern: String(rule.2), options: options))
        }
        return try #require(Set(pairs.map(\.0)).count == pairs.count ? Dictionary(uniqueKeysWithValues: pairs) : nil)
    }

    @Test("Each rule has a regular expression that is valid, and samples")
    func complete() throws {
        #expect(try Set(Self.expressions().keys) == Set(Self.samples.map(\.rule)))
    }

    @Test("A rule finds the bad code, and not the good one", arguments: samples)
    func rule(sample: Sample) throws {
        let expression = try #require(try Self.expressions()[sample.rule])
        func matches(_ text: String) -> Int {
            expression.numberOfMatches(in: text, range: NSRange(text.startIndex..., in: text))
        }
        for text in sample.bad { #expect(matches(text) == 1, "\(text)") }
        for text in sample.good { #expect(matches(text) == 0, "\(text)") }
    }
}
