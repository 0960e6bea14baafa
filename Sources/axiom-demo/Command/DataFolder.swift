// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Foundation

/// A folder could not be created or removed.
struct FolderError: AxiomError {
    let operation: String
    let path: String
    let problem: String

    var code: ErrorCode { "SHOP_FOLDER" }
    var message: String { "Could not \(operation) \(path): \(problem)." }
    var recoverySuggestion: String { "Check the folder's permissions and the free space, or use another folder." }
}

/// The folder of a run's files: a given one, or a temporary one.
struct DataFolder: Sendable {
    let path: String
    private let isTemporary: Bool

    /// - Parameter path: A folder, which is created if it does not exist; nil for a new temporary folder.
    /// - Throws: ``FolderError`` that names the folder.
    init(_ path: String?) throws(FolderError) {
        if let path {
            (self.path, isTemporary) = (path, false)
            return
        }
        let named = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
        let parent = named.isEmpty ? "/tmp" : named
        var template = Array("\(parent)/axiom-demo.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw FolderError(operation: "create a folder in", path: parent, problem: String(cString: strerror(errno)))
        }
        self.path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        isTemporary = true
    }

    /// Removes a temporary folder with its contents. A given folder stays.
    ///
    /// - Throws: ``FolderError`` that names the folder.
    func remove() throws(FolderError) {
        guard isTemporary else { return }
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            throw FolderError(operation: "remove", path: path, problem: "\(error)")
        }
    }
}
