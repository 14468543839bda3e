// What comes back of a sale.
extension Movement {
    /// Returns how many copies of a sale are not back yet.
    ///
    /// - Parameter returns: What came back, also of other sales.
    func copiesLeft(after returns: [Movement]) -> Int {
        returns.filter { $0.undoes == id }.map(\.quantity).reduce(0 &- quantity, &-)
    }

    /// Takes the price and the discount of a sale that comes back.
    mutating func take(_ sale: Movement) {
        price = sale.price
        discount = sale.discount
        cost = sale.cost
        item = sale.item ?? item
        payment = payment ?? sale.payment
        undoes = sale.id
    }

    /// Returns the sale with the part of its discount that belongs to copies that come back. The parts add up to the
    /// whole with the last copy.
    ///
    /// Copies that came back for a price of their own have no discount. They take their part along nevertheless.
    ///
    /// - Parameter returns: What came back before.
    func returning(_ count: Int, after returns: [Movement]) -> Movement {
        var sale = self
        guard var left = discount else { return sale }
        var open = Int128(quantity.magnitude)
        func part(of copies: Int) -> Int64 {
            guard copies > 0, open > 0 else { return 0 }
            return Int64(Int128(left) * min(Int128(copies), open) / open)
        }
        for earlier in returns.inOrder {
            left -= max(0, min(left, earlier.discount ?? part(of: earlier.quantity)))
            open -= Int128(earlier.quantity)
        }
        sale.discount = part(of: count)
        return sale
    }
}
