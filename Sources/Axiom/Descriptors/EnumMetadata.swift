// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The case names of an enum type, read from the metadata of the Swift runtime.
///
/// The layout follows the Swift ABI (docs/ABI/TypeMetadata.rst of the Swift project). A type's metadata starts with its
/// kind, then the nominal type descriptor. The fifth 32-bit word of that descriptor is a relative pointer to the field
/// descriptor, whose records name the cases: first those with a payload, then those without.
///
/// On arm64e the pointer to the type descriptor is signed, and must be authenticated before it is followed. This code
/// does not do that: do not build for arm64e.
package struct EnumMetadata {
    /// `swift_EnumCaseName`: the name of the case of a value, or nil if the value is not an enum. Unlike `Mirror` and
    /// `String(describing:)`, it never runs the type's own description, which could print a payload.
    @_silgen_name("swift_EnumCaseName")
    private static func caseName<T>(_ value: T) -> UnsafePointer<CChar>?

    private enum Layout {
        /// Metadata kinds of enums: 0x201, and 0x202 for `Optional`.
        static let enumKinds: ClosedRange<UInt> = 0x201...0x202
        static let descriptorOffset = MemoryLayout<UInt>.size
        static let fieldsPointerOffset = 16
        static let recordSizeOffset = 10
        static let recordCountOffset = 12
        static let recordsOffset = 16
        static let namePointerOffset = 8
    }

    private let records: UnsafeRawPointer
    private let recordSize: Int
    private let count: Int

    /// Finds the metadata. Returns nil if `type` is not an enum or was compiled without reflection metadata.
    init?<T>(_ type: T.Type) {
        guard Self.isEnum(type) else { return nil }
        let existential: Any.Type = type
        let metadata = unsafeBitCast(existential, to: UnsafeRawPointer.self)
        let descriptor = metadata.load(fromByteOffset: Layout.descriptorOffset, as: UnsafeRawPointer.self)
        guard let fields = Self.target(ofRelativePointerAt: descriptor + Layout.fieldsPointerOffset) else { return nil }
        records = fields + Layout.recordsOffset
        recordSize = Int(fields.load(fromByteOffset: Layout.recordSizeOffset, as: UInt16.self))
        count = Int(fields.load(fromByteOffset: Layout.recordCountOffset, as: UInt32.self))
    }

    var caseNames: [String] { (0..<count).map { String(cString: name(at: $0)) } }

    /// The name of the case of `value`, or nil if it is not an enum. Never runs the type's own description.
    package static func caseName(ofValue value: some Any) -> String? {
        guard isEnum(type(of: value)) else { return nil }
        return caseName(value).map { String(cString: $0) }
    }

    private static func isEnum<T>(_ type: T.Type) -> Bool {
        let existential: Any.Type = type
        return Layout.enumKinds.contains(unsafeBitCast(existential, to: UnsafePointer<UInt>.self).pointee)
    }

    /// The index of the case of `value`, found without creating a string.
    func caseIndex<T>(of value: T) -> Int? {
        guard let name = Self.caseName(value) else { return nil }
        return (0..<count).first { strcmp(self.name(at: $0), name) == 0 }
    }

    private func name(at index: Int) -> UnsafePointer<CChar> {
        let field = records + index * recordSize + Layout.namePointerOffset
        let name = Self.target(ofRelativePointerAt: field) ?? UnsafeRawPointer(StaticString("").utf8Start)
        return name.assumingMemoryBound(to: CChar.self)
    }

    private static func target(ofRelativePointerAt address: UnsafeRawPointer) -> UnsafeRawPointer? {
        let offset = address.load(as: Int32.self)
        return offset == 0 ? nil : address + Int(offset)
    }
}
