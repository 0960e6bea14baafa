// SPDX-License-Identifier: Apache-2.0

// Functions that call each other as a table says, so that a slower or a refactored program is another table.

#include "CPlantedCode.h"

typedef uint64_t node(const struct planted_tree *tree, uint64_t value);

static node *const nodes[planted_tree_size];

// Each has a constant of its own, so that no two have the same code. The compiler may not know the value of a round: it would make
// one multiplication of eight rounds, but not of the last seven, and a function could not give rounds to another at equal cost.
#define NODE(NUMBER)                                                                                                  \
    __attribute__((noinline)) static uint64_t planted_node_##NUMBER(const struct planted_tree *tree, uint64_t value) { \
        for (uint32_t round = 0; round < tree->rounds[NUMBER]; round++) {                                             \
            value = value * 6364136223846793005u + (2 * NUMBER + 1);                                                  \
            __asm__ volatile("" : "+r"(value));                                                                       \
        }                                                                                                             \
        for (uint8_t index = 0; index < tree->counts[NUMBER]; index++)                                                \
            value ^= nodes[tree->callees[NUMBER][index]](tree, value);                                                \
        return value;                                                                                                 \
    }
#define ALL(DO)                                                                                                        \
    DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)              \
    DO(16) DO(17) DO(18) DO(19) DO(20) DO(21) DO(22) DO(23) DO(24) DO(25) DO(26) DO(27) DO(28) DO(29) DO(30) DO(31)    \
    DO(32) DO(33) DO(34) DO(35) DO(36) DO(37) DO(38) DO(39) DO(40) DO(41) DO(42) DO(43) DO(44) DO(45) DO(46) DO(47)

ALL(NODE)

#define ENTRY(NUMBER) planted_node_##NUMBER,
static node *const nodes[planted_tree_size] = {ALL(ENTRY)};

uint64_t planted_tree_run(const struct planted_tree *tree) { return nodes[0](tree, 1); }
