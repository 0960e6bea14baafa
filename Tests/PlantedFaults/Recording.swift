// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Foundation

/// What the application really did, written by itself and without Axiom: a line for each call that ended, with its name, its
/// start in seconds since 1970 and its duration in seconds. Nil if nothing is recorded.
private let recording = Lock<FileHandle?>(nil)

/// - Throws: An error if the file cannot be created.
func startRecording(to path: String) throws {
    try Data().write(to: URL(fileURLWithPath: path))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    recording.withLock { $0 = file }
}

/// Runs `body` on the caller's actor and records the call.
func recorded<R>(
    _ name: String,
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> R
) async throws -> R {
    let (date, start) = (Date().timeIntervalSince1970, ContinuousClock.now)
    defer {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        recording.withLock { $0?.write(Data("\(name) \(date) \(seconds)\n".utf8)) }
    }
    return try await body()
}
