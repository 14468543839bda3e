extension StringProtocol {
    /// Whether every byte of its UTF-8 passes; several times as fast as by the view's own indices.
    @inline(__always)
    func allBytes(satisfy isAllowed: (UInt8) -> Bool) -> Bool {
        utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isAllowed) } ?? utf8.allSatisfy(isAllowed)
    }
}
