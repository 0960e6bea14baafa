// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AxiomProfiler
@testable import AxiomSymbols

@Suite("Code addresses")
struct CodeAddressTests {
    @Test("An address keeps its module, its offset and its flags")
    func roundTrip() {
        let address = CodeAddress(module: 77, offset: 0x1234_5678_9abc, isReturn: true, isGuessed: true)
        #expect(address.module == 77)
        #expect(address.offset == 0x1234_5678_9abc)
        #expect(address.isReturn)
        #expect(address.isGuessed)
        #expect(!CodeAddress(module: 1, offset: 2, isReturn: false).isReturn)
    }
}
