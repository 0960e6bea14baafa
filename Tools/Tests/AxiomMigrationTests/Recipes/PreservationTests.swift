// SPDX-License-Identifier: Apache-2.0

import AxiomMigration
import AxiomSyntax
import AxiomTestSupport
import Foundation
import Testing

@Suite("What a migration leaves as it is", .timeLimit(.minutes(15)))
struct PreservationTests {
    /// Migrates texts, and gives the new ones by path.
    private func migrate(_ files: [SourceText]) -> [String: [UInt8]] {
        let changes = RecipeRun(files).run().changes
        return Dictionary(files.map { ($0.path, $0.bytes) } + changes.map { ($0.path, $0.new) }) { _, new in new }
    }

    @Test("Line ends of CRLF and byte order marks stay, and change nothing else (property)", arguments: OldApp.allCases)
    func lineEnds(app: OldApp) throws {
        let files = try app.files
        let plain = migrate(files)
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        for hasMark in [false, true] {
            let changed = files.map { file in
                SourceText(path: file.path, bytes: (hasMark ? mark : []) + file.bytes.withCRLF)
            }
            for (path, bytes) in migrate(changed) {
                let expected = (hasMark ? mark : []) + (plain[path] ?? []).withCRLF
                #expect(bytes == expected, "\(path)\n\(UnifiedDiff(path: path, from: expected, to: bytes).text)")
            }
        }
    }

    @Test("Comments at random places survive, and the code is the same (mutation)", arguments: OldApp.allCases)
    func comments(app: OldApp) async throws {
        let seed = TestSeed.drawn()
        var generator = SplitMix64(seed: seed)
        let files = try app.files
        let plain = migrate(files)
        for round in 0..<rounds {
            // Other tests wait for the same few threads.
            await Task.yield()
            var marks: [String: [String]] = [:]
            let commented = files.map { file in
                let (bytes, added) = file.bytes.commented(&generator, round)
                marks[file.path] = added
                return SourceText(path: file.path, bytes: bytes)
            }
            let result = migrate(commented)
            for (path, added) in marks {
                let text = String(decoding: result[path] ?? [], as: UTF8.self)
                for mark in added {
                    #expect(text.ranges(of: mark).count == 1, "\(mark) in \(path), seed \(seed)\n\(text)")
                }
                let code = String(decoding: plain[path] ?? [], as: UTF8.self)
                #expect(words(text) == words(code), "\(path), seed \(seed)")
            }
        }
    }

    @Test("Code that has nothing to do with Axiom stays byte by byte (mutation)", arguments: OldApp.allCases)
    func unrelated(app: OldApp) async throws {
        let seed = TestSeed.drawn()
        var generator = SplitMix64(seed: seed)
        let files = try app.files
        for round in 0..<rounds {
            // Other tests wait for the same few threads.
            await Task.yield()
            let added = Self.strangers.map { $0.replacing("N", with: "\(round)") }
            let changed = files.map { file in
                let text = "\n" + added.shuffled(using: &generator).joined(separator: "\n") + "\n"
                // Before the imports, or at the end.
                let imports = file.bytes.firstRange(of: Array("import".utf8))?.lowerBound ?? 0
                let place = Bool.random(using: &generator) ? file.bytes.count : imports
                var bytes = file.bytes
                bytes.insert(contentsOf: text.utf8, at: place)
                return SourceText(path: file.path, bytes: bytes)
            }
            for (path, bytes) in migrate(changed) {
                let text = String(decoding: bytes, as: UTF8.self)
                for stranger in added { #expect(text.contains(stranger), "\(path), seed \(seed)\n\(text)") }
            }
        }
    }

    @Test("Declarations inside of #if are migrated as those outside (property)", arguments: OldApp.allCases)
    func conditions(app: OldApp) throws {
        let files = try app.files
        let plain = migrate(files)
        let wrapped = files.map { file in
            let text = String(decoding: file.bytes, as: UTF8.self)
            return SourceText(path: file.path, bytes: Array("#if DEBUG || !DEBUG\n\(text)#endif\n".utf8))
        }
        for (path, bytes) in migrate(wrapped) {
            let code = words(String(decoding: plain[path] ?? [], as: UTF8.self)).sorted()
            let text = words(String(decoding: bytes, as: UTF8.self)).filter {
                !["#if", "#endif", "DEBUG", "||", "!DEBUG"].contains($0)
            }
            #expect(text.sorted() == code, "\(path)")
        }
    }

    @Test("Code of 1.0 is left as it is, and nothing is said about it: the demo")
    func demo() throws {
        let root = Repository.root.appending(path: "Sources/axiom-demo").path
        let files = try SourceFiles.find(["."], root: root)
        #expect(files.count > 20)
        let outcome = RecipeRun(files).run()
        #expect(outcome.diff == "")
        #expect(outcome.notes.isEmpty, "\(outcome.notes)")
    }

    /// How often the tests mutate each application: 60 times AXIOM_TEST_SCALE, which is a twentieth by default.
    private var rounds: Int {
        let scale = ProcessInfo.processInfo.environment["AXIOM_TEST_SCALE"].flatMap(Double.init) ?? 0.05
        return max(2, Int(60 * scale))
    }

    /// The words of a text outside of comments.
    private func words(_ text: String) -> [String] {
        let code = text.replacing(/\/\*m[^*]*\*\//, with: " ").replacing(/\/\/m.*/, with: " ")
        return code.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    private static let strangers = [
        "struct PointN {\n  var  state=1 ;mutating func send( _ value:Int ){ state = value }\n}",
        "final class LogN {\n\tvar continuation: [Int] = []\n\tfunc yield() { continuation.append(1) }\n}",
        "enum KindN { case loggedIn, other }   // odd   blanks",
        "func dispatchN(_ body: () -> Void) { body() }",
    ]
}

extension [UInt8] {
    fileprivate var withCRLF: [UInt8] { flatMap { $0 == UInt8(ascii: "\n") ? [UInt8(ascii: "\r"), $0] : [$0] } }

    /// Adds comments: some on lines of their own, some at the ends of lines.
    fileprivate func commented(_ generator: inout SplitMix64, _ round: Int) -> ([UInt8], [String]) {
        var marks: [String] = []
        let lines = String(decoding: self, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let result = lines.enumerated().map { index, line -> String in
            guard Int.random(in: 0..<6, using: &generator) == 0, index < lines.count - 1 else { return String(line) }
            let name = "m\(round)x\(index)x"
            let blanks = line.prefix { $0 == " " }
            switch Int.random(in: 0..<3, using: &generator) {
            case 0:
                marks.append("//\(name)")
                return "\(blanks)//\(name)\n\(line)"
            case 1:
                marks.append("/*\(name)*/")
                return "\(blanks)/*\(name)*/\n\(line)"
            default:
                guard !line.contains("//"), !line.contains("\"\"\"") else { return String(line) }
                marks.append("//\(name)")
                return "\(line)  //\(name)"
            }
        }
        return (Array(result.joined(separator: "\n").utf8), marks)
    }
}
