// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && canImport(Glibc)
internal import CAxiomProfiler
internal import Glibc

/// The name of a function as people write it.
enum SymbolName {
    /// What compilers put before and behind names of variants of a function.
    private static let prefixes = ["specialized ", "partial apply for ", "merged "]
    private static let suffixes = [".cold", ".constprop.", ".isra.", ".llvm.", ".lto_priv.", ".part.", ".resume."]

    /// Without modules and types of results. All variants of a function have one name: specializations, and the parts between the
    /// suspensions of an asynchronous function. Names of C stay as they are.
    static func readable(_ symbol: String) -> String {
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
