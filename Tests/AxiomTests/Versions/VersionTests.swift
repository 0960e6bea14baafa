// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import Axiom

/// The rules of section 11 of the specification, written down separately.
private enum Reference {
    static func compare(_ left: Version, _ right: Version) -> Int {
        for (one, other) in zip([left.major, left.minor, left.patch], [right.major, right.minor, right.patch])
        where one != other {
            return one < other ? -1 : 1
        }
        if left.prerelease.isEmpty != right.prerelease.isEmpty { return left.prerelease.isEmpty ? 1 : -1 }
        for index in 0..<max(left.prerelease.count, right.prerelease.count) {
            guard index < left.prerelease.count else { return -1 }
            guard index < right.prerelease.count else { return 1 }
            let order = compare(left.prerelease[index], right.prerelease[index])
            if order != 0 { return order }
        }
        return 0
    }

    private static func compare(_ one: String, _ other: String) -> Int {
        switch (Int(one), Int(other)) {
        case (let one?, let other?): one == other ? 0 : one < other ? -1 : 1
        case (.some, nil): -1
        case (nil, .some): 1
        case (nil, nil): one == other ? 0 : Array(one.utf8).lexicographicallyPrecedes(Array(other.utf8)) ? -1 : 1
        }
    }
}

@Suite("Versions")
struct VersionTests {
    private static func random(_ generator: inout SeededGenerator) throws -> Version {
        let parts = ["alpha", "beta", "rc", "0", "1", "2", "10", "x-y", "A", "1a"]
        var text = (0..<3).map { _ in "\(generator.index(below: 3))" }.joined(separator: ".")
        let count = generator.index(below: 4)
        if count > 0 {
            text += "-" + (0..<count).map { _ in parts[generator.index(below: parts.count)] }.joined(separator: ".")
        }
        if generator.index(below: 4) == 0 { text += "+build.00\(generator.index(below: 9))" }
        let version = try Version(parsing: text)
        #expect(version.description == text)
        return version
    }

