// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomResilience
internal import Dispatch
internal import Glibc

/// The file system: one folder of files that are replaced as a whole.
actor FileStorage: Capability, Storage {
    nonisolated let identity: ComponentIdentity
    private let folder: String
    /// What stands around every access to the disk; nothing unless told.
    private let policy: Policy?
    /// Where the files are read and written, one after the other: the disk may block, and the threads that actors
    /// share must not.
    private let queue = DispatchQueue(label: "axiom-demo.storage")

    init(_ scope: borrowing CapabilityScope, folder: String, policy: Policy? = nil, ledger: Ledger) {
        identity = scope.identity
        self.folder = folder
        self.policy = policy
        ledger.singletons.created(Self.componentName, self)
    }

    /// Makes the folder where there is none, and removes what a crash left unfinished.
    func initialize() async throws {
        try await onQueue { [folder] in
            guard mkdir(folder, 0o755) == 0 || errno == EEXIST else {
                throw StorageError(
                    operation: "make the folder",
                    path: folder,
                    problem: String(cString: strerror(errno))
                )
            }
            try Self.translated { () throws(AtomicFile.Failure) in try AtomicFile.removeUnfinished(in: folder) }
        }
    }

    nonisolated func read(_ name: String) async throws -> [UInt8]? {
        let path = try path(of: name)
        return try await onQueue { try Self.translated { () throws(AtomicFile.Failure) in try AtomicFile.read(path) } }
    }

    nonisolated func update(
        _ name: String,
        _ change: @escaping @Sendable ([UInt8]?) throws -> [UInt8]?
    ) async throws {
        let path = try path(of: name)
        try await onQueue {
            let old = try Self.translated { () throws(AtomicFile.Failure) in try AtomicFile.read(path) }
            guard let new = try change(old), new != old else { return }
            try Self.translated { () throws(AtomicFile.Failure) in try AtomicFile.write(new, to: path) }
        }
    }

    private nonisolated func onQueue<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws
        -> Result
    {
        guard let policy else { return try await enqueued(work) }
        return try await policy.run { try await enqueued(work) }
    }

    private nonisolated func enqueued<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws
        -> Result
    {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result(catching: work)) }
        }
    }

    /// A name stays inside of the folder: letters, digits, `-`, `_` and `.`, and no dot in front.
    private nonisolated func path(of name: String) throws(StorageError) -> String {
        let isSound = name.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
            default: false
            }
        }
        guard isSound, !name.isEmpty, !name.hasPrefix("."), !name.hasSuffix(AtomicFile.unfinishedSuffix) else {
            throw StorageError(
                operation: "use",
                path: name.debugDescription,
                problem: "a name has letters, digits, '-', '_' and '.', with no dot in front"
            )
        }
        return folder + "/" + name
    }

    private static func translated<Result>(
        _ work: () throws(AtomicFile.Failure) -> Result
    ) throws(StorageError) -> Result {
        do {
            return try work()
        } catch {
            throw StorageError(operation: error.operation, path: error.path, problem: error.problem)
        }
    }
}
