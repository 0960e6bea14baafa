// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import Axiom
public import AxiomBase
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Reports what the process may do with a file or a folder, as `.permission(.files, …)`.
///
/// | faccessat(2), with the effective user | status |
/// | --- | --- |
/// | allows all of the requested access | `granted` |
/// | allows reading only, where reading and writing were requested | `limited` |
/// | refuses because of the permissions | `denied` |
/// | refuses to write because the file system is read-only | `restricted` |
/// | finds nothing at the path | `undetermined` |
///
/// The source listens with inotify(7) to the file and all folders above it, so it notices when the path appears, disappears
/// or is replaced, and when a folder above it is moved or gets other permissions. Changes that inotify does not report,
/// such as those in a network file system, another mount, or below the target of a symbolic link, are noticed by the next
/// regular check.
public struct FilePermissionSource: ChangeSource {
    /// What a process wants to do with a file or a folder.
    public enum Access: Sendable, Hashable, CaseIterable {
        /// Read a file, or list a folder.
        case read
        /// Write a file, or change what a folder contains.
        case write
        /// Both.
        case readWrite
    }

    let path: String
    let access: Access
    /// The time between two regular checks.
    let period: Duration
    let clock: TimeSource

    /// Creates a source for one path, which need not exist.
    ///
    /// - Parameters:
    ///   - path: An absolute path.
    ///   - access: What to check.
    ///   - period: The time between two regular checks, from 100 ms to a day.
    ///   - clock: The clock of the period.
    /// - Throws: `CapabilityError` with the name of the parameter that is outside its range.
    public init(
        _ path: String,
        access: Access = .readWrite,
        period: Duration = .seconds(30),
        clock: TimeSource = .live
    ) throws {
        try SourceParameter.check(path: "path", path)
        try SourceParameter.check("period", period, in: SourceParameter.periods)
        (self.path, self.access, self.period, self.clock) = (path, access, period, clock)
    }

    /// Begins to listen. The sequence throws if the limit of inotify instances of the user is reached.
    public func events() -> SystemEvents {
        SystemEvents { [self] in FilePermissionListener(self) }
    }

    /// What the process may do with the path now.
    static func status(of path: String, _ access: Access) -> PermissionStatus {
        let reading = access == .write ? nil : refusal(path, R_OK)
        let writing = access == .read ? nil : refusal(path, W_OK)
        return status(access, reading: reading, writing: writing)
    }

    /// The status for the codes with which reading and writing were refused; nil if allowed or not checked.
    static func status(_ access: Access, reading: Int32?, writing: Int32?) -> PermissionStatus {
        switch (reading, writing) {
        case (nil, nil): .granted
        case (ENOENT, _), (ENOTDIR, _), (_, ENOENT), (_, ENOTDIR): .undetermined
        case (nil, .some) where access == .readWrite: .limited
        case (nil, EROFS): .restricted
        default: .denied
        }
    }

    private static func refusal(_ path: String, _ mode: Int32) -> Int32? {
        faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0 ? nil : errno
    }
}
#endif
