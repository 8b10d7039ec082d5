/// What the sentences without a time of day (GSA, VTG, HDT) say, until it is known to which epoch they belong.
struct UntimedSentences: BitwiseCopyable {
  /// The highest GSA mode: a receiver of several constellations sends one GSA for each, and one that sees no satellite says
  /// nothing against the others. 0 without GSA.
  var mode: UInt8 = 0
  var hdop: Decimal?
  var course: Decimal?
  /// Knots.
  var knots: Decimal?
  /// km/h.
  var speed: Decimal?
  var trueHeading: Decimal?
  /// Where the last of them ended; 0 without any.
  var end: UInt64 = 0

  var isEmpty: Bool { end == 0 }

  mutating func take(_ gsa: GSA, end: UInt64) {
    mode = max(mode, gsa.mode)
    hdop = gsa.hdop ?? hdop
    self.end = end
  }

  mutating func take(_ vtg: VTG, end: UInt64) {
    let isUsable = vtg.claim != .invalid && vtg.claim != .simulated
    course = isUsable ? vtg.course : nil
    knots = isUsable ? vtg.knots : nil
    speed = isUsable ? vtg.speed : nil
    self.end = end
  }

  mutating func take(_ hdt: HDT, end: UInt64) {
    trueHeading = hdt.heading
    self.end = end
  }

  /// Adds what came later in the same epoch.
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
