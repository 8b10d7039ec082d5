/// For one PID or information type: where its rows are in the table of signals, and the form of its data.
struct ParameterRows: BitwiseCopyable {
  /// Index of the first row.
  var first: UInt16 = 0
  /// Number of rows. For PIDs of oxygen sensors, the table has rows for three layouts of the sensors; this is the
  /// number for one layout.
  var count: UInt8 = 0
  /// Number of data bytes of a PID; 0 if the standard does not define it.
  var length: UInt8 = 0
  /// The content of the data bytes of a PID.
  enum Form: UInt8, BitwiseCopyable {
    /// The standard does not define the PID.
    case undefined
    /// A single unsigned number of one or two bytes, which is always present. Most polled PIDs have this form.
    case number
    /// Any other numbers, flags or enumerations.
    case fields
    /// A fuel trim, after which a second byte for another bank may follow.
    case fuelTrim
    /// Fields that are needed to interpret other PIDs: their scalings, or which sensors exist.
    case description
    /// A bitmap of the supported PIDs.
    case supported
  }

  private(set) var form: Form = .undefined
  /// Whether PID 4F or 50 may change the scale of the number.
  private(set) var isRescaled = false
  private var factor = 1.0
  private var offset = 0.0

  init() {}

  /// Determines the ``Form`` of a PID of service 01.
  ///
  /// - Parameter row: the PID's first row.
  mutating func classify(_ parameter: UInt8, _ row: SignalDefinition) {
    switch parameter {
    case _ where length == 0: form = .undefined
    case _ where parameter & 0x1F == 0: form = .supported
    case 0x06...0x09, 0x55...0x58: form = .fuelTrim
    case 0x13, 0x1D, 0x4F, 0x50: form = .description
    default: form = .fields
    }
    guard form == .fields, count == 1, length == 1 || length == 2, row.kind == .number, row.encoding == .unsigned,
      row.bitOffset == 0,
      row.bitLength == 8 * length, row.supportBit == SignalDefinition.noBit,
      row.variantBit == SignalDefinition.noBit, row.zeroIsAbsentBeside == SignalDefinition.noByte,
      row.nullAtOrBelow == -.infinity, row.nullAtOrAbove == .infinity
    else { return }
    form = .number
    isRescaled = row.rescale != .none
    factor = row.factor
    offset = row.offset
  }

  /// Returns the value of a PID of the form ``Form/number``. Its data bytes must be present.
  @inline(__always)
  func number(in data: Span<UInt8>) -> Double {
    let raw = length == 1 ? UInt16(data[0]) : UInt16(data[0]) &<< 8 | UInt16(data[1])
    return Double(word: raw) * factor + offset
  }
}
