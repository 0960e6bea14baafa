// SPDX-License-Identifier: Apache-2.0

package import AxiomBase
internal import Foundation

/// The standard normal distribution.
package enum NormalDistribution {
    /// The probability of a value up to `value`, by the complementary error function of the C library.
    package static func cumulative(_ value: Double) -> Double {
        0.5 * erfc(-value / 2.0.squareRoot())
    }

    /// The value up to which the distribution has `probability`: AS 241 (Wichura, "The percentage points of the normal
    /// distribution", Applied Statistics 37, 1988), good to about 1e-16.
    ///
    /// - Throws: ``ProfileError`` if the probability is not between 0 and 1.
    package static func quantile(_ probability: Double) throws(ProfileError) -> Double {
        try Check.probability(probability, "the probability")
        return quantileUnchecked(probability)
    }

    static func quantileUnchecked(_ probability: Double) -> Double {
        let centred = probability - 0.5
        if abs(centred) <= 0.425 {
            let square = 0.180625 - centred * centred
            return centred * ratio(square, centre.0, centre.1)
        }
        let tail = (-log(centred < 0 ? probability : 1 - probability)).squareRoot()
        let value = tail <= 5 ? ratio(tail - 1.6, near.0, near.1) : ratio(tail - 5, far.0, far.1)
        return centred < 0 ? -value : value
    }

    /// The quotient of two polynomials, whose coefficients begin with the constant.
    private static func ratio(_ value: Double, _ above: [Double], _ below: [Double]) -> Double {
        var (numerator, denominator) = (0.0, 0.0)
        var degree = above.count - 1
        while degree >= 0 {
            numerator = numerator * value + above[degree]
            denominator = denominator * value + below[degree]
            degree -= 1
        }
        return numerator / denominator
    }

    private static let centre: ([Double], [Double]) = (
        [
            3.387_132_872_796_366_608, 133.141_667_891_784_377_45, 1_971.590_950_306_551_442_7,
            13_731.693_765_509_461_125, 45_921.953_931_549_871_457, 67_265.770_927_008_700_853,
            33_430.575_583_588_128_105, 2_509.080_928_730_122_672_7,
        ],
        [
            1, 42.313_330_701_600_911_252, 687.187_007_492_057_908_3, 5_394.196_021_424_751_107_7,
            21_213.794_301_586_595_867, 39_307.895_800_092_710_61, 28_729.085_735_721_942_674,
            5_226.495_278_852_854_561,
        ]
    )

    private static let near: ([Double], [Double]) = (
        [
            1.423_437_110_749_683_577_34, 4.630_337_846_156_545_295_9, 5.769_497_221_460_691_405_5,
            3.647_848_324_763_204_605_04, 1.270_458_252_452_368_382_58, 0.241_780_725_177_450_611_77,
            0.022_723_844_989_269_184_583_3, 7.745_450_142_783_414_076_4e-4,
        ],
        [
            1, 2.053_191_626_637_758_821_87, 1.676_384_830_183_803_849_4, 0.689_767_334_985_100_004_55,
            0.148_103_976_427_480_074_59, 0.015_198_666_563_616_457_196_6, 5.475_938_084_995_344_946e-4,
            1.050_750_071_644_416_843_24e-9,
        ]
    )

    private static let far: ([Double], [Double]) = (
        [
            6.657_904_643_501_103_777_2, 5.463_784_911_164_114_369_9, 1.784_826_539_917_291_335_8,
            0.296_560_571_828_504_891_23, 0.026_532_189_526_576_123_093, 0.001_242_660_947_388_078_438_6,
            2.711_555_568_743_487_578_15e-5, 2.010_334_399_292_288_132_65e-7,
        ],
        [
            1, 0.599_832_206_555_887_937_69, 0.136_929_880_922_735_805_31, 0.014_875_361_290_850_615_025,
            7.868_691_311_456_132_591e-4, 1.846_318_317_510_054_681_8e-5, 1.421_511_758_316_445_888_7e-7,
            2.044_263_103_389_939_785_64e-15,
        ]
    )
}

extension SeededGenerator {
    /// A standard normal number, by inversion.
    package mutating func normal() -> Double {
        NormalDistribution.quantileUnchecked((Double(next() >> 11) + 0.5) * 0x1p-53)
    }
}
