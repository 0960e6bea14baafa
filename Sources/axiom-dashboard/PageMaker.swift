// SPDX-License-Identifier: Apache-2.0

internal import AxiomDashboard
internal import Foundation

/// A file could not be read or written.
struct FileFailure: Error, CustomStringConvertible {
    let description: String
}

/// Reads snapshots and writes pages.
enum PageMaker {
    static func render(_ path: String) throws -> [UInt8] {
        try DashboardFile.render(read(path), from: path)
    }

    static func diff(_ before: String, _ after: String) throws -> [UInt8] {
        try DashboardFile.diff(read(before), from: before, read(after), from: after)
    }

    static func read(_ path: String) throws -> [UInt8] {
        do {
            return [UInt8](try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw FileFailure(
                description: "\(path) cannot be read: \(Self.reason(error)). Name a file that a dashboard saved."
            )
        }
    }

    /// As a whole or not at all.
    static func write(_ page: [UInt8], to path: String) throws {
        do {
            try Data(page).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw FileFailure(
                description:
                    "\(path) cannot be written: \(Self.reason(error)). Name a file in a folder that exists and is yours."
            )
        }
    }

    private static func reason(_ error: any Error) -> String {
        guard let error = error as? CocoaError else { return "\(error)" }
        return switch error.code {
        case .fileReadNoSuchFile, .fileNoSuchFile: "there is no such file or folder"
        case .fileReadNoPermission, .fileWriteNoPermission: "permission is missing"
        case .fileWriteOutOfSpace: "the disk is full"
        default: "the system refused (\(error.code.rawValue))"
        }
    }
}
