#if !FUZZER
@testable import RecordInventory
#endif

/// Runs the tool's parsers. The first byte selects the parser for the other bytes.
func fuzzTool(_ bytes: some Collection<UInt8>) {
    let rest = Array(bytes.dropFirst())
    switch bytes.first.map({ Unicode.Scalar($0) }) {
    case "i": ImportFuzzing.check(rest)
    case "j": JSONFuzzing.check(rest)
    case "k": StoreFuzzing.check(rest)
    case "a": ArgumentFuzzing.check(rest)
    default: break
    }
}

#if FUZZER
/// What libFuzzer calls.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzToolInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    fuzzTool(UnsafeBufferPointer(start: start, count: count))
    return 0
}
#endif
