/// A name that does not exist, with the one that was probably meant.
struct UnknownName: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ kind: String, _ name: String, among names: [String], prefix: String = "") {
        let hint = Spelling.nearest(to: name, in: names).map { "; did you mean \(prefix)\($0)?" } ?? ""
        description = "there is no \(kind) \"\((prefix + name).shown)\"\(hint)"
    }
}
