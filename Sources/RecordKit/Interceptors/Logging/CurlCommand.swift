import Foundation

/// See ``NetworkCall/curl``.
struct CurlCommand {
    private(set) var text = ""
    private var variables = ShellVariables()

    init(_ call: NetworkCall) {
        var arguments = ["curl"]
        var source = ""
        if call.method == .head {
            arguments.append("--head")
        } else if call.method != .get, call.method != .post || call.body == nil {
            arguments.append("--request \(ShellWord.quoted(call.method.rawValue))")
        }
        for field in call.headers.withOneCookie.fields { arguments.append(header(field, in: call)) }
        if let body = call.body {
            if !call.headers.contains("Content-Type") {
                // Otherwise curl takes it for a form.
                arguments.append("--header \(ShellWord.quoted("Content-Type: \(body.sentType)"))")
            }
            // Before a large body curl would ask whether to send it.
            if body.length ?? .max > 1_000_000, !call.headers.contains("Expect") {
                arguments.append("--header 'Expect:'")
            }
            arguments.append(self.body(body, of: call, source: &source))
        }
        // To curl these are patterns.
        if call.url.absoluteString.contains(where: { "[]{}".contains($0) }) { arguments.append("--globoff") }
        arguments.append(address(call))
        text = source + arguments.joined(separator: " ")
    }

    private mutating func header(_ field: HTTPHeaders.Field, in call: NetworkCall) -> String {
        var word = ShellWord()
        if field.value.utf8.allSatisfy({ " \t".utf8.contains($0) }) {
            // Otherwise curl leaves it out.
            word.append(plain: "\(field.name);")
        } else if call.headers.holdsSensitiveValue(field) {
            word.append(plain: "\(field.name): ")
            word.append(variable: variables.name(for: field.name))
        } else {
            word.append(plain: "\(field.name): \(field.value)")
        }
        return "--header \(word.text)"
    }

    /// - Parameter source: gets the command that the bytes come from, when they do not fit into the argument.
    private mutating func body(_ body: EncodedBody, of call: NetworkCall, source: inout String) -> String {
        let type = (call.headers["Content-Type"] ?? body.contentType).flatMap { MediaType($0) }
        func parts(_ data: Data) -> [RedactedPart] {
            let bytes = Array(data)
            return RedactedPart.all(in: bytes, type, sensitive: call.headers.sensitiveNames) ?? [.plain(bytes[...])]
        }
        switch body.content {
        case .data(let data):
            // An argument holds no zero and is limited in size.
            if data.count < 100_000, !data.contains(0), String(validating: data, as: UTF8.self) != nil {
                return "--data-raw \(argument(parts(data)))"
            }
            source = "{ \(commands(parts(data)).joined(separator: "; ")); } | "
        case .pieces(let pieces):
            var commands: [String] = []
            for piece in pieces {
                switch piece {
                case .data(let data): commands += self.commands(parts(data))
                case .file(let file): commands.append("cat \(ShellWord.quoted(file.url.path(percentEncoded: false)))")
                }
            }
            source = "{ \(commands.joined(separator: "; ")); } | "
        case .stream: break
        }
        return "--data-binary @-"
    }

    private mutating func argument(_ parts: [RedactedPart]) -> String {
        var word = ShellWord()
        for part in parts {
            switch part {
            case .plain(let bytes): word.append(plain: String(decoding: bytes, as: UTF8.self))
            case .sensitive(let name, _): word.append(variable: variables.name(for: name))
            }
        }
        return word.text.isEmpty ? "''" : word.text
    }

    private mutating func commands(_ parts: [RedactedPart]) -> [String] {
        var commands: [String] = []
        for part in parts {
            switch part {
            case .plain(let bytes): commands.append("printf %s '\(Data(bytes).base64EncodedString())' | base64 -d")
            case .sensitive(let name, _): commands.append("printf %s \"$\(variables.name(for: name))\"")
            }
        }
        return commands
    }

    private mutating func address(_ call: NetworkCall) -> String {
        let text = String(call.url.absoluteString.prefix { $0 != "#" })
        return argument(RedactedPart.all(inAddress: text, SensitiveNames(call.headers.sensitiveNames)))
    }
}

extension HTTPHeaders {
    /// With all cookies in one field (RFC 6265 section 5.4), as URLSession sends them.
    fileprivate var withOneCookie: HTTPHeaders {
        let cookies = values(for: "Cookie")
        if cookies.count < 2 { return self }
        var headers = self
        headers["Cookie"] = cookies.joined(separator: "; ")
        return headers
    }
}
