// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && canImport(Glibc)
internal import Glibc

/// What tells one build of a module from another: the same in its file and in memory.
struct ModuleIdentity: Sendable, Hashable {
    /// Empty if it has none.
    private(set) var buildID: [UInt8] = []
    /// A hash of its program headers and its build id.
    private let fingerprint: Int

    /// - Parameter read: The beginning of a note.
    init(_ headers: some Collection<Elf64_Phdr>, read: (Elf64_Phdr) -> [UInt8]) {
        for header in headers where header.p_type == PT_NOTE && buildID.isEmpty {
            buildID = Self.buildID(read(header))
        }
        var hasher = Hasher()
        Array(headers).withUnsafeBytes { hasher.combine(bytes: $0) }
        hasher.combine(buildID)
        fingerprint = hasher.finalize()
    }

    /// A note has the size of its name, the size of its contents, its type, its name and its contents.
    private static func buildID(_ notes: [UInt8]) -> [UInt8] {
        let kind = notes.firstRange(of: [UInt8(NT_GNU_BUILD_ID), 0, 0, 0] + "GNU\0".utf8)
        guard let kind, kind.lowerBound >= 4 else { return [] }
        return Array(notes[kind.upperBound...].prefix(Int(notes[kind.lowerBound - 4])))
    }
}

/// A file in the Executable and Linkable Format: 64 bits, little endian. It may be corrupt: what is not there is nil or empty.
///
/// It is read by pread(2). A file that is mapped and becomes shorter would end the process.
final class ELFFile: Sendable {
    let descriptor: Int32
    let identity: ModuleIdentity
    private let sections: [Elf64_Shdr]
    private let names: Elf64_Shdr?

    /// Nil if there is no such file, or another kind of file.
    init?(_ path: String) {
        // A file that is no regular one, such as a pipe, does not block.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        func read<Value: BitwiseCopyable>(_ offset: UInt64, _ count: UInt16) -> [Value] {
            Self.read(descriptor, at: offset, count: Int(count))
        }
        let headers: [Elf64_Ehdr] = read(0, 1)
        guard let header = headers.first, Self.isSupported(header) else {
            close(descriptor)
            return nil
        }
        identity = ModuleIdentity(read(header.e_phoff, header.e_phnum)) { note in
            read(note.p_offset, UInt16(min(note.p_filesz, 4096)))
        }
        sections = header.e_shentsize == 64 ? read(header.e_shoff, header.e_shnum) : []
        names = sections.dropFirst(Int(header.e_shstrndx)).first
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    private static func isSupported(_ header: Elf64_Ehdr) -> Bool {
        withUnsafeBytes(of: header.e_ident) { $0.starts(with: [0x7f, 0x45, 0x4c, 0x46, 2, 1]) }
    }

    /// Whether there is debug information with lines.
    var hasLines: Bool {
        guard let names else { return false }
        return sections.contains {
            $0.sh_type == SHT_PROGBITS && $0.sh_size > 0 && text(at: $0.sh_name, of: names) == ".debug_line"
        }
    }

    /// The first table of symbols of a type, and the table of their names.
    func symbolTable(_ type: Int32) -> (symbols: Elf64_Shdr, names: Elf64_Shdr)? {
        guard let table = sections.first(where: { $0.sh_type == type && $0.sh_size > 0 }) else { return nil }
        return sections.dropFirst(Int(table.sh_link)).first.map { (table, $0) }
    }

    /// The text at an offset in a table of names; nil if it is empty, or does not end within 16 KiB.
    func text(at offset: UInt32, of names: Elf64_Shdr) -> String? {
        guard UInt64(offset) < names.sh_size else { return nil }
        for limit in [256, 16 << 10] {
            let count = Int(min(names.sh_size - UInt64(offset), UInt64(limit)))
            let bytes: [UInt8] = read(at: names.sh_offset &+ UInt64(offset), count: count)
            if let end = bytes.firstIndex(of: 0) {
                return end > 0 ? String(decoding: bytes[..<end], as: UTF8.self) : nil
            }
        }
        return nil
    }

    /// Up to `count` values.
    func read<Value: BitwiseCopyable>(at offset: UInt64, count: Int) -> [Value] {
        Self.read(descriptor, at: offset, count: count)
    }

    private static func read<Value: BitwiseCopyable>(_ descriptor: Int32, at offset: UInt64, count: Int) -> [Value] {
        guard let offset = off_t(exactly: offset), count > 0 else { return [] }
        return [Value](unsafeUninitializedCapacity: count) { values, filled in
            let buffer = UnsafeMutableRawBufferPointer(values)
            let wanted = count * MemoryLayout<Value>.size
            var bytes = 0
            while bytes < wanted {
                let size = pread(descriptor, buffer.baseAddress! + bytes, wanted - bytes, offset &+ off_t(bytes))
                if size < 0 && errno == EINTR { continue }
                guard size > 0 else { break }
                bytes += size
            }
            filled = bytes / MemoryLayout<Value>.size
        }
    }
}
#endif
