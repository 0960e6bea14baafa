// SPDX-License-Identifier: Apache-2.0

import Axiom
import Foundation
import Testing

@testable import AxiomInstrumentation

private enum Size: String, Sendable { case small, `default` }

private struct Options: OptionSet, Sendable, Hashable {
    let rawValue: Int
}

private struct Item: Hashable, Sendable {
    var name: String
    var price: Double?
    var size: Size
}

private struct Login: Sendable {
    var user: String
    @Redacted var password: String
}

private struct CardNumber: RedactedState, Sendable { let digits: String }
private final class Box: Sendable {}

private enum Order: Action {
    case clear
    case add(Item, count: Int)
    case rename(title: String)
    case pay(CardNumber)
    case signIn(Login)
    case tags(Set<String>, [String: Int])
    case options(Options)
    case `init`
    case box(Box)
    case perhaps(Size?)
    case wait(Duration, until: Date?)
    case many([Int])
    case label(`let`: Int, `inout`: Int)
}

private struct Basket: Sendable { lazy var total = 1 }
private struct Counter: Sendable { @Doubled var count: Int }
private struct Ticket: Sendable { private var _number = 1 }

@propertyWrapper
private struct Doubled: Sendable { var wrappedValue: Int }

@Suite("Values as Swift source")
struct SourceTextTests {
    /// Each line is a value as it has to be written. The compiler has checked it, and the test reads it.
    private static let samples: [Order] = [
        .clear,
        .add(Item(name: "Tea \"green\"\n\\", price: 1.5, size: .default), count: -2),
        .add(Item(name: "", price: nil, size: .small), count: 0),
        .rename(title: "\u{202e}ë\u{7}"),
        .label(let: 1, `inout`: 2),
        .tags(["a", "b"], ["x": 1, "y": 2]),
        .tags([], [:]),
        .options(Options(rawValue: 0)),
        .`init`,
        .perhaps(nil),
        .perhaps(.small),
        .wait(.seconds(2), until: nil),
        .wait(Duration(secondsComponent: 1, attosecondsComponent: 500), until: nil),
        .wait(.seconds(2), until: Date(timeIntervalSinceReferenceDate: 1.5)),
        .many([1, 2, 3]),
    ]

    /// The lines of the samples in this file.
    private static func sources() throws -> [String] {
        let lines = try String(contentsOfFile: #filePath, encoding: .utf8).split(separator: "\n")
        let rest = lines.drop { !$0.hasSuffix("samples: [Order] = [") }.dropFirst()
        return rest.prefix { $0 != "    ]" }.map { String($0.drop { $0 == " " }.dropLast()) }
    }

    @Test("What is written compiles as the same value")
    func literals() throws {
        let sources = try Self.sources()
        try #require(sources.count == Self.samples.count)
        for (sample, source) in zip(Self.samples, sources) {
            var text = ValueReader()
            #expect(text.write(sample) == source)
            #expect(text.gaps.isEmpty)
        }
    }

    @Test("A struct that may have no memberwise initializer of its stored properties is a gap")
    func structs() {
        var text = ValueReader()
        #expect(text.write(Basket()) == "<#a Basket#>")
        #expect(text.write(Counter(count: 1)) == "<#a Counter#>")
        #expect(text.write([Ticket()]) == "[<#a Ticket#>]")
        #expect(text.gaps == ["a Basket", "a Counter", "a Ticket"])
    }

    @Test("What is hidden, an object and a large collection are marked gaps")
    func gaps() {
        var text = ValueReader()
        #expect(text.write(Order.pay(CardNumber(digits: "4711"))) == ".pay(<#a redacted CardNumber#>)")
        let login = Login(user: "ada", password: "secret")
        #expect(
            text.write(Order.signIn(login))
                == #".signIn(Login(user: "ada", password: <#a redacted Redacted<String>#>))"#
        )
        #expect(text.write(Order.box(Box())) == ".box(<#an object Box#>)")
        #expect(text.write(Order.many(Array(0..<101))) == ".many(<#a large Array<Int>#>)")
        #expect(
            text.gaps == [
                "a redacted CardNumber", "a redacted Redacted<String>", "an object Box", "a large Array<Int>",
            ]
        )
    }

    @Test(
        "Text that comes from a user cannot end a literal or a placeholder",
        arguments: ["\"#>", "\\(1)", "a\u{0}b", "\r\n"]
    )
    func hostile(title: String) {
        var text = ValueReader()
        let source = text.write(Order.rename(title: title))
        #expect(!source.contains("\n") && !source.contains("\r") && !source.contains("\u{0}"))
        // Every quote and every backslash of the text is escaped.
        let inner = source.dropFirst(#".rename(title: ""#.count).dropLast(2)
        #expect(!inner.replacing(#"\\"#, with: "").replacing(#"\""#, with: "").contains("\""))
    }
}
