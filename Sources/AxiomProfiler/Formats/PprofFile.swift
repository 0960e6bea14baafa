// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomInstrumentation
internal import AxiomMetrics
internal import OrderedCollections

/// The protocol buffers message of pprof. Each operation is a function without a module, so that a stack begins with its path. A
/// sample has its innermost operation as the label `action`, and the component of that as the label `component`.
///
/// https://github.com/google/pprof/blob/main/proto/profile.proto
struct PprofFile: ~Copyable {
    private var file = ExpositionBuffer(capacity: 1 << 16)
    /// A text has its index as its number, a module that plus one.
    private var texts: OrderedSet = [""]
    private var modules: OrderedSet<String> = []

    /// - Parameter began: When the range of the profile begins, in seconds since 1970.
    static func bytes(of profile: Profile, began: Double) -> [UInt8] {
        var file = PprofFile()
        file.putHead(profile, began)
        for stack in profile.stacks { file.put(stack, of: profile) }
        file.putFrames(profile.frames)
        for text in file.texts { file.file.putField(6, text: text) }
        return file.file.bytes
    }

    private mutating func number(_ text: String) -> UInt64 { UInt64(texts.append(text).index) }

    /// What the values are, and the range.
    private mutating func putHead(_ profile: Profile, _ began: Double) {
        let types = [(1, "samples", "count")] + profile.measures.map { (1, $0.name, $0.unit) }
        for (field, type, unit) in types + [(11, "cpu", "nanoseconds")] {
            put(field, [1: number(type), 2: number(unit)])
        }
        file.putField(9, int64: (Int64(exactly: (began * 1e6).rounded()) ?? 0) &* 1_000)
        file.putField(10, int64: max(0, profile.end.nanoseconds(since: profile.start)))
        file.putField(12, int64: 1_000_000_000 / Int64(max(1, profile.rate)))
        file.putField(14, varint: number("cpu"))
    }

    /// A message of numbers.
    private mutating func put(_ field: Int, _ values: KeyValuePairs<Int, UInt64>) {
        file.putField(field) { message in
            for (field, value) in values { message.putField(field, varint: value) }
        }
    }

    /// A sample. Its first frame is the innermost one.
    private mutating func put(_ stack: Profile.Stack, of profile: Profile) {
        let operation = profile.operation(of: stack)
        let named = [("action", operation?.name), ("component", operation?.component)]
        let labels = named.compactMap { key, value in value.map { (number(key), number($0)) } }
        let values = [Int64(stack.samples)] + profile.measures.map { $0.value(stack) }
        file.putField(2) { message in
            message.putField(1, packedVarints: stack.frames.reversed().map { UInt64($0 + 1) })
            message.putField(2, packedVarints: values.map { UInt64(bitPattern: $0) })
            for (key, value) in labels {
                message.putField(3) { label in
                    label.putField(1, varint: key)
                    label.putField(2, varint: value)
                }
            }
        }
    }

    /// The modules, and a place and a function for each frame. Readers look up no names in modules that say to have everything. A
    /// function without a system name is not demangled again.
    private mutating func putFrames(_ frames: [Profile.Frame]) {
        // Readers take the first module for the program.
        let modules = frames.compactMap(\.module)
        if let program = modules.first(where: { !$0.contains(".so") && $0 != "[vdso]" }) { _ = putModule(program) }
        for (index, frame) in frames.enumerated() {
            let id = UInt64(index + 1)
            let module = frame.module.map { putModule($0) }
            file.putField(4) { place in
                place.putField(1, varint: id)
                if let module { place.putField(2, varint: module) }
                place.putField(4) { line in
                    line.putField(1, varint: id)
                    line.putField(2, int64: Int64(frame.line ?? 0))
                }
            }
            put(5, [1: id, 2: number(frame.title), 4: number(frame.file ?? "")])
        }
    }

    private mutating func putModule(_ module: String) -> UInt64 {
        let (isNew, index) = modules.append(module)
        let id = UInt64(index + 1)
        if isNew { put(3, [1: id, 5: number(module), 7: 1, 8: 1, 9: 1, 10: 1]) }
        return id
    }
}
