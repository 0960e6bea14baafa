// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomVerification
import Foundation
import Testing

/// Judges files of several modules: `["Sources/Cart/Cart.swift": "…"]`.
private func findings(_ files: [String: String]) -> [String] {
    let texts = files.map { SourceText(path: $0.key, bytes: Array($0.value.utf8)) }
    return ProjectRun(Configuration()).judge(texts).findings.map {
        "\($0.rule.rawValue) \($0.location.path):\($0.location.start.line)"
    }
}

@Suite("Facts: names and conformances across files")
struct ResolutionTests {
    private let price = """
        import Axiom
        public actor PriceClient: StatelessClient, Component { public nonisolated let identity: ComponentIdentity }
        """

    @Test(
        "A conformance counts through an extension, an alias and a protocol that refines",
        arguments: [
            "extension CartClient: StatelessClient, Component {}",
            "typealias Domain = StatelessClient & Component\nextension CartClient: Domain {}",
            "protocol Domain: Component, StatelessClient {}\nextension CartClient: Domain {}",
            "protocol Domain: StatelessClient {}\ntypealias Part = Component\nextension Shop.CartClient: Domain, Part {}",
            "extension CartClient: Axiom.StatelessClient, Axiom.Component {}",
        ]
    )
    func conformances(text: String) {
        let found = findings([
            "Sources/Shop/Cart.swift": "import Axiom\nactor CartClient { var prices: PriceClient? }",
            "Sources/Shop/Part.swift": "import Axiom\n" + text,
            "Sources/Shop/Price.swift": price,
        ])
        #expect(found == ["client-holds-client Sources/Shop/Cart.swift:2"])
    }

    @Test("A type of another module counts if the file imports the module, also through an exported import")
    func modules() {
        let cart = "import Axiom\nactor CartClient: StatelessClient, Component { var prices: PriceClient? }"
        let files = ["Sources/Price/Price.swift": price, "Sources/Shop/Cart.swift": "import Price\n" + cart]
        #expect(findings(files) == ["client-holds-client Sources/Shop/Cart.swift:3"])
        let through = [
            "Sources/Price/Price.swift": price, "Sources/Kit/Kit.swift": "@_exported public import Price",
            "Sources/Shop/Cart.swift": "import Kit\n" + cart,
        ]
        #expect(findings(through) == ["client-holds-client Sources/Shop/Cart.swift:3"])
    }

    @Test(
        "What a name means decides: unknown, generic and other names are no findings",
        arguments: [
            // Nobody imports the module of PriceClient.
            "import Axiom\nactor CartClient: StatelessClient, Component { var prices: PriceClient? }",
            // Client is a type of the project.
            "import Axiom\nstruct Client {}\nactor CartClient: StatelessClient, Component { var user: Client? }",
            // Names that only contain the words.
            "import Axiom\nactor CartClient: StatelessClient, Component { var user: HTTPClientContext? }",
            // A parameter with the name of a client.
            "import Axiom\nactor CartClient<PriceClient>: StatelessClient, Component { var user: PriceClient? }",
            // Not a client of Axiom: the file does not import it.
            "actor CartClient: StatelessClient, Component { var user: (any StatelessClient)? }",
            // A nested type hides the other one.
            """
            import Axiom
            import Price
            actor CartClient: StatelessClient, Component { struct PriceClient {}; var user: PriceClient? }
            """,
        ]
    )
    func unknown(text: String) {
        #expect(findings(["Sources/Price/Price.swift": price, "Sources/Shop/Cart.swift": text]) == [])
    }

    @Test("Two types with one name in different files are unknown, and private ones stand for their file alone")
    func ambiguous() {
        let cart = "import Axiom\nactor CartClient: StatelessClient, Component { var user: User? }"
        let user = "import Axiom\n%actor User: StatelessClient, Component {}"
        let both = [
            "Sources/Shop/A.swift": user.replacing("%", with: "@available(macOS 99, *) "),
            "Sources/Shop/B.swift": "struct User {}", "Sources/Shop/Cart.swift": cart,
        ]
        #expect(findings(both) == [])
        let hidden = [
            "Sources/Shop/A.swift": user.replacing("%", with: "private "), "Sources/Shop/B.swift": "struct User {}",
            "Sources/Shop/Cart.swift": cart,
        ]
        #expect(findings(hidden) == [])
    }

    @Test("The result does not depend on the number of threads or on the order of the files")
    func threads() {
        var texts = (0..<20).map { number in
            SourceText(
                path: "Sources/Shop/File\(number).swift",
                bytes: Array(
                    "import Axiom\nactor Client\(number): StatelessClient, Component { var a: Client\((number + 1) % 20)? }"
                        .utf8
                )
            )
        }
        let single = ProjectRun(Configuration()).judge(texts).findings
        #expect(single.count == 20)
        texts.shuffle()
        #expect(ProjectRun(Configuration(), threads: 7).judge(texts).findings == single)
    }

    @Test("Places count bytes from the byte order mark on, with any line end", arguments: ["\n", "\r\n", "\r"])
    func places(end: String) throws {
        let lines = ["import Axiom", "/* é */ actor Ä: StatelessClient, Component { var a: (any StatelessClient)? }"]
        let text = "\u{FEFF}" + lines.joined(separator: end) + end
        let finding = try #require(judge(text).findings.first)
        #expect(finding.location.start == .init(line: 2, column: 61))
        let bytes = Array(text.utf8)[finding.location.offsets]
        #expect(String(decoding: bytes, as: UTF8.self) == "StatelessClient")
    }
}
