// SPDX-License-Identifier: Apache-2.0

#if Tools
import AxiomSyntax
import AxiomTestSupport
import AxiomVerification
import Testing

/// A Swift compiler reads what fixes leave behind.
@Suite(
    "Fixes that compile",
    .timeLimit(.minutes(5)),
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
        #expect(try await errors(in: TwinProgram.text) == "")
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
#endif
