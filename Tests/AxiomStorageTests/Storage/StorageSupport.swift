// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomStorage
import AxiomTestSupport
import Foundation

/// A folder of one test, removed with the object.
final class StorageFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "axiom-storage-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The names of all files, in order.
    func names(_ folder: String = "") -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)")) ?? []).sorted()
    }

    func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: "\(path)/\(name)"))) }

    func write(_ bytes: [UInt8], _ name: String) throws { try Data(bytes).write(to: URL(filePath: "\(path)/\(name)")) }
}

/// The storages that keep the same contract.
enum StorageKind: String, CaseIterable, Sendable {
    case memory
    case files
    case sqlite

    static let onDisk: [StorageKind] = [.files, .sqlite]

    /// The path of the storage in the folder of a test.
    func path(_ folder: StorageFolder) -> String {
        self == .sqlite ? "\(folder.path)/storage.db" : "\(folder.path)/storage"
    }

    /// A storage in a folder.
    func make(_ folder: StorageFolder, _ options: StorageOptions = .quiet) -> any KeyValueStorage {
        switch self {
        case .memory: MemoryStorage()
        case .files: FileStorage(folder: path(folder), options: options)
        case .sqlite: SQLiteStorage(path: path(folder), options: options)
        }
    }

    /// Ends a storage and opens it again; a storage in memory stays.
    func reopen(_ storage: any KeyValueStorage, _ folder: StorageFolder) async -> any KeyValueStorage {
        await storage.end()
        return self == .memory ? storage : make(folder)
    }
}

extension StorageOptions {
    /// Prints nothing.
    static let quiet = StorageOptions(onSetAside: { _ in })
    /// Does not wait long for a lock.
    static let impatient = StorageOptions(lockTimeout: .milliseconds(20), onSetAside: { _ in })
}

extension KeyValueStorage {
    func end() async { await (self as? any DiskStorage)?.terminate() }

    /// The damaged files that were set aside at the start.
    var setAside: StorageError? {
        get async {
            switch self {
            case let files as FileStorage: await files.setAside
            case let database as SQLiteStorage: await database.setAside
            default: nil
            }
        }
    }
}

/// The error of a storage that a body throws; nil if it throws none.
func storageError(
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Void
) async -> StorageError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? StorageError
    }
}
