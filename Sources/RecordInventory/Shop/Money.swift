/// An amount in the minor units of its currency: 1850 and EUR are €18.50, 1850 and JPY are ¥1850.
struct Money: Hashable, Sendable {
    var amount: Int64
    var currency: Currency

    /// The largest amount of a movement that is added up, in minor units.
    static let largestSummed: UInt64 = 1_000_000_000_000_000

    /// What to do with more decimals than the currency has.
    enum Rounding: Sendable {
        /// Throws, even if they are zeros.
        case refused
        /// Rounds to the nearest amount, and a tie to the even one.
        case halfEven
    }

    /// Adds an amount in minor units.
    mutating func add(_ other: Int64) throws(InvalidValue) {
        do { try amount.add(other) } catch { throw .tooLarge }
    }

    /// The amount with all decimals of its currency: `18.50`, `1850`, `0.005`.
    var decimalText: String {
        let sign = amount < 0 ? "-" : ""
        let digits = String(amount.magnitude)
        guard currency.exponent > 0 else { return sign + digits }
        let padded = String(repeating: "0", count: max(0, currency.exponent + 1 - digits.count)) + digits
        return sign + padded.dropLast(currency.exponent) + "." + padded.suffix(currency.exponent)
    }

    /// The amount with its currency: `18.50 EUR`.
    var text: String { "\(decimalText) \(currency.code)" }
}

// Parsing.
extension Money {
    /// Parses a price such as `18.50`: digits, perhaps with a point and more digits. Never negative.
    init(_ text: String, in currency: Currency, rounding: Rounding = .refused) throws(InvalidValue) {
        let amount = try Self.units(in: text, decimals: currency.exponent, rounding: rounding)
        self.init(amount: amount, currency: currency)
    }

    /// Parses a decimal number as a count of its smallest units: `18.5` with two decimals is 1850.
    ///
    /// - Parameter owner: The owner of the decimals, for the message.
    static func units(
        in text: String, decimals: Int, of owner: String = "the currency", rounding: Rounding = .refused
    ) throws(InvalidValue) -> Int64 {
        let text = text.trimmed
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        let whole = parts[0]
        let fraction = parts.count > 1 ? parts[1] : ""[...].utf8
        guard !whole.isEmpty, whole.allSatisfy(\.isDigit), fraction.allSatisfy(\.isDigit),
            parts.count == 1 || !fraction.isEmpty
        else { throw InvalidValue(complaint(about: text)) }

        let dropped = fraction.dropFirst(decimals)
        if rounding == .refused, !dropped.isEmpty {
            throw InvalidValue("too many decimals; \(owner) has \(decimals == 0 ? "none" : "\(decimals)")")
        }

        let zeros = repeatElement(UInt8(ascii: "0"), count: max(0, decimals - fraction.count))
        guard let units = Int64(String(decoding: Array(whole) + fraction.prefix(decimals) + zeros, as: UTF8.self))
        else {
            throw InvalidValue.tooLarge
        }
        guard let first = dropped.first, first >= UInt8(ascii: "5") else { return units }
        let isTie = first == UInt8(ascii: "5") && dropped.dropFirst().allSatisfy { $0 == UInt8(ascii: "0") }
        if isTie, units.isMultiple(of: 2) { return units }
        guard units < .max else { throw InvalidValue.tooLarge }
        return units + 1
    }

    static let commaAdvice = "write it with a decimal point and without thousands separators, like 1850.00"

    private static func complaint(about text: String) -> String {
        if text.isEmpty { return "missing" }
        if text.hasPrefix("-") { return "a price is never negative" }
        if text.contains(",") { return commaAdvice }
        return "not a price; write digits and a decimal point, like 18.50"
    }
}

/// A currency by its ISO 4217 code. Excludes metals and units of account.
struct Currency: Hashable, Sendable {
    let code: String
    /// The number of decimals: 2 for the euro, 0 for the yen, 3 for the Kuwaiti dinar.
    let exponent: Int

    /// Parses a code in any case: `EUR`, `eur`.
    init(_ text: some StringProtocol) throws(InvalidValue) {
        let code = text.trimmed.uppercased()
        guard let exponent = Self.exponents[code] else {
            throw InvalidValue("not a currency code; they have three letters, like EUR, GBP or USD")
        }
        self.code = code
        self.exponent = exponent
    }

    private init() {
        code = ""
        exponent = 0
    }

    /// Stands for the currency of a record that has none yet.
    static let none = Currency()

    private static let exponents: [String: Int] = {
        var exponents: [String: Int] = [:]
        for (exponent, codes) in codes {
            for code in codes.split(whereSeparator: \.isWhitespace) {
                exponents[String(code)] = exponent
            }
        }
        return exponents
    }()

    /// The codes of ISO 4217 list one, by exponent. Includes the Bulgarian lev and the Antillean guilder, which have
    /// expired, for old lists.
    private static let codes = [
        0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
        2: """
        AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF
        CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD
        HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT
        MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR
        SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU
        UZS VED VES WST XCD XCG YER ZAR ZMW ZWG
        """,
        3: "BHD IQD JOD KWD LYD OMR TND",
        4: "CLF UYW",
    ]
}
