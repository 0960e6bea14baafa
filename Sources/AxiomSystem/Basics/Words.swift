// SPDX-License-Identifier: Apache-2.0

// Numbers in the binary records of the kernel.
extension ArraySlice<UInt8> {
    /// The 32 bits at `offset` from the start, in the byte order of the machine. They must exist.
    func word(at offset: Int) -> UInt32 {
        withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    }

    /// The 16 bits at `offset` from the start, in the byte order of the machine. They must exist.
    func half(at offset: Int) -> UInt16 {
        withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt16.self) }
    }
}
