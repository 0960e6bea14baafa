// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && canImport(Glibc)
import Testing

@testable import AxiomProfiler
@testable import AxiomSymbols

@Suite("Names of functions")
struct SymbolNameTests {
    @Test(
        "A name is readable, and all variants of a function have one",
        arguments: [
            ("$s1t4CartV5totalSiyF", "Cart.total()"),
            ("$s1t4CartV3genySixSHRzlFSi_Tg5", "Cart.gen<A>(_:)"),
            ("$s1t4CartV3genySixSHRzlFSS_Tg5", "Cart.gen<A>(_:)"),
            ("$s1t1MV4mainyyYaFZTY0_", "static M.main()"),
            ("$s1t1MV4mainyyYaFZTQ1_", "static M.main()"),
            ("$s1t1MV4mainyyYaFZTf4d_nTQ10_", "static M.main()"),
            ("$s1t1MV4mainyyYaFZyScGySiGzYaXEfU_SiyYacfU_TATQ0_", "closure 1 in closure 1 in static M.main()"),
            ("$s1t1MV4mainyyYaFZSiyYaYbcfu_TA", "implicit closure 1 in static M.main()"),
            ("$s1t1AC1xSivM.resume.0", "A.x.modify"),
            ("_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back(int const&)"),
            ("malloc", "malloc"), ("qsort_r@@GLIBC_2.8", "qsort_r"), ("parse.part.0", "parse"), ("parse.cold", "parse"),
            (".hidden", ".hidden"), ("$s", "$s"), ("$sSiTY", "$sSiTY"), ("", ""), ("@", "@"),
        ]
    )
    func readable(symbol: String, name: String) {
        #expect(SymbolName.readable(symbol) == name)
    }
}
#endif
