/// Data of sentences without a time of day (GSA, VTG, HDT) whose epoch is not known yet.
struct UntimedSentences: BitwiseCopyable {
  /// The maximum mode of all GSA sentences; 0 if there were none. A receiver sends one GSA for each constellation, and
  /// the GSA of a constellation without satellites does not invalidate the others.
  var mode: UInt8 = 0
  var hdop: Decimal?
  var course: Decimal?
  /// Speed over ground in knots; `nil` if unknown.
  var knots: Decimal?
  /// Speed over ground in km/h; `nil` if unknown.
  var speed: Decimal?
  var trueHeading: Decimal?
  /// Number of bytes of the stream up to the end of the last sentence that was added; 0 if there is none.
  var end: UInt64 = 0

  var isEmpty: Bool { end == 0 }

  mutating func add(_ gsa: GSA, end: UInt64) {
    mode = max(mode, gsa.mode)
    hdop = gsa.hdop ?? hdop
    self.end = end
  }

  mutating func add(_ vtg: VTG, end: UInt64) {
    let isUsable = vtg.claim != .invalid && vtg.claim != .simulated
    course = isUsable ? vtg.course : nil
    knots = isUsable ? vtg.knots : nil
    speed = isUsable ? vtg.speed : nil
    self.end = end
  }

  mutating func add(_ hdt: HDT, end: UInt64) {
    trueHeading = hdt.heading
    self.end = end
  }

  /// Adds the data of sentences that arrived later in the same epoch.
  mutating func merge(_ later: inout UntimedSentences) {
    guard !later.isEmpty else { return }
    mode = max(mode, later.mode)
    hdop = later.hdop ?? hdop
    course = later.course ?? course
    knots = later.knots ?? knots
    speed = later.speed ?? speed
    trueHeading = later.trueHeading ?? trueHeading
    end = later.end
  }
}
