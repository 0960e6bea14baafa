// SPDX-License-Identifier: Apache-2.0

#ifdef __linux__
#define _GNU_SOURCE
#include "CAxiomModules.h"

#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

int axiom_memory_file(void) {
    return memfd_create("axiom", MFD_CLOEXEC);
}

// Of libswiftCore: writes names as the backtraces of Swift have them, also those of C++.
extern char *_swift_backtrace_demangle(const char *, size_t, char *, size_t *) __attribute__((weak));

char *axiom_demangle(const char *name) {
    return _swift_backtrace_demangle ? _swift_backtrace_demangle(name, strlen(name), NULL, NULL) : NULL;
}

/// Held while the loader's lock is, and by a fork: a child in which the loader's lock stays taken could not load a library.
static pthread_mutex_t visiting = PTHREAD_MUTEX_INITIALIZER;

static void begin_fork(void) { pthread_mutex_lock(&visiting); }
static void end_fork(void) { pthread_mutex_unlock(&visiting); }

static void guard_forks(void) { pthread_atfork(begin_fork, end_fork, end_fork); }

struct visit {
    int (*function)(void *context, const struct axiom_module *module);
    void *context;
};

static int visit_module(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    struct visit *visit = context;
    struct axiom_module module = {
        .path = info->dlpi_name ? info->dlpi_name : "", .bias = info->dlpi_addr, .headers = info->dlpi_phdr,
        .header_count = info->dlpi_phnum, .changes = info->dlpi_adds + info->dlpi_subs};
    return visit->function(visit->context, &module);
}

void axiom_visit_modules(int (*function)(void *, const struct axiom_module *), void *context) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct visit visit = {function, context};
    pthread_once(&once, guard_forks);
    pthread_mutex_lock(&visiting);
    dl_iterate_phdr(visit_module, &visit);
    pthread_mutex_unlock(&visiting);
}

/// The end of the loaded memory that holds `address` and allows what the flags say; 0 if the module has none there.
static uintptr_t end_of_memory(const struct axiom_module *module, uintptr_t address, uint32_t flags) {
    for (size_t index = 0; index < module->header_count; index++) {
        const Elf64_Phdr *header = &module->headers[index];
        uintptr_t offset = address - module->bias - header->p_vaddr;
        if (header->p_type == PT_LOAD && (header->p_flags & flags) == flags && offset < header->p_memsz)
            return address - offset + header->p_memsz;
    }
    return 0;
}

// MARK: - Unwind tables

/// Reads forward up to an end. A read beyond it gives 0 and sets `is_bad`.
struct cursor {
    const uint8_t *at, *end;
    int is_bad;
};

static struct cursor cursor_at(const struct axiom_module *module, uintptr_t address) {
    uintptr_t end = end_of_memory(module, address, PF_R);
    return (struct cursor){(const uint8_t *)address, (const uint8_t *)(end ? end : address), 0};
}

static void skip(struct cursor *cursor, uint64_t size) {
    if (cursor->is_bad || (uint64_t)(cursor->end - cursor->at) < size) cursor->is_bad = 1;
    else cursor->at += size;
}

static uint64_t take(struct cursor *cursor, size_t size) {
    uint64_t value = 0;
    const uint8_t *start = cursor->at;
    skip(cursor, size);
    if (!cursor->is_bad) memcpy(&value, start, size);
    return value;
}

/// A number in the format LEB128. A signed one has the sign in its last byte.
static uint64_t take_leb(struct cursor *cursor, int is_signed) {
    uint64_t value = 0, byte = 0x80;
    unsigned shift = 0;
    for (; byte & 0x80 && shift < 64; shift += 7) value |= ((byte = take(cursor, 1)) & 0x7f) << shift;
    if (is_signed && byte & 0x40 && shift < 64) value |= ~(uint64_t)0 << shift;
    return value;
}

/// A pointer in an encoding of .eh_frame: its format is in the low 4 bits, 0x10 says that it counts from its own address.
static uintptr_t take_pointer(struct cursor *cursor, uint8_t encoding) {
    uintptr_t origin = (encoding & 0x70) == 0x10 ? (uintptr_t)cursor->at : 0;
    switch (encoding & 0xf) {
    case 0x0: case 0x4: case 0xc: return origin + take(cursor, 8);
    case 0x3: return origin + take(cursor, 4);
    case 0xb: return origin + (uintptr_t)(int32_t)take(cursor, 4);
    default: cursor->is_bad = 1; return 0;
    }
}

#if defined(__x86_64__)
enum { frame_register = 6, stack_register = 7, return_register = 16, words_before_stack = 0 };
#else
enum { frame_register = 29, stack_register = 31, return_register = 30, words_before_stack = 1 };
#endif

/// Where the caller's part of the stack begins (the canonical frame address, CFA), and what is saved below it.
struct row {
    /// The CFA is this register and this offset; no_register for one that is computed.
    uint64_t cfa_register;
    int64_t cfa_offset;
    /// Where the return address, the frame pointer and any other register are, from the CFA.
    int64_t return_at, frame_at, other_at;
};

