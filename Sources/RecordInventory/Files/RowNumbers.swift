/// The first row of each SKU of a file, by the SKU's hash value, since a million SKUs would take much memory.
///
/// Takes about 18 bytes for a SKU. Has many small tables: a single one would take twice as much whenever it grows. Two of
/// a million SKUs have the same hash value once in 30 million files.
struct RowNumbers {
    private var tables = Array(repeating: HashTable(), count: 256)

    /// Returns the earlier row with the SKU, or `nil` if this is the first one, which is kept.
    mutating func earlierRow(of sku: SKU, _ row: Int) -> Int? {
        // 0 marks a free place.
        let hash = max(1, UInt64(truncatingIfNeeded: sku.hashValue))
        return tables[Int(hash % 256)].earlierRow(of: hash, UInt32(clamping: row)).map { Int($0) }
    }
}

/// A hash table with open addressing, which is filled to between 64 and 80 percent.
private struct HashTable {
    private var hashes: [UInt64] = []
    private var rows: [UInt32] = []
    private var count = 0

    mutating func earlierRow(of hash: UInt64, _ row: UInt32) -> UInt32? {
        if count >= hashes.count * 4 / 5 { grow() }
        let place = place(of: hash)
        if hashes[place] == hash { return rows[place] }
        hashes[place] = hash
        rows[place] = row
        count += 1
        return nil
    }

    /// Returns the place with the hash value, or the free one for it.
    private func place(of hash: UInt64) -> Int {
        // The high bits choose the place, since the low ones chose the table.
        var place = Int(hash.multipliedFullWidth(by: UInt64(hashes.count)).high)
        while hashes[place] != 0, hashes[place] != hash { place = place + 1 == hashes.count ? 0 : place + 1 }
        return place
    }

    private mutating func grow() {
        let old = zip(hashes, rows)
        let size = max(16, hashes.count * 5 / 4)
        hashes = Array(repeating: 0, count: size)
        rows = Array(repeating: 0, count: size)
        for (hash, row) in old where hash != 0 {
            let place = place(of: hash)
            hashes[place] = hash
            rows[place] = row
        }
    }
}
