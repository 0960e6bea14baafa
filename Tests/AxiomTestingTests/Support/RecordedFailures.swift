// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

/// The texts of the failures that `body` records. The errors that it throws are among them.
@MainActor
func failures(_ body: @MainActor () async throws -> Void) async -> [String] {
    let texts = Texts()
    try? await withKnownIssue(isIntermittent: true) {
        try await body()
    } matching: { issue in
        texts.add(issue.comments.first?.rawValue ?? "\(issue)")
        return true
    }
    return texts.all
}

private final class Texts: Sendable {
    private let list = Lock<[String]>([])
    var all: [String] { list.withLock { $0 } }
    func add(_ text: String) { list.withLock { $0.append(text) } }
}
