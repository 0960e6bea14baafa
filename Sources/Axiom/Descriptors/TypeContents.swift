// SPDX-License-Identifier: Apache-2.0

/// A type that behaves as a value although it contains references: a change of one copy never shows in another.
///
/// A state consists of values (rule 17), and ``Orchestrator/start()`` refuses one that contains a class instance.
/// Conform a type that is built over references, but has the semantics of a value, such as a collection with
/// copy-on-write, or a class with only constants of values:
/// ```swift
/// final class Catalogue: Hashable, ValueSemantics { let items: [Item] }
/// ```
/// The collections of the standard library, Foundation and swift-collections need no conformance: their elements are
/// checked instead.
///
/// The check reads types when the application starts, before there is a value. So it does not find a class instance in
/// a property of the type `any P`, unless `P` is restricted to classes, nor what a closure captures. Prefer an enum of
/// the possible types.
public protocol ValueSemantics {}

/// What a type is made of, read from the metadata of the Swift runtime. See ``EnumMetadata`` for the layout and its
/// limits.
///
/// It finds the stored properties of structs, the payloads of enums, the elements of tuples and the arguments of generic
/// types of known modules. It does not find what a closure captures or what an `any` type contains, unless that is
/// restricted to classes. What the runtime cannot name is left out, so a type is never refused by mistake.
struct TypeContents {
    /// Modules whose structs are values, whatever they contain.
    private static let valueModules: Set<Substring> = [
        "Swift", "Foundation", "FoundationEssentials", "FoundationInternationalization", "Synchronization",
        "Collections", "BitCollections", "DequeModule", "HashTreeCollections", "HeapModule", "OrderedCollections",
        "SortedCollections", "_RopeModule", "ComplexModule", "CoreGraphics", "SystemPackage", "System",
    ]

    private enum Kind {
        static let structure: UInt = 0x200
        static let enumeration: UInt = 0x201
        static let optional: UInt = 0x202
        static let tuple: UInt = 0x301
        static let existential: UInt = 0x303
    }

    private var visited: Set<ObjectIdentifier> = []

    /// The path to the first class instance that a value of `type` can contain, as in `cart.items.image`; nil if
    /// there is none. A type that is a class itself is not reported.
    static func reference(in type: Any.Type) -> (path: String, type: String)? {
        var contents = TypeContents()
        return contents.search(type, "")
    }

    private mutating func search(_ type: Any.Type, _ path: String) -> (path: String, type: String)? {
        guard !(type is any ValueSemantics.Type), visited.insert(ObjectIdentifier(type)).inserted else { return nil }
        if !path.isEmpty, Self.isReference(type) { return (path, "\(type)") }
        for part in Self.parts(of: type) {
            let inner = path.isEmpty || part.name.isEmpty ? path + part.name : "\(path).\(part.name)"
            if let found = search(part.type, inner.isEmpty ? "\(type)" : inner) { return found }
        }
        return nil
    }

    /// Whether a value of `type` is a reference to an object.
    private static func isReference(_ type: Any.Type) -> Bool {
        if type is AnyObject.Type { return true }
        guard kind(of: type) == Kind.existential else { return false }
        // The highest bit of the flags is clear if the existential holds only classes.
        return metadata(of: type).load(fromByteOffset: MemoryLayout<UInt>.size, as: UInt32.self) >> 31 == 0
    }

    private static func parts(of type: Any.Type) -> [(name: String, type: Any.Type)] {
        switch kind(of: type) {
        case Kind.structure:
            let module = _typeName(type, qualified: true).prefix { $0 != "." }
            if valueModules.contains(module) { return arguments(of: type).map { ("", $0) } }
            return FieldRecords(of: metadata(of: type)).fields
        case Kind.enumeration: return FieldRecords(of: metadata(of: type)).fields
        case Kind.optional: return FieldRecords(of: metadata(of: type)).fields.map { ("", $0.type) }
        case Kind.tuple: return elements(of: metadata(of: type))
        default: return []
        }
    }

    /// The types with which a generic struct was specialized.
    private static func arguments(of type: Any.Type) -> [Any.Type] {
        let (metadata, word) = (metadata(of: type), MemoryLayout<UInt>.size)
        let descriptor = metadata.load(fromByteOffset: word, as: UnsafeRawPointer.self)
        guard descriptor.load(as: UInt32.self) & 0x80 != 0 else { return [] }
        // Behind the seven words of a struct's descriptor and the two pointers of its generic header.
        let count = Int(descriptor.load(fromByteOffset: 36, as: UInt16.self))
        let kinds = (0..<count).map { descriptor.load(fromByteOffset: 44 + $0, as: UInt8.self) }
        // Only plain types with a key argument, which come first among the arguments.
        guard kinds.allSatisfy({ $0 == 0x80 }) else { return [] }
        return (0..<count).map { metadata.load(fromByteOffset: (2 + $0) * word, as: Any.Type.self) }
    }

    private static func elements(of tuple: UnsafeRawPointer) -> [(name: String, type: Any.Type)] {
        let word = MemoryLayout<UInt>.size
        let count = tuple.load(fromByteOffset: word, as: Int.self)
        return (0..<count).map { ("\($0)", tuple.load(fromByteOffset: (3 + 2 * $0) * word, as: Any.Type.self)) }
    }

    private static func kind(of type: Any.Type) -> UInt { metadata(of: type).load(as: UInt.self) }

    private static func metadata(of type: Any.Type) -> UnsafeRawPointer {
        unsafeBitCast(type, to: UnsafeRawPointer.self)
    }
}

/// The stored properties of a struct, or the cases with payloads of an enum.
private struct FieldRecords {
    let fields: [(name: String, type: Any.Type)]

    init(of metadata: UnsafeRawPointer) {
        let word = MemoryLayout<UInt>.size
        let descriptor = metadata.load(fromByteOffset: word, as: UnsafeRawPointer.self)
        guard let records = Self.target(at: descriptor + 16) else {
            fields = []
            return
        }
        let size = Int(records.load(fromByteOffset: 10, as: UInt16.self))
        let count = Int(records.load(fromByteOffset: 12, as: UInt32.self))
        fields = (0..<count).compactMap { index in
            let record = records + 16 + index * size
            guard let name = Self.target(at: record + 4) else { return nil }
            let mangled = name.assumingMemoryBound(to: UInt8.self)
            let type = _getTypeByMangledNameInContext(
                mangled,
                Self.length(of: mangled),
                genericContext: descriptor,
                genericArguments: metadata + 2 * word
            )
            let label = Self.target(at: record + 8).map { String(cString: $0.assumingMemoryBound(to: CChar.self)) }
            return type.map { (label ?? "", $0) }
        }
    }

    /// The length of a mangled name, which contains references of 4 or of 8 bytes behind a control character.
    private static func length(of name: UnsafePointer<UInt8>) -> UInt {
        var length = 0
        while name[length] != 0 {
            switch name[length] {
            case 0x01...0x17: length += 5
            case 0x18...0x1F: length += 1 + MemoryLayout<UInt>.size
            default: length += 1
            }
        }
        return UInt(length)
    }

    private static func target(at address: UnsafeRawPointer) -> UnsafeRawPointer? {
        let offset = address.load(as: Int32.self)
        return offset == 0 ? nil : address + Int(offset)
    }
}
