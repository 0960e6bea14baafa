// SPDX-License-Identifier: Apache-2.0

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
