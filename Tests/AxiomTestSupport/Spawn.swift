// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Starts a program by system calls. Foundation's `Process` takes longer, and crashes if more than about 1,300 descriptors are
/// open, as in tests of a server.
enum Spawn {
    /// - Parameter descriptors: Those of this process that become the standard ones of the program, by number.
    /// - Throws: ``KilledProgram/Failure``.
    static func start(
        _ path: String,
        _ arguments: [String],
        environment: [String: String]? = nil,
        _ descriptors: [(own: Int32, standard: Int32)]
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (own, standard) in descriptors { posix_spawn_file_actions_adddup2(&actions, own, standard) }
        closeInPrograms()
        var attributes = attributesWithDefaultSignals()
        defer { posix_spawnattr_destroy(&attributes) }
        let variables = environment ?? ProcessInfo.processInfo.environment
        var words = copies([path] + arguments)
        var pairs = copies(variables.map { "\($0)=\($1)" })
        defer { for word in words + pairs { free(word) } }
        var process = pid_t()
        let code = posix_spawn(&process, path, &actions, &attributes, &words, &pairs)
        guard code == 0 else { throw KilledProgram.Failure(code: code) }
        return process
    }

    /// Lets no program inherit what is open now. A socket that a program keeps would stay open after its test has closed it.
    private static func closeInPrograms() {
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
        for descriptor in open.compactMap(Int32.init) where descriptor > STDERR_FILENO {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
    }

    /// A server ignores SIGPIPE, which a shell must not inherit.
    private static func attributesWithDefaultSignals() -> posix_spawnattr_t {
        var (attributes, all, none) = (posix_spawnattr_t(), sigset_t(), sigset_t())
        posix_spawnattr_init(&attributes)
        sigfillset(&all)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        return attributes
    }

    private static func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { strdup($0) } + [nil]
    }

    /// Waits for the end of a program. Blocks the thread.
    ///
    /// - Returns: Its exit code; the signal's number if a signal ended it.
    static func wait(for process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : signal
    }
}
