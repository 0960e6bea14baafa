// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc

/// The folder in which a run keeps its files: one that was named, or a fresh one that goes with the run.
struct DataFolder: Sendable {
    let path: String
    private let isTemporary: Bool

    /// - Parameter named: A folder that is made when it does not exist, or nil for a fresh one.
    /// - Throws: ``StorageError`` that names the folder.
    init(_ named: String?) throws(StorageError) {
        if let named {
            (path, isTemporary) = (named, false)
            return
        }
        let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        var template = Array("\(parent)/axiom-demo.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw StorageError(operation: "make a folder in", path: parent, problem: String(cString: strerror(errno)))
        }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        isTemporary = true
    }

    /// Removes a temporary folder with all that is in it; leaves one that was named.
    ///
    /// - Throws: ``StorageError`` that names the folder.
    func remove() throws(StorageError) {
        guard isTemporary else { return }
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            throw StorageError(operation: "remove", path: path, problem: "\(error)")
        }
    }
}
