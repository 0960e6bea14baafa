// SPDX-License-Identifier: Apache-2.0

internal import AxiomSymbols

/// Names places in the code. Both functions may be called on any thread.
protocol Symbolizing: AnyObject, Sendable {
    /// The frames of a sample, the innermost one first: with the probable callers that the chain of frame pointers lacks. Called
    /// for each sample on the sampler's thread: reads no file.
    func frames(of sample: RawSample) -> [CodeAddress]

    /// The functions at an address: the innermost inlined one first, and last the one that holds them. Never empty. Reads the
    /// file of the module when it is first called for the address.
    func locations(of address: CodeAddress) -> [CodeLocation]

    /// Looks for the functions of many addresses at once, for later calls of ``locations(of:)``, which are right without it. With
    /// files and lines it takes up to 2 s for each module with debug information. The same address is looked for once.
    func prepare(_ addresses: [CodeAddress], withLines: Bool)
}

#if os(Linux) && canImport(Glibc)
extension Symbolizer: Symbolizing {
    func frames(of sample: RawSample) -> [CodeAddress] { frames(sample.frames, words: sample.words) }
}
#endif

extension Symbolizing {
    func prepare(_ addresses: [CodeAddress], withLines: Bool) {}
}
