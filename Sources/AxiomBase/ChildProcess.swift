// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import Foundation

/// Starts processes and waits for them, by system calls: Foundation's `Process` takes longer, and crashes if more than about
/// 1,300 descriptors are open.
package enum ChildProcess {
    /// How a process ended.
    package struct Ended: Sendable {
        /// The exit code; 128 and the signal for a process that one ended.
        package let status: Int32
        /// The signal that ended it; 0 if none did.
        package let signal: Int32
        /// Processor time, in nanoseconds.
        package let processorTime: Double
    }

    /// Starts a program from `PATH`. Its signals have their default actions, and none is blocked.
    ///
    /// - Parameters:
    ///   - command: The program and its arguments.
    ///   - environment: All its variables.
    ///   - descriptors: Those of this process that become some of the new process, by number.
    /// - Throws: ``FileError`` with the `errno` of the system.
    package static func start(
        _ command: [String],
        _ environment: [String: String],
        _ descriptors: [(own: Int32, other: Int32)]
    ) throws(FileError) -> Int32 {
        let path = command.first ?? ""
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (own, other) in descriptors { posix_spawn_file_actions_adddup2(&actions, own, other) }
        var attributes = attributesWithDefaultPipeSignal()
        defer { posix_spawnattr_destroy(&attributes) }
        let variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        var process: pid_t = 0
        let code = withCStrings(command) { arguments in
            withCStrings(variables) { posix_spawnp(&process, path, &actions, &attributes, arguments, $0) }
        }
        guard code == 0 else {
            throw FileError("could not start \(path)", cause: String(cString: strerror(code)), code: code)
        }
        return process
    }

    /// A server ignores SIGPIPE, and a thread of it can block signals; a program must inherit neither. What `nohup` or a
    /// shell ignores for its jobs, the program ignores too.
    private static func attributesWithDefaultPipeSignal() -> posix_spawnattr_t {
        var (attributes, pipe, none) = (posix_spawnattr_t(), sigset_t(), sigset_t())
        posix_spawnattr_init(&attributes)
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &pipe)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        return attributes
    }

    private static func withCStrings<Result>(
        _ strings: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = strings.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers + [nil])
    }

    /// Waits for the end of a process. Blocks the thread. Nil if it is no child of this process.
    package static func wait(_ process: Int32) -> Ended? {
        var (status, usage) = (Int32(0), rusage())
        while wait4(process, &status, 0, &usage) < 0 {
            guard errno == EINTR else { return nil }
        }
        let signal = status & 0x7f
        func nanoseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1e9 + Double(time.tv_usec) * 1e3 }
        return Ended(
            status: signal == 0 ? status >> 8 & 0xff : 128 + signal,
            signal: signal,
            processorTime: nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime)
        )
    }
}
#endif

/// The environment for git, and for programs that start git, such as `swift build`.
///
/// git tells hooks, and what `git rebase --exec` runs, by variables which repository, index and work tree it uses. A program
/// that inherits them acts on those, whichever folder it names: a checkout elsewhere would replace the index of the commit
/// that is just made.
package enum GitEnvironment {
    /// The variables of `git rev-parse --local-env-vars`, without those of `git -c`: their settings, such as `safe.directory`,
    /// are valid in every repository, and git passes them on to submodules too.
    package static let repositoryVariables: Set<String> = [
        "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_DIR", "GIT_GRAFT_FILE",
        "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_NO_REPLACE_OBJECTS",
        "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
    ]

    /// The environment without the variables that name a repository. What limits the search for one stays, such as
    /// `GIT_CEILING_DIRECTORIES`.
    package static func withoutRepository(_ environment: [String: String]) -> [String: String] {
        environment.filter { !repositoryVariables.contains($0.key) }
    }

    /// Why git refuses to work in a repository, as in a folder of another user: the first line of what `git rev-parse` wrote,
    /// and the last, which is the remedy. Nil if git says that there is no repository.
    ///
    /// - Parameter text: Its output in the locale `C`.
    package static func refusal(in text: String) -> String? {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.drop { $0.isWhitespace } }
        guard let first = lines.first, let last = lines.last, !first.contains("not a git repository") else {
            return nil
        }
        return first == last ? String(first) : "\(first): \(last)"
    }
}
