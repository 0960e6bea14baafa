// SPDX-License-Identifier: Apache-2.0

/// The machine of a measurement: what must be equal for times to be comparable, and what is only recorded.
package struct Fingerprint: Hashable, Sendable {
    package var mustMatch = MachineClass()
    package var recordOnly = MachineNotes()
    var unknown = UnknownMembers()

    /// An empty fingerprint. For this machine's, see ``current()``.
    package init() {}

    /// Compares this machine, which is a baseline's, with another.
    package func match(_ other: Fingerprint) -> FingerprintMatch {
        FingerprintMatch(differences: mustMatch.differences(from: other.mustMatch))
    }
}

extension Fingerprint: Record {
    static let fields: [Field<Self>] = [
        Field("must_match", \.mustMatch),
        Field("record_only", \.recordOnly),
    ]
}

/// What must be equal for times to be comparable. None of it changes by itself: no clock rate, no host name. What could
/// not be found is `unknown`, which equals only `unknown`.
package struct MachineClass: Hashable, Sendable {
    /// The processor architecture, as `x86_64`.
    package var architecture = "unknown"
    /// The processor's model.
    package var processor = "unknown"
    /// A hash of the instruction sets by which libraries choose their code.
    package var featuresHash = "unknown"
    /// The number of processors that are online.
    package var logicalProcessors = 0
    /// The memory in GiB, rounded to a power of two; 0 if unknown.
    package var memoryClass = 0
    /// The hypervisor, as `kvm`; `none` on bare metal.
    package var virtualization = "unknown"
    /// The operating system and its version, as `debian 12`.
    package var system = "unknown"
    /// The C library and its version, as `glibc 2.39`.
    package var libc = "unknown"
    /// The allocator: `system`, or the library that is preloaded.
    package var allocator = "unknown"
    /// Whether the process runs in a container.
    package var isContainer = false
    var unknown = UnknownMembers()

    /// The fields that differ. The receiver is the baseline's.
    func differences(from current: MachineClass) -> [FingerprintMatch.Difference] {
        zip(Self.texts(self), Self.texts(current)).compactMap { mine, other in
            mine.value == other.value
                ? nil : FingerprintMatch.Difference(field: mine.field, baseline: mine.value, current: other.value)
        }
    }

    private static func texts(_ machine: MachineClass) -> [(field: String, value: String)] {
        [
            ("arch", machine.architecture), ("cpu_model", machine.processor),
            ("cpu_features_hash", machine.featuresHash), ("logical_cpus", "\(machine.logicalProcessors)"),
            ("mem_class_gib", "\(machine.memoryClass)"), ("virt", machine.virtualization), ("os", machine.system),
            ("libc", machine.libc), ("allocator", machine.allocator), ("container", "\(machine.isContainer)"),
        ]
    }
}

extension MachineClass: Record {
    static let fields: [Field<Self>] = [
        Field("arch", \.architecture),
        Field("cpu_model", \.processor),
        Field("cpu_features_hash", \.featuresHash),
        Field("logical_cpus", \.logicalProcessors),
        Field("mem_class_gib", \.memoryClass),
        Field("virt", \.virtualization),
        Field("os", \.system),
        Field("libc", \.libc),
        Field("allocator", \.allocator),
        Field("container", \.isContainer),
    ]
}

/// What is recorded about a machine to explain differences, and need not be equal. Nil if it could not be found.
package struct MachineNotes: Hashable, Sendable {
    /// A hash of the host name: it distinguishes hosts without naming them.
    package var hostHash: String?
    /// The release of the kernel.
    package var kernel: String?
    /// The version of the processor's microcode.
    package var microcode: String?
    /// The clock governor of the first processor, as `performance`.
    package var governor: String?
    /// The clock rate of the first processor, in MHz.
    package var megahertz: Double?
    /// Whether two threads share a core.
    package var hasSMT: Bool?
    /// The continuous integration service, as `github:ubuntu24`.
    package var ci: String?
    /// The load average of the last minute.
    package var load1: Double?
    /// The share of time since boot that the hypervisor gave to others, in percent.
    package var stealPercent: Double?
    var unknown = UnknownMembers()
}

extension MachineNotes: Record {
    static let fields: [Field<Self>] = [
        Field("hostname_hash", \.hostHash),
        Field("kernel", \.kernel),
        Field("microcode", \.microcode),
        Field("governor", \.governor),
        Field("mhz", \.megahertz),
        Field("smt", \.hasSMT),
        Field("ci", \.ci),
        Field("load1", \.load1),
        Field("steal_pct", \.stealPercent),
    ]
}

/// The fields in which two machines differ, of those that must be equal.
package struct FingerprintMatch: Hashable, Sendable, CustomStringConvertible {
    /// A field that differs.
    package struct Difference: Hashable, Sendable, CustomStringConvertible {
        /// The name of the field, as in the file.
        package let field: String
        /// The value on the baseline's machine.
        package let baseline: String
        /// The value on the other machine.
        package let current: String

        package var description: String { "\(field) was \(baseline) and is \(current)" }
    }

    /// The differences, in the order of the file; empty if times are comparable.
    package let differences: [Difference]

    /// Whether times are comparable.
    package var isMatch: Bool { differences.isEmpty }

    package var description: String {
        isMatch ? "the same kind of machine" : differences.map(\.description).joined(separator: "; ")
    }
}
