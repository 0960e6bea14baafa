// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomStorage
import AxiomTestSupport
import Foundation
import Testing

/// Runs the program `storage-probe` in a script.
enum StorageProbeScript {
    /// The lines that a script prints; see ``output(_:in:prefix:)``.
    static func run(_ script: String, in folder: StorageFolder, prefix: [String] = []) async throws -> [String] {
        let result = try await output(script, in: folder, prefix: prefix)
        return (result.output + result.errors).split(separator: "\n").map(String.init)
    }

    /// What a script prints. `$probe` is the program, in a folder that all users may enter.
    static func output(
        _ script: String,
        in folder: StorageFolder,
        prefix: [String] = []
    ) async throws -> Command.Output {
        let program = try BuildFolder().url.appending(path: "storage-probe").resolvingSymlinksInPath().path
        // cp makes the copy, not this process: a program that another test starts meanwhile would inherit the open
        // descriptor, and a file that is open for writing cannot be executed ("Text file busy").
        let text = """
            folder='\(folder.path)' as='\(Privileges.none)'; probe="$folder/probe"
            chmod 755 "$folder"; [ -e "$probe" ] || cp '\(program)' "$probe"
            \(script)
            """
        return try await Command.run("/usr/bin/env", prefix + ["bash", "-c", text])
    }
}

@Suite("Faults of the disk under a storage", .timeLimit(.minutes(30)))
struct StorageFaultTests {
    private let folder: StorageFolder

    init() throws { folder = try StorageFolder() }

    private func checkFull(_ lines: [String], _ path: String) throws {
        let error = try #require(lines.first)
        #expect(error.hasPrefix("AXIOM_STORAGE_001"), "\(lines)")
        #expect(error.contains(path) && error.contains("Free space on the disk"), "\(error)")
        #expect(lines.dropFirst() == ["intact", "stored again"])
    }

    @Test(
        "On a full disk nothing is lost, the error says so, and it works again when there is space (PER-02)",
        .enabled(if: ExternalTool.mounts.mayRun, "\(ExternalTool.mounts.installation)"),
        arguments: StorageKind.onDisk
    )
    func fullDisk(kind: StorageKind) async throws {
        let script = """
            mount -t tmpfs -o size=4m none /mnt && head -c 2000000 /dev/zero > /mnt/storage.ballast
            "$probe" fill \(kind) /mnt/storage
            """
        try checkFull(try await StorageProbeScript.run(script, in: folder, prefix: ["unshare", "-rm"]), "/mnt/storage")
    }

