// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import Foundation

@testable import AxiomStorage

extension StorageKind {
    /// Changes one byte of the value of a key on the disk. The storage has to be closed.
    func damage(_ key: StorageKey, in folder: StorageFolder, _ random: inout SeededGenerator) throws {
        switch self {
        case .memory: break
        case .files:
            let name = "storage/\(FileNames.name(key))"
            var bytes = try folder.bytes(name)
            bytes[random.index(below: bytes.count)] ^= 1 << UInt8(random.index(below: 8))
            try folder.write(bytes, name)
        case .sqlite:
            let connection = try SQLiteConnection(path(folder), milliseconds: 1_000)
            let name = Data(key.name.utf8)
            var value = Data()
            try connection.run("SELECT value FROM entries WHERE key = ?1", [.blob(name)]) { value = $0.blob(0) }
            value[random.index(below: value.count)] ^= 1 << UInt8(random.index(below: 8))
            try connection.run("UPDATE entries SET value = ?1 WHERE key = ?2", [.blob(value), .blob(name)])
            connection.close()
        }
    }
}
