import Foundation

/// The maps of columns with names: those that come with the tool, and those that were saved in a folder beside the
/// config file.
struct SavedMaps {
    /// The folder of the saved maps, or `nil` if there is no place for one.
    let folder: URL?

    init(config: ConfigFile?) {
        folder = config?.path.map { URL(filePath: $0).deletingLastPathComponent().appending(path: "maps") }
    }

    /// Returns the map that a text describes or names.
    func map(_ text: String) throws(InvalidValue) -> ColumnMap {
        try ColumnMap(text) { name throws(InvalidValue) in try self.map(named: name) }
    }

    /// Saves the text of a map under a name.
    func save(_ text: String, as name: String) throws {
        guard let folder else {
            throw CommandFailure(.failed, "the map cannot be saved: there is no config folder, since HOME is not set")
        }
        try OutputFile.write(text + "\n", to: folder.appending(path: name).path)
    }

    /// Throws unless a map may have the name.
    static func check(_ name: String) throws(InvalidValue) {
        guard name.isKintoID else {
            throw InvalidValue("a name has letters, digits, - and _, and starts with a letter or digit")
        }
        if ShopSystem.mapNames.contains(name) { throw InvalidValue("a map with this name comes with the tool") }
    }

    private func map(named name: String) throws(InvalidValue) -> ColumnMap {
        if let map = ShopSystem(rawValue: name)?.map { return map }
        if name.isKintoID,
            let data = folder.flatMap({ FileManager.default.contents(atPath: $0.appending(path: name).path) })
        {
            // A saved map may begin with one that comes with the tool.
            return try ColumnMap(String(decoding: data, as: UTF8.self)) { name throws(InvalidValue) in
                guard let map = ShopSystem(rawValue: name)?.map else { throw unknown(name) }
                return map
            }
        }
        throw unknown(name)
    }

    private func unknown(_ name: String) -> InvalidValue {
        let saved = folder.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0.path) } ?? []
        let names = ShopSystem.mapNames + saved.filter(\.isKintoID).sorted()
        return InvalidValue(
            UnknownName("map", name, among: names).description
                + "; there are \(names.joined(separator: ", ")), or write FIELD:HEADING,…")
    }
}
