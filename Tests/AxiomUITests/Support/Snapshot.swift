// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AxiomTesting

/// Compares `text` with a file in the folder Golden beside the calling file, and shows a difference as a unified diff.
/// With AXIOM_RECORD=1 in the environment the file is written instead. Escape characters are written as `␛`.
func expectSnapshot(
    _ text: String,
    _ name: String,
    sourceLocation: SourceLocation = #_sourceLocation,
    source: String = #filePath
) {
    let golden = GoldenFile("Golden/\(name)", besides: source)
    let visible = text.replacing("\u{1B}", with: "␛") + "\n"
    switch golden.compare(visible, isRecording: GoldenFile.isRecording) {
    case .equal: break
    case .recorded(let message):
        Issue.record(Comment(rawValue: message), severity: .warning, sourceLocation: sourceLocation)
    case .failed(let message): Issue.record(Comment(rawValue: message), sourceLocation: sourceLocation)
    }
}
