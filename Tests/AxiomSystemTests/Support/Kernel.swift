// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation

/// Runs scripts of bash that change the system while `system-probe` prints the events of a source.
enum Kernel {
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
            probe='\(tree.path)/probe' folder='\(tree.path)/folder' as='\(Privileges.none)'
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
}
