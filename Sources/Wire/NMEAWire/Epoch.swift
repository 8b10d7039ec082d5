/// The combined data of a receiver's sentences that have the same time of day.
struct Epoch: BitwiseCopyable {
  private(set) var time: TimeOfDay?
  private(set) var isOpen = false
  private var untimed = UntimedSentences()
  /// One bit for each kind of sentence with a time field: 1 if a sentence of that kind has arrived in this epoch.
  private var kinds: UInt16 = 0
  /// The qualities of the fix that the epoch's sentences state, as bits of ``FixClaim``.
  private var claims: UInt8 = 0
  private var coordinates: Coordinates?
  private var coordinatesRank = 0
  private var altitude: Decimal?
  private var satellites: Int?
  private var hdop: Decimal?
  private var knots: Decimal?
  private var course: Decimal?
  private var date: CalendarDate?
  private var dateIsFromZDA = false
  private var horizontalError: Double?
  private var end: UInt64 = 0

  init() {}

  /// Begins an epoch with the first sentence that has a time field.
  ///
  /// The function changes `self` instead of returning a new epoch, because copying an epoch takes long.
  ///
  /// - Parameters:
  ///   - time: the time of day; `nil` if the receiver does not know it.
  ///   - leading: sentences without a time that belong to this epoch although they arrived before it.
  mutating func begin(time: TimeOfDay?, after leading: inout UntimedSentences) {
    self.time = time
    isOpen = true
    untimed = leading
    kinds = 0
    claims = 0
    coordinates = nil
    coordinatesRank = 0
    altitude = nil
    satellites = nil
    hdop = nil
    knots = nil
    course = nil
    date = nil
    dateIsFromZDA = false
    horizontalError = nil
    end = leading.end
  }

  /// Whether a sentence belongs to this epoch.
  ///
  /// A sentence with a time belongs to the epoch if the times are equal. A sentence with an empty time belongs to it
  /// unless the epoch already contains a sentence of the same kind. This rule separates the epochs of a receiver that
  /// does not know the time yet. GNS may occur more than once, because some receivers send one for each constellation.
  @inline(__always)
  mutating func accepts(_ time: TimeOfDay?, _ kind: SentenceKind) -> Bool {
    if let time { return time == self.time }
    return kind == .gns || kinds & Self.bit(kind) == 0
  }

  mutating func merge(_ pending: inout UntimedSentences) {
    untimed.merge(&pending)
    end = max(end, pending.end)
  }

  mutating func add(_ rmc: RMC, end: UInt64) {
    record(.rmc, rmc.claim, rmc.coordinates, rank: 0, end)
    knots = rmc.speed ?? knots
    course = rmc.course ?? course
    if let date = rmc.date, !dateIsFromZDA { self.date = date }
  }

  mutating func add(_ gga: GGA, end: UInt64) {
    record(.gga, gga.claim, gga.coordinates, rank: 2, end)
    altitude = gga.altitude ?? altitude
    satellites = gga.satellites ?? satellites
    hdop = gga.hdop ?? hdop
  }

  mutating func add(_ gns: GNS, end: UInt64) {
    record(.gns, gns.claim, gns.coordinates, rank: 1, end)
    altitude = altitude ?? gns.altitude
    // A GNS without modes counts only the satellites of one constellation.
    if gns.claim != .silent { satellites = satellites ?? gns.satellites }
    hdop = hdop ?? gns.hdop
  }

  mutating func add(_ gll: GLL, end: UInt64) {
    record(.gll, gll.claim, gll.coordinates, rank: 3, end)
  }

  mutating func add(_ zda: ZDA, end: UInt64) {
    record(.zda, .silent, nil, rank: 0, end)
    guard let date = zda.date else { return }
    self.date = date
    dateIsFromZDA = true
  }

  mutating func add(_ gst: GST, end: UInt64) {
    record(.gst, .silent, nil, rank: 0, end)
    horizontalError = gst.horizontalError ?? horizontalError
  }

  /// Records a sentence, and chooses between its position and the epoch's position so far.
  ///
  /// The position with the most decimals wins. If both have equally many, GLL takes precedence over GGA, GGA over GNS,
  /// and GNS over RMC. Of two sentences of one kind, the later one wins. The positions of one epoch differ if a boat's
  /// network delays some sentences; the program gpsd then publishes the position of GLL. A position is ignored if its
  /// sentence does not state whether it is valid.
  private mutating func record(
    _ kind: SentenceKind, _ claim: FixClaim, _ position: Coordinates?, rank: Int, _ end: UInt64
  ) {
    kinds |= Self.bit(kind)
    claims |= claim.rawValue
    self.end = end
    guard let position, claim != .silent else { return }
    let rank = position.decimals * 4 + rank
    guard coordinates == nil || rank >= coordinatesRank else { return }
    coordinates = position
    coordinatesRank = rank
  }

  private static func bit(_ kind: SentenceKind) -> UInt16 { 1 &<< UInt16(kind.rawValue) }
}

extension Epoch {
  var evidence: CycleOrder.Evidence {
    mutating get {
      CycleOrder.Evidence(hdop: hdop, knots: knots, isValid: claims == 0 ? nil : !isDenied)
    }
  }

  /// Whether any sentence of the epoch states that there is no fix, or that the fix is simulated. One such sentence
  /// overrides all others.
  private var isDenied: Bool {
    mutating get { claims & (FixClaim.invalid.rawValue | FixClaim.simulated.rawValue) != 0 }
  }

  private mutating func claims(_ claim: FixClaim) -> Bool { claims & claim.rawValue != 0 }

  /// Returns the epoch's fix. If none of its sentences contains a date, the last known date is used.
  mutating func fix(carrying date: inout CarriedDate) -> Fix {
    var fix = Fix()
    fix.position = end
    fix.time = time
    fix.date = date.date(self.date, at: time)
    fix.satellites = satellites
    fix.trueHeading = untimed.trueHeading?.double()
    // During dead reckoning, GSA states that there is no fix by satellites. The estimated position is still valid.
    let satellitesDeny = untimed.mode == 1 && !claims(.estimated)
    guard !isDenied, !satellitesDeny else { return fix }
    addMotion(to: &fix)
    guard claims != 0, let coordinates else { return fix }
    fix.latitude = coordinates.latitude.degrees
    fix.longitude = coordinates.longitude.degrees
    fix.altitude = altitude?.double()
    fix.hdop = (hdop ?? untimed.hdop)?.double()
    fix.horizontalError = horizontalError
    fix.type = type
    return fix
  }

  /// Adds course and speed to the fix. RMC takes precedence over VTG, because RMC states whether its values are valid.
  private mutating func addMotion(to fix: inout Fix) {
    fix.course = (course ?? untimed.course)?.double()
    if let knots = knots ?? untimed.knots {
      // A nautical mile is 1852 metres.
      fix.speed = knots.double(times: 1852, extraScale: 3)
    } else {
      fix.speed = untimed.speed?.double()
    }
  }

  /// The type of the fix: `estimated` if any sentence states dead reckoning; otherwise the most accurate type that any
  /// sentence states; otherwise 2D or 3D, according to GSA or, if there is no GSA, to the altitude and the number of
  /// satellites.
  private var type: FixType {
    mutating get {
      if claims(.estimated) { return .estimated }
      if claims(.rtkFixed) { return .rtkFixed }
      if claims(.rtkFloat) { return .rtkFloat }
      if claims(.differential) { return .dgps }
      switch untimed.mode {
      case 2: return .twoD
      case 3: return .threeD
      default: return altitude != nil && (satellites ?? 0) >= 4 ? .threeD : .twoD
      }
    }
  }
}
