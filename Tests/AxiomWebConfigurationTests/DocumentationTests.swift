// SPDX-License-Identifier: Apache-2.0

import AxiomHTTP
import AxiomTestSupport
import AxiomWebConfiguration
import Foundation
import Testing

@Suite(
    "The page on TLS",
    .timeLimit(.minutes(10)),
    .enabled(if: ExternalTool.openssl.mayRun, Comment(rawValue: ExternalTool.openssl.installation))
)
struct DocumentationTests {
    private static func blocks(_ language: String) throws -> [String] {
        let page = Repository.root.appending(path: "Documentation/tls.md")
        return try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```\(language)\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
    }

    @Test("Its examples compile")
    func examples() async throws {
        let blocks = try Self.blocks("swift")
        #expect(blocks.count == 2)
        for block in blocks {
            let result = try await Compiler().compile(block)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.errors.isEmpty, "\(result.errors)")
        }
    }

    @Test("Its web.yml is one that can be used, and its error is one that is printed")
    func file() async throws {
        let folder = try await WebFolder()
        let text = try #require(try Self.blocks("yaml").first)
        try folder.certificates.replace("scrapers", by: "ca")
        try folder.certificates.write("0123456789abcdef0123456789abcdef\n", to: "scrape.token")
        let web = try folder.read(text)
        #expect(web.tls?.clientAuthentication == .requireAndVerify)
        #expect(web.authentication?.users.keys.sorted() == ["ann"])
        #expect(web.authentication?.exemptsHealthChecks == true)
        try await folder.certificates.issue("other", usage: "serverAuth")
        try folder.certificates.replace("server", by: "other")
        try FileManager.default.removeItem(atPath: folder.certificates.path("server.key"))
        try FileManager.default.copyItem(
            atPath: folder.certificates.path("ca.key"),
            toPath: folder.certificates.path("server.key")
        )
        let page = try String(contentsOf: Repository.root.appending(path: "Documentation/tls.md"), encoding: .utf8)
        let error = try #require(try folder.error(text))
        #expect(page.contains("    " + error + "\n"), "\(error)")
    }
}
