// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import AxiomVerification
import Foundation
import Testing

/// Packages of other people, which are fetched for the tests of the server Hummingbird.
enum OtherPackages {
    static let names = ["swift-nio", "hummingbird", "swift-service-lifecycle"]
    static let folder = Repository.root.appending(path: ".build-nested/checkouts")
    static let command = "Scripts/test --build hummingbird --only-build"

    /// In CI the packages must be there: tests without them fail.
    static let areExpected = exist || isCI

    private static let exist = names.allSatisfy {
        FileManager.default.fileExists(atPath: folder.appending(path: "\($0)/Package.swift").path)
    }
    private static let isCI = !["", "0", "false"].contains(ProcessInfo.processInfo.environment["CI"] ?? "")

    /// The files of a package; without AXIOM_TEST_SCALE=1 at most 150, drawn at random.
    static func files(of name: String) throws -> [SourceText] {
        let finder = SourceFinder(root: folder.appending(path: name).path, configuration: Configuration())
        var paths = try finder.find(["."])
        let scale = ProcessInfo.processInfo.environment["AXIOM_TEST_SCALE"].flatMap(Double.init) ?? 0.01
        if scale < 1, paths.count > 150 {
            var random = SplitMix64(seed: TestSeed.drawn())
            paths = paths.shuffled(using: &random).prefix(150).sorted()
        }
        return try finder.read(paths)
    }
}

@Suite("Packages of other people", .timeLimit(.minutes(10)))
struct OtherPackagesTests {
    @Test(
        "They are read without a crash, have no findings, and the report depends neither on threads nor on the cache",
        .enabled(if: OtherPackages.areExpected, "Run: \(OtherPackages.command)"),
        arguments: OtherPackages.names
    )
    func read(name: String) throws {
        let files = try OtherPackages.files(of: name)
        try #require(files.count > 10)
        let cache = try SampleFolder()
        let verdict = ProjectRun(Configuration(), threads: 2, cache: cache.path("facts")).judge(files)
        #expect(verdict.fileCount == files.count)
        #expect(verdict.unreadableFiles.map(\.location.path) == [])
        #expect(verdict.findings.map { "\($0.location.path):\($0.location.start.line) \($0.rule.rawValue)" } == [])
        let kept = ProjectRun(Configuration(), threads: 1, cache: cache.path("facts")).judge(files)
        // Without a cache, one thread reads the files again.
        let again = ProjectRun(Configuration(), threads: 1).judge(files)
        for format in FindingFormat.allCases {
            let reporter = format.reporter(isColored: false)
            #expect(reporter.text(kept) == reporter.text(verdict))
            #expect(reporter.text(again) == reporter.text(verdict))
        }
    }
}
