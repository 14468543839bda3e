import Foundation
import RecordKit

/// The encoding of a file that is not UTF-8: one of the WHATWG Encoding Standard, or code page 850 of DOS.
struct TextEncoding: Equatable, Sendable {
    let name: String

    init(_ name: String) throws(InvalidValue) {
        self.name = name
        if isCodePage850 { return }
        do {
            _ = try String(Data(), charset: name)
        } catch {
            throw InvalidValue(
                "not a known encoding; there are windows-1252, cp1251, cp850, macintosh, utf-16 and others")
        }
    }

    /// Decodes a file. Returns `nil` if the bytes are no text in this encoding.
    func text(of bytes: [UInt8]) -> String? {
        guard isCodePage850 else { return try? String(Data(bytes), charset: name) }
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(byte < 0x80 ? Unicode.Scalar(byte) : Self.codePage850[Int(byte) - 0x80]) }
        return String(text)
    }

    private var isCodePage850: Bool {
        ["cp850", "ibm850", "850", "dos"].contains(name.lowercased().replacing("-", with: ""))
    }

    /// The characters of the bytes 80 to FF.
    private static let codePage850 = Array(
        ("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐"
            + "└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{AD}±‗¾¶§÷¸°¨·¹³²■\u{A0}").unicodeScalars)
}
