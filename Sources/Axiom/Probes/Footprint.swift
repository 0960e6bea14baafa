// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
internal import Glibc
#endif

/// The size of objects on the heap.
enum Footprint {
    /// The bytes that the allocator gave an object, without the objects that it refers to; 0 if the allocator does not
    /// report them. Cost: one read of the allocator's header of the object.
    static func heapBytes(of object: AnyObject) -> Int {
        #if canImport(Glibc)
        guard let usableSize else { return 0 }
        return usableSize(Unmanaged.passUnretained(object).toOpaque())
        #else
        return 0
        #endif
    }

    #if canImport(Glibc)
    /// malloc_usable_size(3), because Swift's module of the C library does not include `malloc.h`.
    private static let usableSize: (@convention(c) (UnsafeMutableRawPointer?) -> Int)? =
        dlsym(nil, "malloc_usable_size").map {
            unsafeBitCast($0, to: (@convention(c) (UnsafeMutableRawPointer?) -> Int).self)
        }
    #endif
}
