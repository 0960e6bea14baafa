// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomStorage
internal import AxiomSystem
internal import Foundation

/// What the machine reports about its disk and its memory. It changes the levels of the capabilities that need them.
extension Shop {
    /// The free bytes below which the shop's storage is short. Its files are small.
    private nonisolated static let space: (warning: Int64, critical: Int64) = (64 << 20, 16 << 20)

    /// Monitors the space of the file system with the shop's files, and the pressure on main memory.
    ///
    /// - Throws: `CapabilityError` for parameters outside their ranges, which these are not.
    func monitorMachine(with orchestrator: Orchestrator) async throws {
        let here = FileManager.default.currentDirectoryPath
        let disk = try DiskSpaceSource(
            folder.hasPrefix("/") ? folder : here + "/" + folder,
            warning: .bytes(Self.space.warning),
            critical: .bytes(Self.space.critical),
            clock: clock
        )
        orchestrator.monitor(disk, for: (any KeyValueStorage).self)
        #if os(Linux)
        let memory = try MemoryPressureSource(clock: clock)
        // A kernel without pressure stall information has nothing to report.
        if (try? await memory.method()) != nil { orchestrator.monitor(memory, for: ResponseCache.self) }
        #endif
    }
}
