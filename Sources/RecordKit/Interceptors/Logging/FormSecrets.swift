/// The values of a form's fields that have a secret name, or hold JSON or an address with a secret in it.
enum FormSecrets {
    static func found(in body: [UInt8], _ names: SecretNames) -> [SecretPlace] {
        var found: [SecretPlace] = []
        var start = 0
        for field in body.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            defer { start += field.count + 1 }
            let name = field.prefix { $0 != UInt8(ascii: "=") }
            let value = start + name.count + 1..<max(start + field.count, start + name.count + 1)
            if value.isEmpty { continue }
            let decoded = PercentEncoding.decoded(name)
            if names.isSecret(decoded) || AddressSecrets.holdsSecret(PercentEncoding.decoded(body[value]), names) {
                found.append(SecretPlace(range: value, name: decoded))
            }
        }
        return found
    }
}
