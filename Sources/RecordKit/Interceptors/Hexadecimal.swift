/// Numbers as text, for ids.
enum Hexadecimal {
    /// Sixteen digits in lower case for each number.
    static func text(of numbers: UInt64...) -> String {
        String(unsafeUninitializedCapacity: numbers.count * 16) { text in
            let bytes = UnsafeMutableRawBufferPointer(text)
            for (index, number) in numbers.enumerated() {
                let (upper, lower) = (digits(of: number >> 32), digits(of: number & 0xFFFF_FFFF))
                bytes.storeBytes(of: upper.bigEndian, toByteOffset: index * 16, as: UInt64.self)
                bytes.storeBytes(of: lower.bigEndian, toByteOffset: index * 16 + 8, as: UInt64.self)
            }
            return numbers.count * 16
        }
    }

    /// Eight digits of a number of 32 bits, each a byte of the result, the first the highest: all at once, as an id is
    /// made for every call.
    private static func digits(of number: UInt64) -> UInt64 {
        var spread = number
        spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
        spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
        spread = (spread | spread << 4) & 0x0F0F_0F0F_0F0F_0F0F
        // Adding six carries into the high half of a byte from ten on, where letters begin.
        let letters = (spread + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return spread + 0x3030_3030_3030_3030 + letters * 39
    }
}
