// SPDX-License-Identifier: Apache-2.0

// The first example of Documentation/caches.md. A test compares the two.
import Axiom
import AxiomStorage

struct Picture: Sendable {
    let bytes: [UInt8]
}

/// Keeps up to 500 pictures for 10 minutes, in up to 20 MB.
@MainActor
func makePictures(_ orchestrator: Orchestrator) throws -> Cache<String, Picture> {
    try orchestrator.cache(
        "pictures",
        limits: CacheLimits(entries: 500, lifetime: .seconds(600), staleLifetime: .seconds(3_600)),
        cost: .bytes(20_000_000) { _, picture in picture.bytes.count }
    )
}

func describe(
    _ name: String,
    in pictures: Cache<String, Picture>,
    load: @escaping @Sendable () async throws -> Picture
) async throws -> String {
    let found = try await pictures.freshOrStale(name, orLoad: load)
    let size = "\(found.value.bytes.count) bytes"
    return found.isStale ? "\(size), \(found.age.components.seconds) s old" : size
}
