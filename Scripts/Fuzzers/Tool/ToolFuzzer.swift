/// Runs the tool's parsers. The first byte selects the parser for the other bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTool(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    let rest = Array(bytes.dropFirst())
    switch bytes.first.map({ Unicode.Scalar($0) }) {
    case "i": ImportFuzzing.check(rest)
    case "j": JSONFuzzing.check(rest)
    case "k": StoreFuzzing.check(rest)
    case "a": ArgumentFuzzing.check(rest)
    default: break
    }
    return 0
}
