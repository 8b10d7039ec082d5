/// Where the values of the keys that the store reads are: in the record itself, or in a copy without escapes.
struct RecordFields {
  enum Form: UInt8 { case absent, string, number, other }

  struct Field {
    var form = Form.absent
    /// The characters of a string without its quotes, the digits of a number.
    var range = 0..<0
    /// Of the value in the record, for messages.
    var offset = 0
  }

  private var fields = InlineArray<11, Field>(repeating: Field())

  subscript(_ key: RecordKey) -> Field {
    get { fields[key.rawValue] }
    set { fields[key.rawValue] = newValue }
  }
}
