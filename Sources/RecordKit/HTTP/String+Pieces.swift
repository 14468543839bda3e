extension String {
    /// The pieces, one behind the other: copied once, where each of several appends is looked at anew.
    init(pieces: String...) {
        let count = pieces.reduce(0) { $0 + $1.utf8.count }
        self.init(unsafeUninitializedCapacity: count) { text in
            var end = 0
            for piece in pieces { end = text[end...].initialize(fromContentsOf: piece.utf8) }
            return end
        }
    }
}