static const uint64_t no_register = UINT64_MAX;
static const int64_t unsaved = INT64_MIN;

/// What a common information entry (CIE) says of its functions.
struct common {
    uint64_t code_unit, data_unit;
    uint8_t encoding;
    struct row row;
};

static int64_t *place_of_register(struct row *row, uint64_t reg) {
    return reg == return_register ? &row->return_at : reg == frame_register ? &row->frame_at : &row->other_at;
}

/// Executes call frame instructions until the row for `pc` is made: DWARF 5, 6.4.2, but for forms that no compiler writes.
static void execute(struct cursor *cursor, struct common *common, uintptr_t location, uintptr_t pc, struct row *row) {
    struct row kept[8];
    size_t depth = 0;
    uint64_t size;
    while (cursor->at < cursor->end && !cursor->is_bad && location <= pc) {
        uint8_t code = (uint8_t)take(cursor, 1), low = code & 0x3f;
        switch (code < 0x40 ? code : code & 0xc0) {
        case 0x40: location += low * common->code_unit; break;
        case 0x80: *place_of_register(row, low) = (int64_t)(take_leb(cursor, 0) * common->data_unit); break;
        case 0xc0: *place_of_register(row, low) = *place_of_register(&common->row, low); break;
        case 0x00: case 0x2d: break;
        case 0x01: location = take_pointer(cursor, common->encoding); break;
        case 0x02: case 0x03: case 0x04: location += take(cursor, (size_t)1 << (code - 2)) * common->code_unit; break;
        case 0x07: case 0x08: *place_of_register(row, take_leb(cursor, 0)) = unsaved; break;
        case 0x0a: if (depth < 8) kept[depth++] = *row; else cursor->is_bad = 1; break;
        case 0x0b: if (depth > 0) *row = kept[--depth]; else cursor->is_bad = 1; break;
        case 0x0c: row->cfa_register = take_leb(cursor, 0); row->cfa_offset = (int64_t)take_leb(cursor, 0); break;
        case 0x0d: row->cfa_register = take_leb(cursor, 0); break;
        case 0x0e: row->cfa_offset = (int64_t)take_leb(cursor, 0); break;
        case 0x0f:
            // An expression that starts at the frame pointer belongs to a function with a frame, which aligned its stack itself.
            size = take_leb(cursor, 0);
            row->cfa_register = take(cursor, 1) == 0x70 + frame_register ? frame_register : no_register;
            skip(cursor, size - 1);
            break;
        case 0x10: case 0x16: take_leb(cursor, 0); skip(cursor, take_leb(cursor, 0)); break;
        // The size of arguments, and rules of registers with numbers above 63, or that are not saved in the stack.
        case 0x06: case 0x2e: take_leb(cursor, 0); break;
        case 0x05: case 0x09: case 0x11: case 0x14: case 0x15: take_leb(cursor, 0); take_leb(cursor, 0); break;
        default: cursor->is_bad = 1;
        }
    }
}

/// A cursor over one entry: its length is in its first 4 bytes.
static struct cursor entry_at(const struct axiom_module *module, uintptr_t address) {
    struct cursor cursor = cursor_at(module, address);
    uint64_t size = take(&cursor, 4);
    if (size == 0 || size > (uint64_t)(cursor.end - cursor.at)) cursor.is_bad = 1;
    else cursor.end = cursor.at + size;
    return cursor;
}

/// Returns 0 if the entry is not understood.
static int read_common(const struct axiom_module *module, uintptr_t address, struct common *common) {
    *common = (struct common){.row = {no_register, 0, unsaved, unsaved, unsaved}};
    struct cursor cursor = entry_at(module, address);
    uint64_t identity = take(&cursor, 4), version = take(&cursor, 1);
    const char *letter = (const char *)cursor.at;
    while (take(&cursor, 1) != 0) {}
    common->code_unit = take_leb(&cursor, 0);
    common->data_unit = take_leb(&cursor, 1);
    take_leb(&cursor, 0);
    uint64_t size = take_leb(&cursor, 0);
    struct cursor instructions = cursor;
    skip(&instructions, size);
    if (instructions.is_bad || identity != 0 || (version != 1 && version != 3) || *letter != 'z') return 0;
    while (*++letter != 0) {
        if (*letter == 'R') common->encoding = (uint8_t)take(&cursor, 1);
        if (*letter == 'L') take(&cursor, 1);
        if (*letter == 'P') take_pointer(&cursor, (uint8_t)take(&cursor, 1) & 0x7f);
        // The frame of a signal handler: its caller did not call it.
        if (*letter == 'S') return 0;
    }
    execute(&instructions, common, 0, 0, &common->row);
    return !cursor.is_bad && !instructions.is_bad;
}

