@main
struct RecordInventory {
    static func main() {
        print("record-inventory")
    }
}
