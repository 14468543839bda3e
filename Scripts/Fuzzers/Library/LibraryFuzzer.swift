import RecordKitXML

/// Runs the library's parsers. The first byte selects the parser for the other bytes.
func fuzzLibrary(_ bytes: some Collection<UInt8>) {
    let rest = Array(bytes.dropFirst())
    switch bytes.first.map({ Unicode.Scalar($0) }) {
    case "a": AnswerFuzzing.check(rest)
    case "k": CacheFuzzing.check(rest)
    case "s": SensitiveFieldFuzzing.check(rest)
    case "j": ElementFuzzing.check(rest)
    case "d": JSONFuzzing.check(rest)
    case "h": HeaderFuzzing.check(String(decoding: rest, as: UTF8.self))
    case "c": ChallengeFuzzing.check(String(decoding: rest, as: UTF8.self))
    case "r": RequestFuzzing.check(String(decoding: rest, as: UTF8.self))
    case "l": LocationFuzzing.check(String(decoding: rest, as: UTF8.self))
    case "x": XMLFuzzing.check(rest)
    case "e": StreamFuzzing.check(rest)
    case "t": TemplateFuzzing.check(String(decoding: rest, as: UTF8.self))
    default: break
    }
}

#if FUZZER
/// What libFuzzer calls.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLibraryInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    fuzzLibrary(UnsafeBufferPointer(start: start, count: count))
    return 0
}
#endif
