// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomVerification
import Testing

@Suite("Corpus: this repository", .timeLimit(.minutes(10)))
struct OwnSourcesTests {
    @Test("The snippets of the documentation have no findings")
    func documentation() throws {
        let documents = try OwnSources.snippets()
        var components = 0
        let programs = documents.sorted { $0.key < $1.key }.flatMap { path, programs in programs.map { (path, $0) } }
        for (path, snippets) in programs {
            let verdict = ProjectRun(Configuration()).judge(snippets)
            components += verdict.metrics.map(\.componentCount).reduce(0, +)
            #expect(verdict.findings.map { "\(path): \($0.rule.rawValue) \($0.message)" } == [])
            #expect(verdict.unreadableFiles.map { "\(path), block \($0.location.path)" } == [])
        }
        #expect(components > 20)
    }
}
