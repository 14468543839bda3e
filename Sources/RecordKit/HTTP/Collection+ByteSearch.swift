extension RandomAccessCollection<UInt8> where Index == Int {
    /// Where these bytes, at least one, come first within a range. The standard library's search of a String or of any
    /// collection takes many times as long, and what is searched is as long as a server likes.
    func range(of bytes: [UInt8], in range: Range<Int>) -> Range<Int>? {
        var start = range.lowerBound
        while start + bytes.count <= range.upperBound {
            if self[start] == bytes[0], self[start..<start + bytes.count].elementsEqual(bytes) {
                return start..<start + bytes.count
            }
            start += 1
        }
        return nil
    }
}
