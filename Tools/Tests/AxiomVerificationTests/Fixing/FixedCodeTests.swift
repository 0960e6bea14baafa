// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import AxiomVerification
import Testing

/// A Swift compiler reads what fixes leave behind.
@Suite(
    "Fixes that compile",
    .timeLimit(.minutes(10)),
    .enabled(if: ExternalTool.swiftc.mayRun, "\(ExternalTool.swiftc.installation)")
)
struct FixedCodeTests {
    /// What the twins name and do not declare.
    private static let support = """
        import Axiom
        import AxiomNavigation

        struct ShopRoute: Route {
            static let samples = [ShopRoute()]
            var identifier: String { "shop" }
        }

        extension CartView {
            init(context: CartContext) { self.init(context: context, title: "Cart") }
        }

        """

    /// The lines of twins that do not compile for another reason than the one that the fix mends.
    private static let broken: Set<String> = ["var cents = 0\n}", "case clear\n", "private var count = 0"]

    private static let fixable = (RuleTwinTests.twins + RuleTwinTests.offTwins).filter {
        $0.isFixable && !FixedCodeTests.broken.contains($0.line)
    }

    @Test("The good twin compiles")
    func good() async throws {
        #expect(try await errors(in: TwinProgram.withLateHandler) == "")
    }

    @Test("A mended twin compiles", arguments: fixable)
    func twins(twin: Twin) async throws {
        let text = try twin.marked().filter { $0 != "⟦" }
        var configuration = VerifierConfiguration()
        configuration.enabled = [twin.rule]
        let engine = FixEngine(
            includesReview: true,
            judge: { [configuration] in judge(String(decoding: $0[0].bytes, as: UTF8.self), configuration) },
            parses: FixEngineTests.parses
        )
        let outcome = try engine.run([SourceText(path: "Sources/Shop/Shop.swift", bytes: Array(text.utf8))])
        let mended = try #require(outcome.changes.first).new
        #expect(try await errors(in: String(decoding: mended, as: UTF8.self)) == "")
    }

    /// A class in a state, with uses as each value has them.
    private static let classes = [
        "final class Box: Hashable { let n = 1; MEMBERS }\nfunc f(_ a: Box, _ b: Box?) -> Bool { a == b }",
        "final class Box: Hashable { var n: Int; init(_ n: Int) { self.n = n }; MEMBERS }\nlet sum = [Box(1), Box(2)].map { $0.n }",
        "final class Box: Hashable { var n = [0]; MEMBERS }\nfunc f(_ s: StateStore<CartState>) { s.update { $0.owner.n.append(1) } }",
        "final class Box: Hashable { var n = 0; MEMBERS }\nfunc f(_ a: Other, _ b: Other) -> Bool { a.n += 1; return a === b }",
    ]

    @Test("A class that becomes a struct compiles with its uses", arguments: classes)
    func structs(declaration: String) async throws {
        let members = """
            static func == (l: Box, r: Box) -> Bool { l.n == r.n }
                func hash(into hasher: inout Hasher) { hasher.combine(n) }
            """
        let text = """
            import Axiom
            struct CartState: OwnedState { var owner: Box }
            final class Other { var n = 0 }
            \(declaration.replacing("MEMBERS", with: "\n    " + members + "\n"))

            """
        let engine = FixEngine(
            includesReview: true,
            judge: { judge(String(decoding: $0[0].bytes, as: UTF8.self)) },
            parses: FixEngineTests.parses
        )
        let outcome = try engine.run([SourceText(path: "Sources/Shop/Shop.swift", bytes: Array(text.utf8))])
        let mended = String(decoding: try #require(outcome.changes.first).new, as: UTF8.self)
        #expect(mended.contains("struct Box"))
        #expect(try await errors(in: mended) == "")
    }

    /// The twins have a global variable, which is an error in Swift 6.
    private func errors(in text: String) async throws -> String {
        let support = text.contains("struct CartView") ? Self.support : ""
        let folder = try SampleFolder(["Shop.swift": text, "Support.swift": support])
        let files = [folder.path("Shop.swift"), folder.path("Support.swift")]
        return try await Compiler().check(files, module: "Shop", version: "5").problems
    }
}

extension Command.Output {
    /// The lines of a compiler that are errors.
    fileprivate var problems: String {
        guard status != 0 else { return "" }
        let lines = (output + errors).split(separator: "\n").filter { $0.contains(": error: ") }
        return lines.isEmpty ? output + errors : lines.joined(separator: "\n")
    }
}
