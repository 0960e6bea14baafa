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
) async -> String {
    switch await pictures.answer(for: name, orLoad: load) {
    case .fresh(let picture): "\(picture.bytes.count) bytes"
    case .cached(let picture, let age): "\(picture.bytes.count) bytes, \(age.components.seconds) s old"
    case .empty(let reason): "none: \(reason)"
    }
}
