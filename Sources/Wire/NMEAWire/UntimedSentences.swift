/// Data of sentences without a time of day (GSA, VTG, HDT), until their epoch is known.
struct UntimedSentences: BitwiseCopyable {
  /// The highest mode of all GSA sentences; 0 without GSA. A receiver sends one GSA for each constellation, and one
  /// without satellites does not invalidate the others.
  var mode: UInt8 = 0
  var hdop: Decimal?
  var course: Decimal?
  /// Speed over ground in knots.
  var knots: Decimal?
  /// Speed over ground in km/h.
  var speed: Decimal?
  var trueHeading: Decimal?
  /// Position in the stream after the last of them; 0 if there are none.
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

  /// Merges sentences that arrived later in the same epoch.
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
