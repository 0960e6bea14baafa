// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomStatistics
import AxiomTestSupport
import Foundation
import Testing

@Suite("The baseline file")
struct BaselineFileTests {
    private static func code(_ bytes: some Sequence<UInt8>) -> ProfileError.Code? {
        do {
            _ = try BaselineFile(bytes: Array(bytes), name: "some.json")
            return nil
        } catch {
            return error.code
        }
    }

    @Test("A file survives being written and read, and the same contents give the same text")
    func roundTrip() throws {
        let folder = try TemporaryFolder()
        let file = try BaselineFile.sample()
        try file.save(to: folder.path("base.json"))
        let read = try BaselineFile.load(from: folder.path("base.json"))
        #expect(read == file)
        #expect(try read.text() == file.text())
        #expect(try folder.names == ["base.json"])
        try BaselineFile().save(to: folder.path("base.json"))
        #expect(try BaselineFile.load(from: folder.path("base.json")) == BaselineFile())
    }

    @Test("Each process run, window and acceptance is one line, so that a change of one shows as one")
    func lines() throws {
        var file = try BaselineFile.sample()
        let before = try file.text().split(separator: "\n")
        file.benchmarks[0].runs[1].samples["wall"]?[2] = 77
        let after = try file.text().split(separator: "\n")
        let changed = zip(before, after).filter { $0 != $1 }
        #expect(before.count == after.count)
        // The run and the checksum.
        #expect(changed.count == 2)
        #expect(changed.first?.1.contains("77") == true)
    }

    @Test("Members that this version does not know are kept, at every depth")
    func unknownMembers() throws {
        let text = try BaselineFile.sample().text()
        let places = [
            ("\"name\":", "\"future_top\": {\"a\": [1.50]}, \"name\":"),
            ("\"arch\":", "\"future_machine\": 7, \"arch\":"),
            ("\"process\": 2", "\"process\": 2, \"future_run\": \"x\""),
        ]
        var edited = text
        for (old, new) in places { edited = edited.replacingOccurrences(of: old, with: new) }
        let file = try BaselineFile(bytes: Array(try resealed(edited).utf8), name: "future")
        let written = try file.text()
        for name in ["\"future_top\": {", "[1.5]", "\"future_machine\": 7", "\"future_run\": \"x\""] {
            #expect(written.contains(name), "\(name)")
        }
        #expect(try BaselineFile(bytes: Array(written.utf8), name: "again") == file)
    }

