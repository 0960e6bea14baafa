// SPDX-License-Identifier: Apache-2.0

#ifndef AXIOM_CSQLITE_SHIM_H
#define AXIOM_CSQLITE_SHIM_H

#include <sqlite3.h>

#endif