    @Test(
        "On a full disk a storage that exists starts, can be read, and says that it cannot be written",
        .enabled(if: ExternalTool.mounts.mayRun, "\(ExternalTool.mounts.installation)"),
        arguments: StorageKind.onDisk
    )
    func fullDiskAtStart(kind: StorageKind) async throws {
        let script = """
            mount -t tmpfs -o size=4m none /mnt
            "$probe" store \(kind) /mnt/storage
            cat /dev/zero > /mnt/ballast 2> /dev/null
            "$probe" store \(kind) /mnt/storage
            rm /mnt/ballast
            "$probe" store \(kind) /mnt/storage
            """
        let lines = try await StorageProbeScript.run(script, in: folder, prefix: ["unshare", "-rm"])
        try #require(lines.count == 6, "\(lines)")
        #expect(
            lines[0...1] == ["found 0", "stored"] && lines[2] == "found 7" && lines[4...5] == ["found 7", "stored"]
        )
        #expect(lines[3].hasPrefix("AXIOM_STORAGE_001"), "\(lines)")
    }

    @Test(
        "The clock also counts the time for which the machine is suspended",
        .enabled(if: ExternalTool.mounts.mayRun, "\(ExternalTool.mounts.installation)")
    )
    func suspended() async throws {
        // The clock that goes on is 100,000 s ahead, as after a suspension; the other one is not.
        let lines = try await StorageProbeScript.run(
            "\"$probe\" clock - -; unshare -T --boottime 100000 --fork \"$probe\" clock - -",
            in: folder,
            prefix: ["unshare", "-r"]
        )
        let seconds = lines.compactMap(Double.init)
        try #require(seconds.count == 2, "\(lines)")
        #expect((100_000...101_000).contains(seconds[1] - seconds[0]), "\(lines)")
    }

    @Test("A limit of the size of files is a full disk (PER-02)", arguments: StorageKind.onDisk)
    func fileLimit(kind: StorageKind) async throws {
        let lines = try await StorageProbeScript.run("\"$probe\" fill \(kind) \"$folder/storage\" 1000000", in: folder)
        try checkFull(lines, "\(folder.path)/storage")
    }

    @Test(
        "A folder that may not be written is an error that names it, and nothing is changed (PER-01)",
        .enabled(if: ExternalTool.unprivilegedUser.mayRun, "\(ExternalTool.unprivilegedUser.installation)"),
        arguments: StorageKind.onDisk
    )
    func noPermission(kind: StorageKind) async throws {
        let storage = kind.make(folder)
        try await storage.save(5, "number")
        await storage.end()
        let path = kind.path(folder)
        // Others may enter and read, and the lock may be taken.
        let script = "chmod -R a+rX '\(path)'*; $as \"$probe\" try \(kind) '\(path)'"
        let lines = try await StorageProbeScript.run(script, in: folder)
        let error = try #require(lines.last)
        #expect(error.hasPrefix("AXIOM_STORAGE_002"), "\(lines)")
        #expect(
            error.contains(path) && error.contains("Permission denied") && error.contains("the permission to write")
        )
        #expect(try await kind.make(folder).load(Int.self, "number") == 5)
    }

    @Test(
        "A folder that loses its permission can still be read, and says that it cannot be written (PER-01)",
        .enabled(if: ExternalTool.unprivilegedUser.mayRun, "\(ExternalTool.unprivilegedUser.installation)")
    )
    func lostPermission() async throws {
        let script = """
            mkdir "$folder/open"; chmod 777 "$folder/open"
            $as "$probe" try files "$folder/open/storage" && $as chmod 555 "$folder/open/storage"
            $as "$probe" try files "$folder/open/storage"
            """
        let lines = try await StorageProbeScript.run(script, in: folder)
        try #require(lines.count == 4, "\(lines)")
        #expect(lines.prefix(3) == ["found 0", "stored", "found 0"])
        #expect(lines[3].hasPrefix("AXIOM_STORAGE_002") && lines[3].contains("/open/storage/other.value"), "\(lines)")
    }

    @Test(
        "A value without the permission to read it costs one change of an outbox",
        .enabled(if: ExternalTool.unprivilegedUser.mayRun, "\(ExternalTool.unprivilegedUser.installation)")
    )
    func unreadableValue() async throws {
        let script = """
            mkdir "$folder/open"; chmod 777 "$folder/open"
            $as "$probe" append files "$folder/open/storage"
            $as chmod 000 "$folder/open/storage/"*00002-*.value
            $as "$probe" send files "$folder/open/storage"
            $as chmod 300 "$folder/open/storage"
            $as "$probe" send files "$folder/open/storage"
            """
        let lines = try await StorageProbeScript.run(script, in: folder)
        try #require(lines.count == 4, "\(lines)")
        #expect(lines[0] == "appended" && lines[2] == "sent 1 3", "\(lines)")
        #expect(lines[1].hasPrefix("AXIOM_OFFLINE_005") && lines[1].contains("Permission denied"), "\(lines)")
        // No value can be found: this is a matter of the whole storage.
        #expect(lines[3].hasPrefix("AXIOM_STORAGE_009") || lines[3].hasPrefix("AXIOM_STORAGE_002"), "\(lines)")
    }

    @Test(
        "On a file system without locks, files are used all the same",
        .enabled(if: ExternalTool.strace.mayRun, "\(ExternalTool.strace.installation)"),
        arguments: ["ENOLCK", "EOPNOTSUPP", "ENOSYS", "EIO"]
    )
    func noLocks(error: String) async throws {
        let path = StorageKind.files.path(folder)
        let tracer = "strace -f -o /dev/null -e trace=flock -e inject=flock:error=\(error)"
        let lines = try await StorageProbeScript.run("\(tracer) \"$probe\" try files '\(path)'", in: folder)
        if error == "EIO" {
            #expect(lines.count == 1 && lines[0].hasPrefix("AXIOM_STORAGE_009"), "\(lines)")
        } else {
            #expect(lines == ["found 0", "stored"])
        }
    }

    @Test("Without a closure for it, a damaged database that is set aside is on the standard error (PER-02)")
    func warning() async throws {
        let path = StorageKind.sqlite.path(folder)
        try folder.write([UInt8](repeating: 1, count: 5_000), "storage.db")
        let output = try await StorageProbeScript.output("\"$probe\" try sqlite '\(path)'", in: folder)
        #expect(output.output == "found 0\nstored\n")
        #expect(output.errors.contains(path), "\(output.errors)")
        #expect(output.errors.contains("An empty database was begun."), "\(output.errors)")
    }

    @Test("A folder of files that another process has open is locked (PER-01)")
    func locked() async throws {
        let path = StorageKind.files.path(folder)
        let script = """
            coproc held { exec "$probe" hold files '\(path)'; }
            pid=$!
            read -r -t 60 line <&${held[0]}; echo "$line"
            echo "process $pid has it"
            "$probe" try files '\(path)'
            kill -9 $pid; wait $pid 2> /dev/null
            "$probe" try files '\(path)'
            """
        let lines = try await StorageProbeScript.run(script, in: folder)
        try #require(lines.count == 5, "\(lines)")
        #expect(lines[0] == "open" && lines[3...] == ["found 0", "stored"])
        #expect(lines[2].hasPrefix("AXIOM_STORAGE_003") && lines[2].contains("\(path)/.lock"), "\(lines)")
        #expect(lines[2].contains("after 100 ms") && lines[2].contains("End the other process"), "\(lines)")
        #if os(Linux)
        #expect(lines[2].contains(lines[1]), "\(lines)")
        #endif
    }
}
