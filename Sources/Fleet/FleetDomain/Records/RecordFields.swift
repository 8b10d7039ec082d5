/// The positions of the values that the store reads from a record. The positions refer to the record's text, or to a
/// copy in which escapes are replaced.
struct RecordFields {
  enum Form: UInt8 { case absent, string, number, other }

  /// The position of one value, in a compact form: each record has one for every key of ``RecordKey``.
  struct Field {
    var form: Form
    private let start: UInt32
    private let end: UInt32
    private let place: UInt32

    init() {
      form = .absent
      (start, end, place) = (0, 0, 0)
    }

    /// Creates the position of a value.
    ///
    /// - Parameters:
    ///   - range: the characters of a string without its quotes, or the digits of a number.
    ///   - offset: the offset of the value in the record, for messages.
    init(form: Form, range: Range<Int>, offset: Int) {
      self.form = form
      start = UInt32(truncatingIfNeeded: range.lowerBound)
      end = UInt32(truncatingIfNeeded: range.upperBound)
      place = UInt32(truncatingIfNeeded: offset)
    }

    var range: Range<Int> { Int(start)..<Int(end) }
    var offset: Int { Int(place) }
  }

  private var fields = InlineArray<12, Field>(repeating: Field())

  subscript(_ key: RecordKey) -> Field {
    get { fields[key.rawValue] }
    set { fields[key.rawValue] = newValue }
  }
}
