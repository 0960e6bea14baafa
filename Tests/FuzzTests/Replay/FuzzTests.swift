// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("Fuzzing", .timeLimit(.minutes(10)))
struct FuzzTests {
    /// New inputs for each target with `AXIOM_TEST_SCALE=1`. `Scripts/fuzz` makes many more, guided by coverage.
    private static let full = 100_000

    private static var scale: Double { TestScale.factor(usual: 0.01) }

    @Test("Every invariant holds for the kept corpus", arguments: FuzzTarget.all.map(\.name))
    func corpus(name: String) async throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let inputs = try KeptCorpus.inputs(of: name)
        #expect(!inputs.isEmpty, "\(KeptCorpus.folder.path) has no inputs of \(name)")
        for input in inputs {
            try run(target, input)
            await Task.yield()
        }
    }

    @Test("Every invariant holds for changed inputs of the kept corpus", arguments: FuzzTarget.all.map(\.name))
    func mutations(name: String) async throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let seed = TestSeed.drawn(for: "mutations of \(name)")
        var mutator = Mutator(target, try KeptCorpus.inputs(of: name), SplitMix64(seed: seed))
        // An input of the server is a connection.
        let count = Int(Double(Self.full) * Self.scale) / (name == "server" ? 10 : 1)
        for _ in 0..<max(20, count) {
            try run(target, mutator.next())
            // The handlers of the server need the same threads.
            await Task.yield()
        }
    }

    private func run(_ target: FuzzTarget, _ input: [UInt8]) throws {
        do {
            try target.check(input)
        } catch {
            Issue.record("\(target.name): \(error)\nThe input, as a line of the corpus: \(KeptCorpus.encoded(input))")
            throw error
        }
    }

    @Test("A target that is broken is noticed")
    func broken() {
        let target = FuzzTarget("broken") { try requireEqual($0.count, 0, "the length") }
        #expect(throws: Never.self) { try target.check([]) }
        #expect(throws: FuzzFailure.self) { try target.check([1]) }
    }

    @Test("A line of the corpus is read as the bytes that were written")
    func lines() throws {
        let all = (UInt8.min...UInt8.max).map { $0 }
        for input in [all, Array("#comment".utf8), Array("\\x41".utf8), [], Array("\\\\".utf8)] {
            let line = KeptCorpus.encoded(input)
            #expect(try KeptCorpus.decoded(Array(line.utf8)) == input)
            #expect(!line.hasPrefix("#") && line.utf8.allSatisfy { (0x20...0x7E).contains($0) })
        }
        for wrong in ["\\", "\\x", "\\x4", "\\xzz", "\\n"] {
            #expect(throws: KeptCorpus.Malformed.self) { try KeptCorpus.decoded(Array(wrong.utf8)) }
        }
    }

    @Test("Each file of the corpus belongs to a target")
    func files() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: KeptCorpus.folder.path)
        let known = Set(FuzzTarget.all.map { "\($0.name).txt" })
        #expect(Set(names.filter { $0.hasSuffix(".txt") }).isSubset(of: known))
        #expect(Set(FuzzTarget.all.map(\.name)).count == FuzzTarget.all.count)
    }
}

@Suite("The second reading of requests")
struct RequestReferenceTests {
    private static func verdicts(_ text: String) -> [RequestReference.Verdict] {
        RequestReference(Array(text.utf8)).verdicts
    }

    @Test("It knows what is well formed, what is not, and what is left to the server")
    func verdicts() {
        let good = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        #expect(Self.verdicts(good + good) == [.answered(staysOpen: true), .answered(staysOpen: true)])
        #expect(Self.verdicts("GET / HTTP/1.0\r\n\r\n" + good) == [.answered(staysOpen: false)])
        #expect(Self.verdicts("GET / HTTP/1.1\r\nHost : a\r\n\r\n" + good) == [.refused])
        #expect(Self.verdicts("GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n") == [.refused])
        #expect(Self.verdicts("GET / HTTP/1.1\nHost: a\r\n\r\n") == [.refused])
        #expect(Self.verdicts("GET / HTTP/1.1\r\nHo") == [.incomplete])
        let post = "POST / HTTP/1.1\r\nHost: a\r\n"
        #expect(Self.verdicts(post + "Content-Length: 3\r\n\r\nabc" + good).count == 2)
        #expect(Self.verdicts(post + "Content-Length: 3\r\n\r\nab") == [.incomplete])
        #expect(Self.verdicts(post + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc") == [.refused])
        let chunked = post + "Transfer-Encoding: chunked\r\n\r\n"
        #expect(Self.verdicts(chunked + "3\r\nabc\r\n0\r\n\r\n" + good).count == 2)
        #expect(Self.verdicts(chunked + "3;a\r\nabc\r\n0\r\n\r\n" + good) == [.open])
        #expect(Self.verdicts("\r\n" + good) == [.open])
    }
}
