// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && canImport(Glibc)
internal import AxiomBase
package import CAxiomProfiler
internal import Glibc

/// Names places in the code by the symbol tables of modules, and by debug information that the machine has.
///
/// Memory: some KiB, and while profiles are read and after it some hundred bytes for each of up to 16,384 addresses.
package final class Symbolizer: Sendable {
    /// The most addresses whose locations are kept, but for those of one call.
    private static let limit = 16_384

    private let modules = ModuleTable()
    /// By the module and the offset of the code, and whether the lines were looked for.
    private let known = Lock<[UInt64: (locations: [CodeLocation], isFinal: Bool)]>([:])

    /// The name of a function as people read it, by its symbol.
    private let naming: @Sendable (String) -> String

    package init(naming: @escaping @Sendable (String) -> String = SymbolName.readable) { self.naming = naming }

    /// The frames of a sample, the innermost one first: a program counter and return addresses, and the probable callers that they
    /// lack, which are among the words at the top of the stack. Reads no file.
    package func frames(_ frames: [UInt], words: [UInt]) -> [CodeAddress] {
        modules.refresh()
        var found = axiom_callers()
        axiom_missing_callers(frames, frames.count, words, words.count, &found)
        let callers = withUnsafeBytes(of: found.callers) { Array($0.bindMemory(to: UInt.self).prefix(found.count)) }
        return modules.places(of: frames.prefix(1) + callers + frames.dropFirst(found.next), guessed: found.guessed)
    }

    /// The frames of a sample as the sampler delivers it.
    package func frames(of sample: UnsafePointer<axiom_sample>) -> [CodeAddress] {
        frames(
            sample.array(\.frames, sample.pointee.frame_count),
            words: sample.array(\.words, sample.pointee.word_count)
        )
    }

    /// The functions at an address: the innermost inlined one first, and last the one that holds them. Never empty.
    package func locations(of address: CodeAddress) -> [CodeLocation] {
        let key = Self.key(address)
        return known.withLock { $0[key]?.locations } ?? find([key], withLines: false)[key] ?? []
    }

    /// Looks for the functions of many addresses at once, for later calls of ``locations(of:)``.
    package func prepare(_ addresses: [CodeAddress], withLines: Bool) {
        let keys = Set(addresses.map(Self.key))
        let unknown = known.withLock { known in keys.filter { known[$0].map { withLines && !$0.isFinal } ?? true } }
        _ = find(Array(unknown), withLines: withLines)
    }

    /// The module and the offset of the instruction: the call of a return address.
    private static func key(_ address: CodeAddress) -> UInt64 {
        let offset = address.offset &- (address.isReturn && address.offset > 0 ? 1 : 0)
        return UInt64(address.module) << 48 | offset
    }

    /// The locations of keys, which are kept.
    private func find(_ keys: [UInt64], withLines: Bool) -> [UInt64: [CodeLocation]] {
        var found: [UInt64: [CodeLocation]] = [:]
        for (number, keys) in Dictionary(grouping: keys, by: { $0 >> 48 }) {
            let offsets = keys.map { $0 & 0xffff_ffff_ffff }
            for (offset, locations) in locations(of: offsets, in: modules[Int(number)], withLines: withLines) {
                found[number << 48 | offset] = locations
            }
        }
        known.withLock { known in
            if known.count + found.count > Self.limit { known = [:] }
            for (key, locations) in found { known[key] = (locations, withLines) }
        }
        return found
    }

    private func locations(
        of offsets: [UInt64],
        in module: LoadedModule?,
        withLines: Bool
    ) -> [(UInt64, [CodeLocation])] {
        let files = module.map(ModuleFiles.init)
        let names = files?.names(of: offsets) ?? [:]
        let lines = withLines ? files?.lines(of: offsets) ?? [:] : [:]
        let name = module?.name ?? "[unknown]"
        return offsets.map { offset in
            let place = "0x" + String(offset, radix: 16)
            let text = module.map { $0.isVDSO ? name : "\(name)+\(place)\(files?.remark ?? "")" } ?? place
            let holder = names[offset].map(naming) ?? text
            guard let entries = lines[offset] else {
                return (offset, [CodeLocation(function: holder, module: name, file: nil, line: nil)])
            }
            // The symbol table names the function that holds the others.
            let functions = entries.dropLast().map { $0.symbol.map(naming) ?? holder } + [holder]
            return (
                offset,
                zip(functions, entries).map {
                    CodeLocation(function: $0, module: name, file: $1.file, line: $1.line)
                }
            )
        }
    }
}

extension UnsafePointer<axiom_sample> {
    /// The first elements of an array of the sample.
    package func array<Tuple, Element>(_ path: KeyPath<axiom_sample, Tuple>, _ count: UInt8) -> [Element] {
        let offset = MemoryLayout<axiom_sample>.offset(of: path) ?? 0
        let start = (UnsafeRawPointer(self) + offset).assumingMemoryBound(to: Element.self)
        return Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }
}

/// The files with the symbols and the debug information of a module.
private struct ModuleFiles {
    /// Why names are missing.
    let remark: String
    private let files: [ELFFile]

    /// The file of the module if it is still the one that was loaded, and the one that a package with debug information installs.
    init(_ module: LoadedModule) {
        let found = module.isVDSO ? nil : ELFFile(module.path.isEmpty ? "/proc/self/exe" : module.path)
        let isSame = found?.identity == module.identity
        let digits = module.identity.buildID.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        let debug = "/usr/lib/debug/.build-id/\(digits.first ?? "")/\(digits.dropFirst().joined()).debug"
        files = [isSame ? found : nil, digits.isEmpty ? nil : ELFFile(debug)].compactMap(\.self)
        remark = isSame ? "" : found == nil ? " (its file is missing)" : " (its file is another build)"
    }

    func names(of offsets: [UInt64]) -> [UInt64: String] {
        for type in [SHT_SYMTAB, SHT_DYNSYM] {
            guard let file = files.first(where: { $0.symbolTable(type) != nil }) else { continue }
            return FunctionNames.find(offsets, in: file, type)
        }
        return [:]
    }

    func lines(of offsets: [UInt64]) -> [UInt64: [DebugLines.Entry]] {
        files.first { $0.hasLines }.map { DebugLines.entries(of: offsets, in: $0) } ?? [:]
    }
}
#endif
