/// A currency by its ISO 4217 code: one that money is paid in, not a metal or a unit of account.
struct Currency: Hashable, Sendable {
    let code: String
    /// How many decimals its amounts have: 2 for the euro, 0 for the yen, 3 for the Kuwaiti dinar.
    let exponent: Int

    /// Takes the code in any case: `EUR`, `eur`.
    init(_ text: some StringProtocol) throws(InvalidValue) {
        let code = text.trimmed.uppercased()
        guard let exponent = Self.exponents[code] else {
            throw InvalidValue("not a currency code; they have three letters, like EUR, GBP or USD")
        }
        self.code = code
        self.exponent = exponent
    }

    private static let exponents: [String: Int] = {
        var exponents: [String: Int] = [:]
        for (exponent, codes) in codes {
            for code in codes.split(whereSeparator: \.isWhitespace) {
                exponents[String(code)] = exponent
            }
        }
        return exponents
    }()

    /// ISO 4217 list one, by exponent. The Bulgarian lev and the Antillean guilder ran out lately; old lists still name
    /// them.
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
