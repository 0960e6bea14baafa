// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomResilience
internal import Dispatch
internal import Foundation

/// Named files.
protocol Storage: Sendable {
    /// The contents of a file; nil if there is no file of that name.
    ///
    /// - Throws: ``StorageError``.
    func read(_ name: String) async throws -> [UInt8]?

    /// Replaces the contents of a file. A reader sees the old contents or the new ones, also after a crash.
    ///
    /// Changes run one after the other. What `change` reads when it runs is written before any later change.
    ///
    /// - Parameter change: Gets the present contents, nil if there is no file, and returns the new contents; nil leaves the
    ///   file as it is.
    /// - Throws: ``StorageError``, and the error of `change`.
    func update(_ name: String, _ change: @escaping @Sendable ([UInt8]?) throws -> [UInt8]?) async throws
}

/// A file could not be read or written.
struct StorageError: AxiomError {
    let operation: String
    let path: String
    let problem: String

    var code: ErrorCode { "SHOP_STORAGE" }
    var message: String { "Could not \(operation) \(path): \(problem)." }
    var recoverySuggestion: String { "Check the folder's permissions and the free space, or use another folder." }
}

/// The file system: one folder of files.
actor FileStorage: Capability, Storage {
    nonisolated let identity: ComponentIdentity
    private let folder: String
    /// Protects each access to the disk; nil for none.
    private let policy: Policy?
    /// Reads and writes the files, one after the other. The disk may block a thread, and the threads that actors share
    /// must not block.
    private let queue = DispatchQueue(label: "axiom-demo.storage")

    init(_ scope: borrowing CapabilityScope, folder: String, policy: Policy? = nil) {
        identity = scope.identity
        self.folder = folder
        self.policy = policy
    }

    /// Creates the folder if there is none.
    func initialize() async throws {
        try await onQueue { [folder] in
            try Self.translated("create the folder", folder) {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            }
        }
    }

    nonisolated func read(_ name: String) async throws -> [UInt8]? {
        let path = try path(of: name)
        return try await onQueue { try Self.contents(of: path) }
    }

    nonisolated func update(
        _ name: String,
        _ change: @escaping @Sendable ([UInt8]?) throws -> [UInt8]?
    ) async throws {
        let path = try path(of: name)
        try await onQueue {
            let old = try Self.contents(of: path)
            guard let new = try change(old), new != old else { return }
            try Self.translated("write", path) { try AtomicFile.write(new, to: path) }
        }
    }

    private nonisolated func onQueue<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        guard let policy else { return try await enqueued(work) }
        return try await policy.run { try await enqueued(work) }
    }

    private nonisolated func enqueued<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: work)) }
        }
    }

    /// A name stays inside of the folder: letters, digits, `-`, `_` and `.`, without a dot in front.
    private nonisolated func path(of name: String) throws(StorageError) -> String {
        let isSound = name.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
            default: false
            }
        }
        guard isSound, !name.isEmpty, !name.hasPrefix(".") else {
            throw StorageError(
                operation: "use",
                path: name.debugDescription,
                problem: "a name has letters, digits, '-', '_' and '.', without a dot in front"
            )
        }
        return folder + "/" + name
    }

    private static func contents(of path: String) throws(StorageError) -> [UInt8]? {
        try translated("read", path) {
            do {
                return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
            } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
                return nil
            }
        }
    }

    private static func translated<R>(
        _ operation: String,
        _ path: String,
        _ work: () throws -> R
    ) throws(StorageError) -> R {
        do {
            return try work()
        } catch {
            throw StorageError(operation: operation, path: path, problem: error.localizedDescription)
        }
    }
}
