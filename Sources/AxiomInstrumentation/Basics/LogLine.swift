// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Writes lines to standard error and other descriptors.
enum LogLine {
    static let standardError = STDERR_FILENO

    /// Writes a line. Blocks while a pipe is full. A pipe whose reader has ended loses the line and ends no process: on Linux
    /// its SIGPIPE is taken back, unless the program ignores or handles that signal itself.
    static func write(_ line: String, to descriptor: CInt) {
        #if os(Linux)
        var (pipe, before, pending) = (sigset_t(), sigset_t(), sigset_t())
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        sigpending(&pending)
        pthread_sigmask(SIG_BLOCK, &pipe, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        if put(line, descriptor) < 0, errno == EPIPE, sigismember(&pending, SIGPIPE) == 0 {
            var atOnce = timespec()
            sigtimedwait(&pipe, nil, &atOnce)
        }
        #else
        _ = put(line, descriptor)
        #endif
    }

    private static func put(_ line: String, _ descriptor: CInt) -> Int {
        var line = line
        return line.withUTF8 { bytes in
            #if canImport(Glibc)
            Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            #elseif canImport(Musl)
            Musl.write(descriptor, bytes.baseAddress, bytes.count)
            #else
            Darwin.write(descriptor, bytes.baseAddress, bytes.count)
            #endif
        }
    }
}
