/// A record of a list, where one that cannot be read leaves the others as they are.
struct ListedRecord: Decodable {
    let result: Result<StoredRecord, UnreadableRecord>

    init(from decoder: any Decoder) throws {
        do {
            result = .success(try StoredRecord(from: decoder))
        } catch let error as UnreadableRecord {
            result = .failure(error)
        }
    }
}
