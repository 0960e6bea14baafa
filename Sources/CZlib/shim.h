// SPDX-License-Identifier: Apache-2.0

#ifndef AXIOM_CZLIB_SHIM_H
#define AXIOM_CZLIB_SHIM_H

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

/// What so many bytes take at most, with a header or with the end of a flush; 0 for more than zlib counts in 32 bits.
static inline size_t axiom_deflate_bound(size_t count) {
    size_t bound = deflateBound(NULL, count) + 32;
    return bound > UINT32_MAX ? 0 : bound;
}

/// Compresses bytes in one step.
///
/// - Parameters:
///   - room: Their ``axiom_deflate_bound(_:)``.
///   - window: The bits of the window; 16 more for the header of gzip, negative for no header.
///   - flush: `Z_FINISH` for a complete stream, `Z_FULL_FLUSH` for a part of one.
/// - Returns: The number of compressed bytes; 0 without memory or room.
static inline size_t axiom_deflate(const void *input, size_t count, void *output, size_t room, int level, int window,
                                   int memory, int flush) {
    z_stream stream = {0};
    if (room == 0 || deflateInit2(&stream, level, Z_DEFLATED, window, memory, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    // The type for input is not const, and zlib does not write there.
    stream.next_in = (Bytef *)input;
    stream.avail_in = (uInt)count;
    stream.next_out = output;
    stream.avail_out = (uInt)room;
    int result = deflate(&stream, flush);
    size_t written = room - stream.avail_out;
    deflateEnd(&stream);
    return result == (flush == Z_FINISH ? Z_STREAM_END : Z_OK) ? written : 0;
}

#endif
