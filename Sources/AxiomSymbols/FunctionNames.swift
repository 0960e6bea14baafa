// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && canImport(Glibc)
internal import CAxiomProfiler
internal import Glibc

/// Finds the functions that hold addresses, in one pass over the symbols of a file: no table of them is kept.
struct FunctionNames {
    /// The most symbols that are read of a file, and the most pairs of a symbol and an address, also if it is corrupt.
    private static let limit: (symbols: UInt64, pairs: Int) = (2 << 20, 16 << 20)

    private let addresses: [UInt64]
    /// For each address, the innermost symbols that reach to it: those with the greatest start.
    private var holders: [[Elf64_Sym]]
    /// For each address, the greatest start of a function from the address before it on.
    private var starts: [UInt64]
    private var pairs = 0

    private init(_ addresses: [UInt64]) {
        self.addresses = addresses.sorted()
        holders = Array(repeating: [], count: addresses.count)
        starts = Array(repeating: 0, count: addresses.count)
    }

    /// The symbols of the functions at addresses of a file, of those that are known. Of several names, a function has the one with
    /// the fewest underscores before it, and then the shortest.
    static func find(_ addresses: [UInt64], in file: ELFFile, _ type: Int32) -> [UInt64: String] {
        guard let (table, names) = file.symbolTable(type) else { return [:] }
        var search = FunctionNames(addresses)
        let entry = UInt64(MemoryLayout<Elf64_Sym>.size)
        let end = min(table.sh_size / entry, limit.symbols)
        for first in stride(from: 0, to: end, by: 4096) {
            let symbols: [Elf64_Sym] = file.read(
                at: table.sh_offset &+ first * entry,
                count: Int(min(end - first, 4096))
            )
            for symbol in symbols where isFunction(symbol) { search.add(symbol) }
        }
        return search.names { file.text(at: $0.st_name, of: names) }
    }

    /// Also those that the loader chooses, if they are defined here.
    private static func isFunction(_ symbol: Elf64_Sym) -> Bool {
        let type = Int32(symbol.st_info & 0xf)
        return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_shndx != 0 && symbol.st_value != 0
    }

    private mutating func add(_ symbol: Elf64_Sym) {
        var index = firstIndex(from: symbol.st_value)
        guard index < addresses.count else { return }
        starts[index] = max(starts[index], symbol.st_value)
        // Handwritten code can lack a size: then it reaches to the next function, but not over a page.
        let size = symbol.st_size == 0 ? 4096 : symbol.st_size
        while index < addresses.count, addresses[index] - symbol.st_value < size, pairs < Self.limit.pairs {
            let known = holders[index].first?.st_value ?? 0
            if known < symbol.st_value { holders[index] = [symbol] }
            if known == symbol.st_value && holders[index].count < 16 { holders[index].append(symbol) }
            (index, pairs) = (index + 1, pairs + 1)
        }
    }

    /// The index of the first address from `start` on. Without a closure: it runs for each symbol, in debug builds, too.
    private func firstIndex(from start: UInt64) -> Int {
        addresses.withUnsafeBufferPointer { addresses in
            var (low, high) = (0, addresses.count)
            while low < high {
                let middle = (low &+ high) / 2
                if addresses[middle] < start { low = middle &+ 1 } else { high = middle }
            }
            return low
        }
    }

    private func names(_ text: (Elf64_Sym) -> String?) -> [UInt64: String] {
        func rank(_ name: String) -> (Int, Int) { (name.prefix { $0 == "_" }.count, name.utf8.count) }
        var (names, last): ([UInt64: String], UInt64) = ([:], 0)
        for (index, address) in addresses.enumerated() {
            last = max(last, starts[index])
            let holders = holders[index].filter { $0.st_size > 0 || $0.st_value == last }
            names[address] = holders.compactMap(text).min { rank($0) < rank($1) }
        }
        return names
    }
}

extension RandomAccessCollection {
    /// The first index whose element fulfills a condition, of a collection in which all later ones do; the end if there is none.
    func firstSortedIndex(where condition: (Element) -> Bool) -> Index {
        var (low, count) = (startIndex, self.count)
        while count > 0 {
            let middle = index(low, offsetBy: count / 2)
            if condition(self[middle]) {
                count /= 2
            } else {
                (low, count) = (index(after: middle), count - count / 2 - 1)
            }
        }
        return low
    }
}

/// The name of a function as people write it.
package enum SymbolName {
    /// What compilers put before and behind names of variants of a function.
    private static let prefixes = ["specialized ", "partial apply for ", "merged "]
    private static let suffixes = [".cold", ".constprop.", ".isra.", ".llvm.", ".lto_priv.", ".part.", ".resume."]

    /// Without modules and types of results. All variants of a function have one name: specializations, and the parts between the
    /// suspensions of an asynchronous function. Names of C stay as they are.
    package static func readable(_ symbol: String) -> String {
        // The linker writes the version of a symbol behind an at sign.
        var plain = symbol.prefix { $0 != "@" }
        for suffix in suffixes {
            if let range = plain.dropFirst().firstRange(of: suffix) { plain = plain[..<range.lowerBound] }
        }
        guard let text = axiom_demangle(String(plain)) else { return plain.isEmpty ? symbol : String(plain) }
        defer { free(text) }
        var name = String(cString: text)
        while let prefix = prefixes.first(where: { name.hasPrefix($0) }) { name.removeFirst(prefix.count) }
        return name.replacing("closure #", with: "closure ")
    }
}
#endif
