// What a sale does to a record.
extension Record {
    /// Throws if the record is a draft, which is not for sale yet.
    func checkOffered() throws(SaleError) {
        if status == .draft { throw .draft(self) }
    }

    /// Throws if copies were taken that are reserved.
    ///
    /// - Parameter old: The record before.
    func checkReserved(before old: Record, _ day: CalendarDay) throws(SaleError) {
        let reserved = reserved(on: day)
        if quantity < reserved { throw .reserved(old, reserved, customers(on: day)) }
    }

    /// Takes the average cost of the copies in stock and of those that were bought. Copies of unknown cost do not
    /// count.
    ///
    /// - Parameters:
    ///   - price: What one of them cost.
    ///   - old: The record before it was bought.
    mutating func takeCost(_ price: Int64, of count: Int, before old: Record) throws(InvalidValue) {
        guard let known = old.cost, old.quantity > 0 else {
            cost = price
            return
        }
        let copies = Int128(old.quantity) + Int128(count)
        let sum = Int128(known) * Int128(old.quantity) + Int128(price) * Int128(count)
        guard let average = Int64(exactly: (2 * sum + copies) / (2 * copies)) else { throw .tooLarge }
        cost = average
    }

    /// Checks that the copies can be sold, and makes those available that are reserved for the customer. Returns the
    /// movements of this.
    ///
    /// - Parameters:
    ///   - isRequired: Whether one of the copies has to be reserved for the customer.
    ///   - old: The record before the sale.
    ///   - number: The number of the movement before.
    mutating func releases(
        for customer: String?, isRequired: Bool, of old: Record, _ count: Int, _ source: MovementSource,
        after number: Int
    ) throws(SaleError) -> [Movement] {
        var releases: [Movement] = []
        if let customer {
            var open = count
            for var reservation in reservations
            where reservation.name == customer && open > 0 && reservation.quantity > 0 {
                reservation.quantity = min(open, reservation.quantity)
                open -= reservation.quantity
                var release = source.release(number + releases.count + 1, of: sku, reservation)
                release.reason = "sold to \(customer)"
                releases.append(release)
            }
            guard !releases.isEmpty || !isRequired else { throw .nothingReserved(sku, customer: customer) }
            for release in releases { reserve(by: release) }
        }
        let day = source.now().day
        let reserved = reserved(on: day)
        if quantity < reserved { throw .notEnough(old, reserved, customers(on: day), wanted: count) }
        return releases
    }
}