/// Finds the row of `pc`. Returns 0 if no entry covers it, or if the entry is not understood.
static int find_row(const struct axiom_module *module, uintptr_t table, uintptr_t pc, struct row *row) {
    struct cursor header = cursor_at(module, table);
    // Version 1, and the formats that linkers write: a sorted table of two signed words of 4 bytes for each function, from the
    // address of the table.
    if (take(&header, 4) != 0x3b031b01) return 0;
    skip(&header, 4);
    size_t low = 0, high = take(&header, 4);
    if (high == 0 || high > (size_t)(header.end - header.at) / 8) return 0;
    int32_t pair[2];
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        memcpy(pair, header.at + middle * 8, 8);
        if (table + pair[0] <= pc) low = middle;
        else high = middle;
    }
    memcpy(pair, header.at + low * 8, 8);
    uintptr_t entry = table + pair[1];
    struct cursor cursor = entry_at(module, entry);
    uint64_t distance = take(&cursor, 4);
    struct common common;
    if (distance == 0 || !read_common(module, entry + 4 - distance, &common)) return 0;
    uintptr_t start = take_pointer(&cursor, common.encoding), size = take_pointer(&cursor, common.encoding & 0xf);
    skip(&cursor, take_leb(&cursor, 0));
    if (cursor.is_bad || pc - start >= size) return 0;
    *row = common.row;
    execute(&cursor, &common, start, pc, row);
    return !cursor.is_bad;
}

// MARK: - Callers

/// A place in the code, and what is known of it.
struct place {
    uintptr_t pc;
    int is_in_module, has_row, follows_call;
    struct row row;
};

/// Whether the instruction before a return address is a call.
static int is_after_call(const struct axiom_module *module, uintptr_t address) {
    if (end_of_memory(module, address - 8, PF_R | PF_X) < address) return 0;
    const uint8_t *end = (const uint8_t *)address;
#if defined(__x86_64__)
    // call rel32, or call r/m64 with 0, 1 or 4 bytes of an offset and perhaps a second byte of the operand.
    if (end[-5] == 0xe8) return 1;
    for (int size = 2; size <= 7; size++) {
        if (end[-size] == 0xff && (end[1 - size] & 0x38) == 0x10) return 1;
    }
    return 0;
#else
    uint32_t call;
    memcpy(&call, end - 4, 4);
    return (call & 0xfc000000) == 0x94000000 || (call & 0xfffff000) == 0xd63f0000;
#endif
}

static int inspect(void *context, const struct axiom_module *module) {
    struct place *place = context;
    if (end_of_memory(module, place->pc, PF_X) == 0) return 0;
    place->is_in_module = 1;
    place->follows_call = is_after_call(module, place->pc + 1);
    for (size_t index = 0; index < module->header_count; index++) {
        const Elf64_Phdr *header = &module->headers[index];
        if (header->p_type == PT_GNU_EH_FRAME)
            place->has_row = find_row(module, module->bias + header->p_vaddr, place->pc, &place->row);
    }
    return 1;
}

static struct place place_of(uintptr_t pc) {
    struct place place = {.pc = pc};
    axiom_visit_modules(inspect, &place);
    return place;
}

/// The probable caller: the first return address in the words.
static void guess(const uintptr_t *words, size_t count, uintptr_t next, struct axiom_callers *found) {
    found->guessed = found->next = 1;
    for (size_t index = 0; index < count; index++) {
        if (!place_of(words[index] - 1).follows_call) continue;
        // A function with a frame has the address there that the chain has.
        if (words[index] != next) found->callers[found->count++] = words[index];
        return;
    }
}

void axiom_missing_callers(const uintptr_t *frames, size_t frame_count, const uintptr_t *words, size_t word_count,
                           struct axiom_callers *found) {
    *found = (struct axiom_callers){0};
    if (frame_count == 0) return;
    uintptr_t next = frame_count > 1 ? frames[1] : 0;
    struct place place = place_of(frames[0]);
    // The stubs of the linker have no table, or one that computes. A call with at most one pushed word leads there.
    size_t top = words_before_stack, first = top + 2 < word_count ? top + 2 : word_count;
    if (place.is_in_module && (!place.has_row || place.row.cfa_register == no_register)) return guess(words, first, next, found);
    int is_frame_saved = 0;
    while (place.has_row && place.row.cfa_register == stack_register && found->count < axiom_caller_limit) {
        is_frame_saved |= place.row.frame_at != unsaved;
        // Without a saved address, it is in the link register of arm64: only the innermost function has it there.
        int is_saved = place.row.return_at != unsaved;
        if (!is_saved && (words_before_stack == 0 || found->count > 0)) break;
        size_t index = is_saved ? top + ((uint64_t)place.row.cfa_offset + (uint64_t)place.row.return_at) / 8 : 0;
        top += (uint64_t)place.row.cfa_offset / 8;
        place = index < word_count ? place_of(words[index] - 1) : (struct place){0};
        if (!place.follows_call) {
            found->guessed = found->count + 1;
            break;
        }
        found->callers[found->count++] = words[index];
    }
    // At the first and the last instructions of a function, the frames have its caller, too.
    found->next = found->count > 0 && next == found->callers[0] ? 2 : 1;
    int is_lost = is_frame_saved && found->next < frame_count && !place_of(frames[found->next] - 1).follows_call;
    if (is_lost) found->next = frame_count;
}
#endif
