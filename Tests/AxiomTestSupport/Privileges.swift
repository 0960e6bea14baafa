// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// What root may do and other users may not. The tests of it run in the same way as root, in a container for example.
public enum Privileges {
    private static let isRoot = geteuid() == 0

    /// A command that runs another one as a user without privileges; empty if the tests have none themselves. That user may
    /// not write to the profile of a build with coverage.
    public static let none =
        isRoot
        ? "env LLVM_PROFILE_FILE=/dev/null setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all" : ""

    /// The words of a command that runs another one so that file permissions bind it, which they do not for root.
    public static let bound = isRoot ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : []

    /// Runs a body as a user without privileges. This changes the user of the whole process: call it in an exit test.
    public static func dropped<Value>(_ body: () async throws -> Value) async throws -> Value {
        guard isRoot else { return try await body() }
        // Foundation asks for the working directory, and perhaps only root can reach it.
        let directory = FileManager.default.currentDirectoryPath
        guard chdir("/") == 0 else { throw CocoaError(.fileReadUnknown) }
        defer { chdir(directory) }
        guard seteuid(65_534) == 0 else { throw CocoaError(.featureUnsupported) }
        // A build with coverage writes its profile at the end of the process.
        defer { seteuid(0) }
        return try await body()
    }
}
