// SPDX-License-Identifier: Apache-2.0

/// A place in the code of a loaded module, which keeps its meaning after the module is unloaded. One word.
struct CodeAddress: Sendable, Hashable {
    /// From the top: 1 bit for ``isGuessed``, 1 for ``isReturn``, 14 of the module's number, 48 of the offset in its file.
    let word: UInt64

    init(module: Int, offset: UInt64, isReturn: Bool, isGuessed: Bool = false) {
        let flags: UInt64 = (isGuessed ? 1 << 63 : 0) | (isReturn ? 1 << 62 : 0)
        word = flags | UInt64(module & 0x3fff) << 48 | offset & 0xffff_ffff_ffff
    }

    /// Whether the frame was not found by the chain of frame pointers: it is the probable caller of a function without a frame.
    var isGuessed: Bool { word >> 63 != 0 }
    /// Whether it is a return address, so that the call is before it.
    var isReturn: Bool { word >> 62 & 1 != 0 }
    /// The number that the symbolizer gave to the module; 0 for an address in none.
    var module: Int { Int(word >> 48 & 0x3fff) }
    var offset: UInt64 { word & 0xffff_ffff_ffff }
}

/// A function at a place in the code.
struct CodeLocation: Sendable, Hashable {
    /// Demangled; the address as text if there is no symbol.
    let function: String
    /// The file name of the module, such as `libswiftCore.so`.
    let module: String
    /// Nil without debug information.
    let file: String?
    let line: Int?
}

/// Names places in the code. Both functions may be called on any thread.
protocol Symbolizing: AnyObject, Sendable {
    /// The frames of a sample, the innermost one first: with the probable callers that the chain of frame pointers lacks. Called
    /// for each sample on the sampler's thread: reads no file.
    func frames(of sample: RawSample) -> [CodeAddress]

    /// The functions at an address: the innermost inlined one first, and last the one that holds them. Never empty. Reads the
    /// file of the module when it is first called for the address.
    func locations(of address: CodeAddress) -> [CodeLocation]

    /// Looks for the functions of many addresses at once, for later calls of ``locations(of:)``, which are right without it. With
    /// files and lines it takes up to 2 s for each module with debug information. The same address is looked for once.
    func prepare(_ addresses: [CodeAddress], withLines: Bool)
}

extension Symbolizing {
    func prepare(_ addresses: [CodeAddress], withLines: Bool) {}
}