    @Test("The precedence is total, transitive and that of the specification, for 20,000 random triples (VER-01)")
    func precedence() throws {
        var generator = SeededGenerator(seed: TestSeed.drawn())
        for _ in 0..<20_000 {
            let versions = try (0..<3).map { _ in try Self.random(&generator) }
            let (a, b, c) = (versions[0], versions[1], versions[2])
            let order = Reference.compare(a, b)
            #expect((a < b) == (order < 0) && (a == b) == (order == 0) && (a > b) == (order > 0), "\(a) \(b)")
            if a == b { #expect(a.hashValue == b.hashValue) }
            if a < b, b < c { #expect(a < c, "\(a) \(b) \(c)") }
        }
    }

    @Test("The specification's own example is in its order; build metadata does not count")
    func example() throws {
        let texts = [
            "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11",
            "1.0.0-rc.1", "1.0.0", "1.0.1", "1.1.0", "2.0.0",
        ]
        let versions = try texts.map { try Version(parsing: $0) }
        #expect(versions.shuffled().sorted().map(\.description) == texts)
        #expect(try Version(parsing: "1.0.0+a") == Version(parsing: "1.0.0+b.001"))
        let (low, high) = ("1.0.0-99999999999999999998", "1.0.0-99999999999999999999")
        #expect(try Version(parsing: low) < Version(parsing: high))
    }

    @Test(
        "A text that is not a version is refused with the position of its first fault",
        arguments: [
            ("", 1), ("1", 2), ("1.", 3), ("1.2", 4), ("1.2.", 5), ("01.2.3", 1), ("1.02.3", 3), ("1.2.x", 5),
            ("1.2.3-", 7), ("1.2.3-a..b", 9), ("1.2.3-01", 7), ("1.2.3-a.ü", 9), ("1.2.3+", 7), ("1.2.3 ", 6),
            ("v1.2.3", 1), ("-1.2.3", 1), ("1.2.3.4", 6), ("99999999999999999999.0.0", 1),
        ]
    )
    func faults(text: String, position: Int) {
        let error = #expect(throws: ValidationError.self) { try Version(parsing: text) }
        #expect(error?.message.hasSuffix("at position \(position).") == true, "\(error?.message ?? "")")
        #expect(error?.code == .invalidFormat)
    }

    @Test("No random text stops the parser, and each that it accepts is written as it was read")
    func randomTexts() {
        var generator = SeededGenerator(seed: TestSeed.drawn())
        let characters = Array("0123.-+aZ é")
        for _ in 0..<20_000 {
            let text = String((0..<generator.index(below: 12)).map { _ in characters[generator.index(below: 11)] })
            if let version = try? Version(parsing: text) { #expect(version.description == text) }
        }
    }

    @Test("A version is coded as its text, and a negative number counts as 0")
    func coding() throws {
        let version = try Version(parsing: "1.2.3-rc.1+x")
        let data = try JSONEncoder().encode([version])
        #expect(String(decoding: data, as: UTF8.self) == #"["1.2.3-rc.1+x"]"#)
        #expect(try JSONDecoder().decode([Version].self, from: data).map(\.description) == ["1.2.3-rc.1+x"])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Version].self, from: Data(#"["1"]"#.utf8)) }
        #expect(Version(-1, 2, -3) == Version(0, 2, 0))
    }

    @Test("A range contains what it says; a pre-release of its end is outside")
    func ranges() throws {
        let stable = VersionRange.compatible(with: Version(1, 2, 0))
        #expect(stable.contains(Version(1, 2, 0)) && stable.contains(Version(1, 99, 0)))
        #expect(!stable.contains(Version(1, 1, 9)) && !stable.contains(Version(2, 0, 0)))
        #expect(try !stable.contains(Version(parsing: "2.0.0-beta")) && !stable.contains(Version(parsing: "1.2.0-rc")))
        let early = VersionRange.compatible(with: Version(0, 1, 3))
        #expect(early.contains(Version(0, 1, 9)) && !early.contains(Version(0, 2, 0)))
        #expect(
            VersionRange.any.contains(Version(0, 0, 0))
                && VersionRange.atLeast(Version(1, 0, 0)).contains(Version(9, 0, 0))
        )
        let last = VersionRange.compatible(with: Version(.max, 0, 0))
        #expect(last.contains(Version(.max, .max, .max)) && !last.contains(Version(.max - 1, 0, 0)))
        let lastEarly = VersionRange.compatible(with: Version(0, .max, 1))
        #expect(lastEarly.contains(Version(0, .max, 2)) && !lastEarly.contains(Version(1, 0, 0)))
        #expect(VersionRange(Version(1, 0, 0)..<Version(1, 5, 0)).description == "1.0.0 or later, before 1.5.0")
    }
}

private actor Modern: Capability {
    static let requiredAxiom = VersionRange.atLeast(Version(9, 0, 0))
    nonisolated let identity: ComponentIdentity
    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }
}

private actor Old: StatelessClient, Component {
    static let requiredAxiom = VersionRange(Version(0, 0, 1)..<Version(0, 0, 2))
    nonisolated let identity: ComponentIdentity
    init(_ scope: borrowing ClientScope) { identity = scope.identity }
    func process(_ action: NoAction) async throws {}
}

private actor Double: StatelessClient {
    func process(_ action: NoAction) async throws {}
}

@MainActor
@Suite("Required versions", .timeLimit(.minutes(10)))
struct RequiredVersionTests {
    @Test("All mismatches are one error of start(), which names each part and its range (ORC-14)")
    func mismatches() async throws {
        let orchestrator = Orchestrator(limits: .endless)
        orchestrator.register(Modern.self) { Modern($0) }
        orchestrator.register(Old.self) { Old($0) }
        orchestrator.require(.atLeast(Version(7, 0, 0)))
        let error = await #expect(throws: CompositionError.self) { try await orchestrator.start() }
        #expect(error?.code == .versionMismatch)
        let message = try #require(error?.message)
        for part in ["Modern requires 9.0.0 or later", "Old requires 0.0.1 or later", "the application requires 7.0.0"]
        {
            #expect(message.contains(part), "\(message)")
        }
        #expect(message.contains("Axiom \(Axiom.version)"))
        #expect(orchestrator.validate().mistakes.map(\.code) == [.versionMismatch])
    }

    @Test("A part that fits does not matter, and the requirement of a replaced component does not count (VER-01)")
    func fitting() async throws {
        let orchestrator = Orchestrator(limits: .endless)
        orchestrator.require(.compatible(with: Axiom.version))
        orchestrator.register(Old.self) { Old($0) }
        orchestrator.override(Old.self, with: Double())
        await #expect(throws: CompositionError.self) { try await orchestrator.start() }
        let other = Orchestrator(limits: .endless)
        other.require(.compatible(with: Axiom.version))
        try await other.start()
        await other.shutdown()
    }
}
