// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomBenchmarking

@Suite("Programs that are kept for the next run")
struct KeptFileTests {
    @Test("One flipped bit of any file of a kept program, and a file that is gone, lead to a new build")
    func flipped() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-kept-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let seed = TestSeed.drawn()
        var random = SeededGenerator(seed: seed)
        let (source, kept) = ("\(folder)/source", "\(folder)/kept/program")
        try Data((0..<3_000).map { _ in UInt8(random.index(below: 256)) }).write(to: URL(filePath: source))
        #expect(!RevisionBuild.isWhole(kept))
        try KeptFile(kept).keep(source)
        #expect(RevisionBuild.isWhole(kept))
        try KeptFile("\(kept).tar").keep(source)
        let paths = ["", ".digest", ".tar", ".tar.digest"].map { kept + $0 }
        for round in 0..<200 {
            let path = paths[random.index(below: paths.count)]
            let whole = try Data(contentsOf: URL(filePath: path))
            #expect(RevisionBuild.isWhole(kept))
            var bytes = whole
            bytes[random.index(below: bytes.count)] ^= 1 << UInt8(random.index(below: 8))
            try bytes.write(to: URL(filePath: path))
            #expect(!RevisionBuild.isWhole(kept), "seed \(seed), round \(round)")
            try FileManager.default.removeItem(atPath: path)
            #expect(!RevisionBuild.isWhole(kept), "seed \(seed), round \(round)")
            try whole.write(to: URL(filePath: path))
        }
    }

    @Test("A folder that cannot be written is an error that names the file and the cause")
    func unwritable() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-kept-\(UUID())").path
        try Data([1]).write(to: URL(filePath: folder))
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let error = #expect(throws: BenchmarkError.self) { try KeptFile("\(folder)/program").keep(folder) }
        #expect("\(String(describing: error))".contains("\(folder)/program"), "\(String(describing: error))")
    }
}
