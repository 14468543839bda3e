extension RequestOptions {
    func check() throws(InvalidRequest) {
        for (name, duration) in [("timeout", timeout), ("deadline", deadline)] {
            if let duration, duration <= .zero {
                throw InvalidRequest(
                    member: .options, reason: "the \(name) is \(duration); it has to be more than zero")
            }
        }
        if let sizeLimit, sizeLimit < 0 {
            throw InvalidRequest(
                member: .options, reason: "the size limit is \(sizeLimit); it cannot be less than zero")
        }
    }
}