    @Test("A newer, foreign, edited or damaged file each gives its own error with the remedy")
    func refusals() throws {
        let text = try BaselineFile.sample().text()
        #expect(Self.code(text.utf8) == nil)
        #expect(
            Self.code(text.replacingOccurrences(of: "\"schema_version\": 1", with: "\"schema_version\": 2").utf8)
                == .newerFile
        )
        #expect(Self.code(text.replacingOccurrences(of: "axiom-bench/baseline", with: "other").utf8) == .foreignFile)
        #expect(Self.code("[1, 2]".utf8) == .foreignFile)
        #expect(Self.code(text.replacingOccurrences(of: "first numbers", with: "First numbers").utf8) == .editedFile)
        #expect(Self.code(text.replacingOccurrences(of: "\"sha256\"", with: "\"sha257\"").utf8) == .editedFile)
        #expect(Self.code(text.utf8.dropLast(40)) == .damagedFile)
        #expect(Self.code([]) == .damagedFile)
        let wrong = text.replacingOccurrences(of: "\"logical_cpus\": ", with: "\"logical_cpus\": 0.5, \"x\": ")
        let error = #expect(throws: ProfileError.self) {
            try BaselineFile(bytes: Array(try resealed(wrong).utf8), name: "wrong.json")
        }
        #expect(error?.code == .damagedFile)
        #expect(
            error?.description.contains(": fingerprint.must_match.logical_cpus: ") == true,
            "\(error.map { "\($0)" } ?? "")"
        )
        #expect(error?.message.contains("wrong.json") == true)
    }

    @Test("One flipped bit of a file is an error that names the file, or leaves its contents as they were")
    func flipped() throws {
        let folder = try TemporaryFolder()
        let file = try BaselineFile.sample()
        let whole = Array(try file.text().utf8)
        let seed = TestSeed.drawn()
        var random = SeededGenerator(seed: seed)
        for round in 0..<2_000 {
            var bytes = whole
            bytes[random.index(below: bytes.count)] ^= 1 << UInt8(random.index(below: 8))
            try Data(bytes).write(to: URL(filePath: folder.path("base.json")))
            switch Result(catching: { () throws(ProfileError) in try BaselineFile.load(from: folder.path("base.json")) }
            ) {
            case .success(let found): #expect(found == file, "seed \(seed), round \(round)")
            case .failure(let error):
                #expect(error.message.contains(folder.path("base.json")), "seed \(seed), \(round): \(error)")
                #expect(throws: ProfileError.self) { try file.save(to: folder.path("base.json")) }
                #expect(try Data(contentsOf: URL(filePath: folder.path("base.json"))) == Data(bytes))
            }
        }
    }

    @Test("A missing member and one of the wrong type are named with their path")
    func paths() throws {
        let text = try BaselineFile.sample().text()
        let cases = [
            ("\"unit\": \"ns/iter\"", "\"unit\": 7", "benchmarks[0].metrics.wall.unit: "),
            ("\"process\": 1, ", "", "benchmarks[0].runs[1].process is missing"),
            ("\"count\": 51", "\"count\": 50", "live_profiles[0].windows[0].hist: "),
        ]
        for (old, new, expected) in cases {
            let wrong = text.replacingOccurrences(of: old, with: new)
            #expect(wrong != text, "\(old)")
            let error = #expect(throws: ProfileError.self) {
                try BaselineFile(bytes: Array(try resealed(wrong).utf8), name: "wrong.json")
            }
            #expect(error?.code == .damagedFile)
            #expect(error?.description.contains(expected) == true, "\(error.map { "\($0)" } ?? "")")
        }
    }

    @Test(
        "Stored files are read and written byte for byte, with the checksums that they have",
        arguments: [
            ("Benchmarks/baselines/main.json", nil),
            // Written by axiom-demo --record-profile before the reader used Foundation's decoder.
            (
                "Tests/AxiomStatisticsTests/Reference/live-profile.json",
                "69bcd9422ff3c8c05f0e7fd3af31d39ceaa1a6f5ef658b160e53b7083c4d4a1f"
            ),
        ] as [(String, String?)]
    )
    func stored(path: String, digest: String?) throws {
        let path = Repository.root.appending(path: path).path
        let stored = try String(contentsOfFile: path, encoding: .utf8)
        let file = try BaselineFile.load(from: path)
        #expect(!file.benchmarks.isEmpty || !file.liveProfiles.isEmpty)
        #expect(try file.text() == stored)
        if let digest { #expect(stored.hasSuffix("\"sha256\": \"\(digest)\"\n}\n")) }
    }

    @Test("Reformatting a file leaves its checksum valid")
    func layout() throws {
        let file = try BaselineFile.sample()
        let compact = try file.text().split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined()
        #expect(try BaselineFile(bytes: Array(compact.utf8), name: "compact") == file)
    }

    @Test("No such file is overwritten: it stays as it is, and nothing is left beside it")
    func neverOverwritten() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("base.json")
        let text = try BaselineFile.sample().text()
        let hostile: [(String, ProfileError.Code)] = [
            (text.replacingOccurrences(of: "\"schema_version\": 1", with: "\"schema_version\": 9"), .newerFile),
            (text.replacingOccurrences(of: "someone", with: "Someone"), .editedFile),
            (String(text.dropLast(100)), .damagedFile), ("", .damagedFile), ("# my notes", .damagedFile),
            ("{\"dependencies\": {}}", .foreignFile),
        ]
        for (contents, code) in hostile {
            try Data(contents.utf8).write(to: URL(filePath: path))
            let error = #expect(throws: ProfileError.self) { try BaselineFile.sample().save(to: path) }
            #expect(error?.code == code)
            #expect(error?.message.contains("left as it is") == true)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == contents)
            #expect(try folder.names == ["base.json"])
        }
    }

    @Test("A missing file, a missing folder, a folder and a pipe each give an error that names the path")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        let missing = #expect(throws: ProfileError.self) { try BaselineFile.load(from: folder.path("no.json")) }
        #expect(missing?.code == .missingFile)
        let nowhere = #expect(throws: ProfileError.self) { try BaselineFile().save(to: folder.path("no/base.json")) }
        #expect(nowhere?.code == .fileSystem && nowhere?.description.contains("No such file") == true)
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        for path in [folder.url.path, folder.path("pipe")] {
            let error = #expect(throws: ProfileError.self) { try BaselineFile.load(from: path) }
            #expect(error?.code == .fileSystem && error?.message.contains(path) == true)
            #expect(throws: ProfileError.self) { try BaselineFile().save(to: path) }
        }
        #expect(throws: ProfileError.self) { try BaselineFile().save(to: "") }
    }

    @Test("The mode of a file is kept, and through a symbolic link its target is replaced")
    func modeAndLink() throws {
        let folder = try TemporaryFolder()
        try BaselineFile().save(to: folder.path("base.json"))
        #expect(chmod(folder.path("base.json"), 0o640) == 0)
        #expect(symlink("base.json", folder.path("link.json")) == 0)
        let file = try BaselineFile.sample()
        try file.save(to: folder.path("link.json"))
        #expect(try BaselineFile.load(from: folder.path("base.json")) == file)
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("base.json"))
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o640)
        #expect(try folder.names == ["base.json", "link.json"])
    }

    @Test("Contradictory contents and NaN are rejected before the file is written")
    func invalid() throws {
        let folder = try TemporaryFolder()
        var file = try BaselineFile.sample()
        file.benchmarks[0].runs[0].samples["wall"]?[0] = .nan
        var error = #expect(throws: ProfileError.self) { try file.save(to: folder.path("a")) }
        #expect(error?.message.hasPrefix("benchmarks[0].runs[0].samples.wall[0] is nan") == true)
        file = try BaselineFile.sample()
        file.benchmarks[1].id = file.benchmarks[0].id
        error = #expect(throws: ProfileError.self) { try file.save(to: folder.path("a")) }
        #expect(error?.message.contains("occurs twice") == true)
        file = try BaselineFile.sample()
        file.benchmarks[1].runs[0].samples["cycles"] = [1]
        #expect(throws: ProfileError.self) { try file.save(to: folder.path("a")) }
        file = try BaselineFile.sample()
        file.liveProfiles[0].windows.reverse()
        #expect(throws: ProfileError.self) { try file.save(to: folder.path("a")) }
        #expect(throws: ProfileError.self) { try file.accept(at: "", by: "", reason: " \n") }
        #expect(try folder.names.isEmpty)
    }

    @Test("Writers of one file wait for each other: every one succeeds and the file is one of theirs")
    func manyWriters() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("base.json")
        try await withThrowingTaskGroup { group in
            for writer in 0..<8 {
                group.addTask {
                    for turn in 0..<5 {
                        var file = BaselineFile()
                        file.name = "\(writer)-\(turn)"
                        try file.save(to: path)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try BaselineFile.load(from: path).name.hasSuffix("-4"))
        #expect(try folder.names == ["base.json"])
    }

    @Test(
        "A written file is valid by the published schema, and one with wrong members is not",
        .enabled(if: ExternalTool.schemaPython.mayRun, Comment(rawValue: ExternalTool.schemaPython.installation))
    )
    func schema() async throws {
        let path = Repository.root.appending(path: "Documentation/schemas/axiom-bench-baseline-1.schema.json").path
        let script = """
            import json, sys, jsonschema
            schema = json.load(open(sys.argv[1]))
            jsonschema.Draft202012Validator.check_schema(schema)
            problems = jsonschema.Draft202012Validator(schema).iter_errors(json.load(sys.stdin))
            print([p.json_path for p in problems])
            """
        for file in [try BaselineFile.sample(), BaselineFile()] {
            let text = try file.text()
            let good = try await ExternalTool.schemaPython.run(["-c", script, path], input: Data(text.utf8))
            #expect(good.output == "[]\n", "\(good.errors)")
        }
        let wrong = try BaselineFile.sample().text()
            .replacingOccurrences(of: "\"exit\": \"ok\"", with: "\"exit\": 0")
            .replacingOccurrences(of: "\"alpha_family\": 0.01", with: "\"alpha_family\": 1.01")
        let bad = try await ExternalTool.schemaPython.run(["-c", script, path], input: Data(wrong.utf8))
        #expect(bad.output.contains("$.design.alpha_family") && bad.output.contains(".runs[0].exit"), "\(bad.errors)")
    }
}
