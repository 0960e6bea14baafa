// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A temporary folder.
struct TestFolder {
    let path = FileManager.default.temporaryDirectory.appending(path: "axiom-demo-test-\(UUID())").path

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    func remove() throws {
        try FileManager.default.removeItem(atPath: path)
    }
}
