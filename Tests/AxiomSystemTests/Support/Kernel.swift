// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation

/// Runs scripts of bash that change the system while `system-probe` prints the events of a source.
enum Kernel {
    /// A user without privileges, as a command that runs another; empty if the tests themselves have none. That user may
    /// not write to the profile of a build with coverage.
    static let unprivileged =
        geteuid() == 0
        ? "env LLVM_PROFILE_FILE=/dev/null setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all" : ""

    /// Whether a user may make a network namespace with interfaces of the type `veth`.
    static let allowsNetworks = allows("unshare -rn ip link add x0 type veth peer name x1", tools: ["unshare", "ip"])

    /// Whether a user may mount a file system.
    static let allowsMounts = allows("unshare -rm mount -t tmpfs none /mnt", tools: ["unshare", "mount"])

    /// Whether tests can run a program without privileges.
    static let allowsOtherUsers = geteuid() != 0 || allows("\(unprivileged) true", tools: ["setpriv"])

    /// Runs a script and returns the lines that it prints.
    ///
    /// The script begins to listen with `listen PREFIX ARGUMENTS…`, where PREFIX starts the probe in another way and
    /// ARGUMENTS are those of the probe. `event` prints its next line. `$folder` is a folder that all users may enter.
    static func run(_ script: String, in prefix: [String] = []) async throws -> [String] {
        let tree = try Tree()
        let program = try BuildFolder().url.appending(path: "system-probe").resolvingSymlinksInPath().path
        // The copy is in a folder that a user without privileges may enter. cp makes it, not this process: a program that
        // another test starts meanwhile would inherit the open descriptor, and the copy could not be executed.
        let text = """
            probe='\(tree.path)/probe' folder='\(tree.path)/folder' as='\(unprivileged)'
            cp '\(program)' "$probe"
            mkdir "$folder"; chmod 755 "$folder"
            listen() { exec 3< <(exec $1 "$probe" "${@:2}" 2>&1); pid=$!; }
            event() { IFS= read -r -t 60 -u 3 line || line='no event within 60 s'; printf '%s\\n' "$line"; }
            trap '[ -z "$pid" ] || kill $pid' EXIT
            \(script)
            """
        let words = prefix + ["bash", "-c", text]
        let result = try await Command.run("/usr/bin/env", words)
        return (result.output + result.errors).split(separator: "\n").map(String.init)
    }

    /// Whether a command works. If a tool is missing, the answer is true in CI, so that the test fails and is not skipped.
    private static func allows(_ command: String, tools: [String]) -> Bool {
        guard tools.allSatisfy({ ExternalTool.find($0) != nil }) else {
            return ProcessInfo.processInfo.environment["CI"] != nil
        }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["bash", "-c", command]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
