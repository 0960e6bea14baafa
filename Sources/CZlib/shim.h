// SPDX-License-Identifier: Apache-2.0

#ifndef AXIOM_CZLIB_SHIM_H
#define AXIOM_CZLIB_SHIM_H

#include <zlib.h>

#endif
