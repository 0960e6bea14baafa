// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomStorage
internal import AxiomSystem
internal import Foundation

/// The free bytes below which the storage of the shop is short. Its files are small.
private let space: (warning: Int64, critical: Int64) = (64 << 20, 16 << 20)

extension Orchestrator {
    /// Monitors the space of the file system with the shop's files, and the pressure on main memory. They change the levels
    /// of the capabilities that need them.
    ///
    /// - Parameter folder: The folder of the database.
    /// - Throws: `CapabilityError` for parameters outside their ranges, which these are not.
    func monitorMachine(folder: String, clock: TimeSource) async throws {
        let here = FileManager.default.currentDirectoryPath
        let disk = try DiskSpaceSource(
            folder.hasPrefix("/") ? folder : here + "/" + folder,
            warning: .bytes(space.warning),
            critical: .bytes(space.critical),
            clock: clock
        )
        monitor(disk, for: (any KeyValueStorage).self)
        #if os(Linux)
        let memory = try MemoryPressureSource(clock: clock)
        // A kernel without pressure stall information has nothing to report.
        if (try? await memory.method()) != nil { monitor(memory, for: ResponseCache.self) }
        #endif
    }
}
