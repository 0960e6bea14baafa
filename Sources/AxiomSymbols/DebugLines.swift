// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && canImport(Glibc)
internal import AxiomBase
internal import CAxiomProfiler
internal import Glibc

/// Finds files, lines and inlined functions in debug information, with a program that the machine may have.
enum DebugLines {
    /// A function at an address: the innermost inlined one first.
    struct Entry: Sendable {
        /// As the debug information has it; nil if it has none.
        let symbol: String?
        let file: String?
        let line: Int?
    }

    /// How long the program may take, in seconds. The reading of 200 MB of debug information takes one.
    static let limit = 2.0

    /// `llvm-symbolizer` of LLVM, which is five times as fast, or `addr2line` of binutils.
    static let tools = [
        ["llvm-symbolizer", "--output-style=GNU", "--no-demangle", "--functions", "--inlining", "--addresses", "-e"],
        ["addr2line", "-f", "-i", "-a", "-e"],
    ]

    /// What a file has of addresses; one is missing if it is not known. Blocks until the program ended.
    static func entries(of addresses: [UInt64], in file: ELFFile, tools: [[String]] = tools) -> [UInt64: [Entry]] {
        // The last address only ends what is written of the one before.
        let input = (addresses + [0]).map { "0x" + String($0, radix: 16) + "\n" }.joined()
        // The file that is open, also if its path has another one now.
        let path = "/proc/\(getpid())/fd/\(file.descriptor)"
        return tools.lazy.compactMap { run($0 + [path], input) }.first.map(parse) ?? [:]
    }

    /// What a program writes until it ends, or until the limit; nil if it cannot be started.
    private static func run(_ command: [String], _ input: String) -> String? {
        let descriptors = [axiom_memory_file(), axiom_memory_file(), open("/dev/null", O_RDWR | O_CLOEXEC)]
        defer { for descriptor in descriptors where descriptor >= 0 { close(descriptor) } }
        // A descriptor that is one of the new process's own cannot be copied onto another one of them.
        guard descriptors.allSatisfy({ $0 > STDERR_FILENO }) else { return nil }
        guard pwrite(descriptors[0], input, input.utf8.count, 0) == input.utf8.count else { return nil }
        let environment = ["PATH": getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin", "LC_ALL": "C"]
        let numbered = descriptors.enumerated().map { (own: $1, other: Int32($0)) }
        guard let process = try? ChildProcess.start(command, environment, numbered) else { return nil }
        wait(process)
        let size = min(lseek(descriptors[1], 0, SEEK_END), 64 << 20)
        return String(unsafeUninitializedCapacity: size) { max(0, pread(descriptors[1], $0.baseAddress, size, 0)) }
    }

    private static func wait(_ process: Int32) {
        let deadline = TimeSource.live.now.advanced(by: .seconds(limit))
        while TimeSource.live.now < deadline {
            // Not 0: it ended, or the application has waited for it.
            guard waitpid(process, nil, WNOHANG) == 0 else { return }
            usleep(2_000)
        }
        kill(process, SIGKILL)
        _ = ChildProcess.wait(process)
    }

    /// For each address a line with it, and for each function at it a line with its name and one with its place. What no other
    /// address follows is left out, because the program may have been ended while it wrote it.
    private static func parse(_ output: String) -> [UInt64: [Entry]] {
        var entries: [UInt64: [Entry]] = [:]
        var (address, found, symbol): (UInt64?, [Entry], Substring?) = (nil, [], nil)
        for line in output.split(separator: "\n") {
            if let name = symbol {
                found.append(entry(name, line))
                symbol = nil
            } else if line.hasPrefix("0x") {
                // Without debug information, a program can take names of files from the symbol table.
                if let address, found.contains(where: { $0.line != nil }) { entries[address] = found }
                (address, found) = (UInt64(line.dropFirst(2), radix: 16), [])
            } else {
                symbol = line
            }
        }
        return entries
    }

    /// The place is `file:line`, with `??` for what is not known; a remark in parentheses can follow.
    private static func entry(_ name: Substring, _ place: Substring) -> Entry {
        let colon = place.lastIndex(of: ":") ?? place.endIndex
        let file = place[..<colon]
        let isKnown = file != "??" && !file.hasSuffix("<compiler-generated>")
        let line = Int(place[colon...].dropFirst().prefix { $0.isNumber }) ?? 0
        return Entry(
            symbol: name == "??" ? nil : String(name),
            file: isKnown ? String(file) : nil,
            line: isKnown && line > 0 ? line : nil
        )
    }
}
#endif
