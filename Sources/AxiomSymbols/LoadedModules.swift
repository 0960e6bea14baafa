// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && canImport(Glibc)
internal import AxiomBase
internal import CAxiomProfiler
internal import Foundation
internal import Glibc

/// The program, a shared library or the vdso.
struct LoadedModule: Sendable, Hashable {
    /// Empty for the program; without a slash for what has no file.
    let path: String
    let identity: ModuleIdentity

    /// Whether it is the code that the kernel maps.
    var isVDSO: Bool { path.hasPrefix("linux-vdso") }

    /// The file name; `[vdso]` for the vdso.
    var name: String {
        if isVDSO { return "[vdso]" }
        guard path.isEmpty else { return path.split(separator: "/").last.map(String.init) ?? "" }
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let name = program?.split(separator: "/").last ?? "program"
        return String(name.hasSuffix(" (deleted)") ? name.dropLast(10) : name)
    }
}

/// The modules that are loaded, and those that were. A module keeps its number.
final class ModuleTable: Sendable {
    /// Code at a place in memory.
    private struct Segment {
        let code: Range<UInt>
        let bias: UInt
        let module: Int
    }

    private struct State {
        /// The loads and unloads that the segments include.
        var changes = UInt64.max
        /// Whether the segments of all modules were added since.
        var isComplete = true
        /// By number - 1.
        var modules: [LoadedModule] = []
        var numbers: [LoadedModule: Int] = [:]
        /// Sorted, without overlaps.
        var segments: [Segment] = []
        /// Those before the last change: a sample can be older.
        var previous: [Segment] = []

        /// Returns 1 if no module has come or gone.
        mutating func see(_ module: axiom_module) -> Int32 {
            if isComplete && changes == module.changes { return 1 }
            if isComplete { (isComplete, changes, previous, segments) = (false, module.changes, segments, []) }
            add(module)
            return 0
        }

        private mutating func add(_ seen: axiom_module) {
            let headers = UnsafeBufferPointer(start: seen.headers, count: seen.header_count)
            func memory(_ header: Elf64_Phdr) -> Range<UInt> {
                let start = seen.bias &+ UInt(header.p_vaddr)
                return start..<max(start, start &+ UInt(header.p_memsz))
            }
            let loaded = headers.filter { $0.p_type == PT_LOAD }
            let identity = ModuleIdentity(headers) { note in
                let bytes = memory(note)
                let isReadable = loaded.contains {
                    Int32($0.p_flags) & PF_R != 0 && memory($0).clamped(to: bytes) == bytes
                }
                let start = UnsafePointer<UInt8>(bitPattern: bytes.lowerBound)
                return isReadable ? Array(UnsafeBufferPointer(start: start, count: min(bytes.count, 4096))) : []
            }
            guard let number = number(of: LoadedModule(path: String(cString: seen.path), identity: identity)) else {
                return
            }
            for segment in loaded where Int32(segment.p_flags) & PF_X != 0 {
                segments.append(Segment(code: memory(segment), bias: seen.bias, module: number))
            }
        }

        /// A number has 14 bits: the code of further modules is in none.
        private mutating func number(of module: LoadedModule) -> Int? {
            if let known = numbers[module] { return known }
            guard modules.count + 1 < 1 << 14 else { return nil }
            modules.append(module)
            numbers[module] = modules.count
            return modules.count
        }
    }

    private let state = Lock(State())

    /// Sees what was loaded and unloaded since the last call. Costs 20 ns if nothing was.
    func refresh() {
        state.withLock { state in
            withUnsafeMutablePointer(to: &state) { state in
                axiom_visit_modules({ $0!.assumingMemoryBound(to: State.self).pointee.see($1!.pointee) }, state)
            }
            guard !state.isComplete else { return }
            state.segments.sort { $0.code.lowerBound < $1.code.lowerBound }
            state.isComplete = true
        }
    }

    /// The places of a program counter and of the return addresses after it, of which one can be guessed: 0 for none. A word in no
    /// code of a module is no return address: it is left out.
    func places(of addresses: [UInt], guessed: Int) -> [CodeAddress] {
        state.withLock { state in
            addresses.enumerated().compactMap { index, address in
                // The call is before the return address, and can be the last instruction of a module.
                let code = index == 0 ? address : address &- 1
                let segment = Self.find(code, state.segments) ?? Self.find(code, state.previous)
                guard index == 0 || segment != nil else { return nil }
                return CodeAddress(
                    module: segment?.module ?? 0,
                    offset: UInt64(address &- (segment?.bias ?? 0)),
                    isReturn: index > 0,
                    isGuessed: index > 0 && index == guessed
                )
            }
        }
    }

    subscript(number: Int) -> LoadedModule? {
        state.withLock { $0.modules.indices.contains(number - 1) ? $0.modules[number - 1] : nil }
    }

    private static func find(_ address: UInt, _ segments: [Segment]) -> Segment? {
        let segment = segments[..<segments.firstSortedIndex { address < $0.code.lowerBound }].last
        return segment.flatMap { $0.code.contains(address) ? $0 : nil }
    }
}
#endif

/// A place in the code of a loaded module, which keeps its meaning after the module is unloaded. One word.
package struct CodeAddress: Sendable, Hashable {
    /// From the top: 1 bit for ``isGuessed``, 1 for ``isReturn``, 14 of the module's number, 48 of the offset in its file.
    package let word: UInt64

    package init(module: Int, offset: UInt64, isReturn: Bool, isGuessed: Bool = false) {
        let flags: UInt64 = (isGuessed ? 1 << 63 : 0) | (isReturn ? 1 << 62 : 0)
        word = flags | UInt64(module & 0x3fff) << 48 | offset & 0xffff_ffff_ffff
    }

    /// Whether the frame was not found by the chain of frame pointers: it is the probable caller of a function without a frame.
    package var isGuessed: Bool { word >> 63 != 0 }
    /// Whether it is a return address, so that the call is before it.
    package var isReturn: Bool { word >> 62 & 1 != 0 }
    /// The number that the symbolizer gave to the module; 0 for an address in none.
    package var module: Int { Int(word >> 48 & 0x3fff) }
    package var offset: UInt64 { word & 0xffff_ffff_ffff }
}

/// A function at a place in the code.
package struct CodeLocation: Sendable, Hashable {
    /// Demangled; the address as text if there is no symbol.
    package let function: String
    /// The file name of the module, such as `libswiftCore.so`.
    package let module: String
    /// Nil without debug information.
    package let file: String?
    package let line: Int?
}
