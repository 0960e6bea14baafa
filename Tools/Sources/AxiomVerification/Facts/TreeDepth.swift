// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// How deep code may be nested. The parser and visitors call themselves for each level, so that deep code needs a large stack.
enum TreeDepth {
    /// The levels of a tree that are read. A call in a chain has two.
    static let limit = 20_000
    /// A file with fewer bytes needs no stack of its own: each level has at least one byte.
    private static let shallow = 2048
    /// The pages that nobody touches cost nothing.
    private static let stackSize = 512 << 20
    /// How often a word may stand in a file that begins a level which the parser does not count.
    private static let parsedLimit = 50_000

    /// Runs work for a file on a stack that is large enough, or on this one if there is no room for another.
    static func run<Result>(_ bytes: [UInt8], _ work: @escaping () -> Result) -> Result {
        guard bytes.count > shallow else { return work() }
        var result: Result?
        _ = onLargeStack { result = work() }
        return result ?? work()
    }

    private final class Work {
        let body: () -> Void

        init(_ body: @escaping () -> Void) {
            self.body = body
        }
    }

    /// Runs work on a thread with a large stack. A thread costs more than a small file, so many files share one.
    ///
    /// - Returns: False if there is no room for such a stack: the work was then not done.
    static func onLargeStack(_ body: @escaping () -> Void) -> Bool {
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        guard pthread_attr_init(attributes) == 0 else { return false }
        defer { pthread_attr_destroy(attributes) }
        guard pthread_attr_setstacksize(attributes, stackSize) == 0 else { return false }
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let work = Unmanaged.passRetained(Work(body))
        let status = pthread_create(
            &thread,
            attributes,
            { context in
                let context: UnsafeMutableRawPointer? = context
                if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            },
            work.toOpaque()
        )
        guard status == 0 else {
            work.release()
            return false
        }
        #if canImport(Darwin)
        if let thread { pthread_join(thread, nil) }
        #else
        pthread_join(thread, nil)
        #endif
        return true
    }

    /// Whether the parser would call itself too often. It counts brackets itself, but no `else if`, `->`, `#if` and `?`.
    static func isTooDeepToParse(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 2 * parsedLimit else { return false }
        var (branches, arrows, questions) = (0, 0, 0)
        bytes.withUnsafeBufferPointer { bytes in
            for index in 1..<bytes.count {
                switch (bytes[index - 1], bytes[index]) {
                case (UInt8(ascii: "i"), UInt8(ascii: "f")): branches += 1
                case (UInt8(ascii: "-"), UInt8(ascii: ">")): arrows += 1
                case (_, UInt8(ascii: "?")): questions += 1
                default: break
                }
            }
        }
        return max(branches, arrows, questions) > parsedLimit
    }

    /// Whether a tree has too many levels. Counted without a call for each level.
    static func isTooDeep(_ tree: SourceNode) -> Bool {
        var levels = [tree.children]
        while !levels.isEmpty {
            guard let child = levels[levels.count - 1].next() else {
                levels.removeLast()
                continue
            }
            guard levels.count < limit else { return true }
            levels.append(child.children)
        }
        return false
    }
}
