/// A place in a text that holds a secret, counted in bytes from its first.
struct SecretPlace {
    var range: Range<Int>
    /// What it stands under.
    var name: String
}
