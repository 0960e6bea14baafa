// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBenchmarking
import AxiomNavigation
import AxiomStorage
import Foundation

/// The cost of keeping the state of an application in files. A save flushes a file and its folder, so it depends on the
/// disk. The goals are shares of the 5 s that a change to the background may take, and of the 100 ms of a warm start.
enum RestorationRows {
    static let rows: [FrameworkSuite.Row] = [
        .init(
            id: "restoration.save",
            statement: "an image of 100 kB saved and flushed < 50 ms, median of 100",
            unit: "ms",
            limit: 50,
            measure: { try await withArchive { try await saves($0).percentile(0.5) } }
        ),
        .init(
            id: "restoration.load",
            statement: "an image of 100 kB loaded and its launch counted < 25 ms, median of 100",
            unit: "ms",
            limit: 25,
            measure: { try await withArchive { try await loads($0).percentile(0.5) } }
        ),
    ]

    /// 20 contexts of 3.75 kB, which base64 makes 5 kB.
    private static let image = AppImage(
        appVersion: Version(1, 0, 0),
        savedAt: 0,
        contexts: Dictionary(
            uniqueKeysWithValues: (0..<20).map { index in
                let bytes = (0..<3_750).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ index) }
                return ("Context/\(index)", ContextImage(version: 1, data: Data(bytes)))
            }
        )
    )

    private static func saves(_ archive: StorageArchive) async throws -> Durations {
        var durations = Durations()
        for _ in 0..<100 { try await durations.time { try await archive.save(image) } }
        return durations
    }

    private static func loads(_ archive: StorageArchive) async throws -> Durations {
        var durations = Durations()
        try await archive.save(image)
        for _ in 0..<100 {
            try await durations.time { blackHole(try await archive.load().image?.contexts.count ?? 0) }
            try await archive.launched()
        }
        return durations
    }

    private static func withArchive(_ body: (StorageArchive) async throws -> Double) async throws -> Double {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-bench-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await body(StorageArchive(FileStorage(folder: folder), appVersion: Version(1, 0, 0)))
    }
}
