// SPDX-License-Identifier: Apache-2.0

/// What must be the same for times to be comparable. Nothing in it changes by itself: no clock rate, no name of the
/// host. What could not be found out is `unknown`, which is only the same as `unknown`.
public struct MachineClass: Hashable, Sendable {
    /// The processor architecture, as `x86_64`.
    public var architecture = "unknown"
    /// The processor's model.
    public var processor = "unknown"
    /// A hash of the instruction sets that libraries choose their code by.
    public var featuresHash = "unknown"
    /// The processors that the system has online.
    public var logicalProcessors = 0
    /// The memory in GiB, as the nearest power of two; 0 when unknown.
    public var memoryClass = 0
    /// The hypervisor, as `kvm`; `none` on bare metal.
    public var virtualization = "unknown"
    /// The system and its version, as `debian 12`.
    public var system = "unknown"
    /// The C library and its version, as `glibc 2.39`.
    public var libc = "unknown"
    /// The allocator: `system` unless another one is loaded first.
    public var allocator = "unknown"
    /// Whether the process runs in a container.
    public var isContainer = false
    /// Members of a later version of the format.
    var unknown = UnknownMembers()

    /// Makes one to be filled in.
    public init() {}

    /// The fields that differ, this being the baseline's.
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
