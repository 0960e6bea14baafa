// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase
internal import Foundation

/// A storage could not do its work. Each error names the file or the folder, the cause and the remedy.
///
/// A transaction that throws has happened completely or not at all: completely only if the disk failed after the decision.
public struct StorageError: ErrorFamily {
    package let facts: ErrorFacts

    package init(_ facts: ErrorFacts) { self.facts = facts }

    static func full(_ path: String, cause: String) -> Self {
        StorageError(.storageFull, "There is no space left for \(path): \(cause.clause).")
    }

    static func readOnly(_ path: String, cause: String) -> Self {
        StorageError(.storageReadOnly, "\(path) cannot be written: \(cause.clause).")
    }

    static func locked(_ path: String, cause: String) -> Self {
        StorageError(.storageLocked, "Another storage uses \(path): \(cause.clause).")
    }

    static func newer(_ path: String, version: Int, known: Int) -> Self {
        StorageError(
            .storageNewer,
            "A newer version wrote \(path): it has the format \(version), and this version knows \(known)."
        )
    }

    static func valueTooLarge(_ key: StorageKey, _ bytes: Int, limit: Int, _ path: String) -> Self {
        StorageError(
            .valueTooLarge,
            "The value of \(key.shortened) for \(path) has \(bytes) bytes with its key, more than the \(limit) of"
                + " maximumValueBytes."
        )
    }

    static func limitReached(_ path: String, limit: Int) -> Self {
        StorageError(
            .storageLimitReached,
            "The change would make \(path) larger than the \(limit) bytes of maximumBytes."
        )
    }

    static func valueDamaged(_ key: StorageKey, _ path: String, because reason: String) -> Self {
        StorageError(.valueDamaged, "The value of \(key.shortened) in \(path) is damaged: \(reason.clause).")
    }

    static func valueUnreadable(_ key: StorageKey, because error: FileError) -> Self {
        StorageError(.valueUnreadable, "The value of \(key.shortened) cannot be read: \(error.message.clause).")
    }

    static func setAside(
        _ path: String,
        as target: String,
        because reason: String,
        _ consequence: String
    ) -> Self {
        StorageError(
            .storageSetAside,
            "\(path) is damaged: \(reason.clause). It was set aside as \(target). \(consequence)"
        )
    }

    static func failed(_ path: String, cause: String) -> Self {
        StorageError(.storageFailed, "\(path) could not be read or written: \(cause.clause).")
    }

    static func closed(_ path: String) -> Self {
        StorageError(.storageClosed, "The storage of \(path) was used after its end.")
    }

    static func removed(_ path: String, _ consequence: String) -> Self {
        .failed(path, cause: "its files were removed or replaced while it was open, so \(consequence)")
    }

    static func foreign(_ path: String, because reason: String) -> Self {
        StorageError(.storageForeign, "\(path) is not a storage: \(reason.clause). It was not changed.")
    }

    static func migrationFailed(_ path: String, from old: Int, to new: Int, cause: any Error) -> Self {
        StorageError(
            .storageMigrationFailed,
            "\(path) could not be changed from the format \(old) to \(new): \(String(clause: cause)).",
            cause: cause
        )
    }

    /// A system call failed for a path.
    static func system(_ path: String, _ cause: String, code: CInt) -> Self {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: .full(path, cause: cause)
        case EACCES, EPERM, EROFS: .readOnly(path, cause: cause)
        case EWOULDBLOCK: .locked(path, cause: cause)
        default: .failed(path, cause: cause)
        }
    }

    /// An operation on a file failed.
    init(_ error: FileError, _ path: String) {
        self = .system(path, error.message, code: error.code ?? 0)
    }
}

extension FileError {
    /// Whether the process or the system has no descriptors or no memory, which says nothing about the file.
    var isShortage: Bool { [EMFILE, ENFILE, ENOMEM].contains(code) }

    /// Whether the reason concerns one file alone, as a missing permission does. A process without free descriptors can read
    /// no file, and later perhaps all.
    func isOfOneFile(in folder: String) -> Bool {
        switch code {
        case nil, ELOOP: true
        case EACCES, EPERM: access(folder, R_OK | X_OK) == 0
        default: false
        }
    }
}

extension StorageKey {
    /// The key in quotes, of bounded length, for messages.
    var shortened: String {
        let text = name.unicodeScalars.prefix(65).map { $0.escaped(asASCII: false) }
        return "\"\(text.prefix(64).joined())\(text.count > 64 ? "…" : "")\""
    }
}
