// SPDX-License-Identifier: Apache-2.0

package import AxiomInstrumentation

/// A format of a profile that other programs read.
public enum ProfileFormat: String, CaseIterable, Sendable {
    /// The protocol buffers message of `go tool pprof`, uncompressed.
    case pprof
    /// A line for each stack: its frames, and how many samples it has.
    case collapsed
    /// JSON for https://www.speedscope.app.
    case speedscope

    /// - Parameter began: When the range of the profile begins, in seconds since 1970.
    package func file(of profile: Profile, began: Double) -> [UInt8] {
        switch self {
        case .pprof: PprofFile.bytes(of: profile, began: began)
        case .collapsed: CollapsedText.bytes(of: profile)
        case .speedscope: SpeedscopeFile.bytes(of: profile, began: began)
        }
    }
}

extension Profile {
    /// A value that the stacks of a profile have, by the names that pprof's users know.
    typealias Measure = (name: String, unit: String, value: (Stack) -> Int64)

    /// What the stacks of this profile have beside the number of samples.
    var measures: [Measure] {
        let times: [Measure] = [("cpu", "nanoseconds", \.processor), ("waiting", "nanoseconds", \.waiting)]
        let sizes: [Measure] = [("alloc_space", "bytes", \.allocated), ("inuse_space", "bytes", \.live)]
        return times + (hasAllocations ? sizes : [])
    }

    /// The innermost operation of a stack; nil outside of operations.
    func operation(of stack: Stack) -> Frame? {
        stack.frames.last { frames[$0].isOperation }.map { frames[$0] }
    }
}

extension Profile.Frame {
    /// The name in formats that have no kinds. What is no function and no operation stands in brackets.
    var title: String {
        switch kind {
        case .wait: "[\(name.hasPrefix("waits") ? "" : "waits: ")\(name)]"
        case .missing, .outside: "[\(name)]"
        case .function where isGuessed: "\(name) [probable]"
        case .context, .client, .capability, .request, .work, .function: name
        }
    }

    /// `Cart` of `Cart.add`; nil for what is no component.
    var component: String? {
        guard [.context, .client, .capability].contains(kind) else { return nil }
        return name.lastIndex(of: ".").map { String(name[..<$0]) }
    }
}
