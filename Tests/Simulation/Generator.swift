/// A generator whose numbers depend only on its seed (SplitMix64).
struct Generator: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64...) {
        state = 0
        for part in seed { state = (state ^ part) &* 0xbf58_476d_1ce4_e5b9 &+ 0x9e37_79b9_7f4a_7c15 }
        _ = next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ limit: Int) -> Int { Int((next() >> 33) % UInt64(limit)) }

    /// Returns true once in `count` times.
    mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    mutating func pick<Value>(_ values: Value...) -> Value { values[below(values.count)] }
}
