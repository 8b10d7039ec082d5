/// What the sentences of one time of day say together.
struct Epoch: BitwiseCopyable {
  private(set) var time: TimeOfDay?
  private(set) var isOpen = false
  private var untimed = UntimedSentences()
  /// The kinds with a time field that have come, a bit each.
  private var kinds: UInt16 = 0
  /// What they said of the fix, ``FixClaim`` bits.
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

  /// Opens with the first sentence that has a time field, and the sentences without one that were found to precede it.
  ///
  /// In place: whole epochs are large to move about.
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

  /// Whether a sentence of this time belongs here.
  ///
  /// An empty time belongs to what is under way, until its kind comes again: so the seconds before a receiver knows the
  /// time are told apart. GNS repeats for each constellation.
  @inline(__always)
  mutating func accepts(_ time: TimeOfDay?, _ kind: SentenceKind) -> Bool {
    if let time { return time == self.time }
    return kind == .gns || kinds & Self.bit(kind) == 0
  }

  mutating func merge(_ pending: inout UntimedSentences) {
    untimed.merge(&pending)
    end = max(end, pending.end)
  }

  mutating func take(_ rmc: RMC, end: UInt64) {
    note(.rmc, rmc.claim, rmc.coordinates, rank: 0, end)
    knots = rmc.speed ?? knots
    course = rmc.course ?? course
    if let date = rmc.date, !dateIsFromZDA { self.date = date }
  }

  mutating func take(_ gga: GGA, end: UInt64) {
    note(.gga, gga.claim, gga.coordinates, rank: 2, end)
    altitude = gga.altitude ?? altitude
    satellites = gga.satellites ?? satellites
    hdop = gga.hdop ?? hdop
  }

  mutating func take(_ gns: GNS, end: UInt64) {
    note(.gns, gns.claim, gns.coordinates, rank: 1, end)
    altitude = altitude ?? gns.altitude
    // With an empty mode it counts one constellation's share.
    if gns.claim != .silent { satellites = satellites ?? gns.satellites }
    hdop = hdop ?? gns.hdop
  }

  mutating func take(_ gll: GLL, end: UInt64) {
    note(.gll, gll.claim, gll.coordinates, rank: 3, end)
  }

  mutating func take(_ zda: ZDA, end: UInt64) {
    note(.zda, .silent, nil, rank: 0, end)
    guard let date = zda.date else { return }
    self.date = date
    dateIsFromZDA = true
  }

  mutating func take(_ gst: GST, end: UInt64) {
    note(.gst, .silent, nil, rank: 0, end)
    horizontalError = gst.horizontalError ?? horizontalError
  }

  /// Of several positions the one with most decimals stands; between equals GLL, GGA, GNS, RMC in this order, the later of
  /// two of one kind. They differ where a boat's bus delivers some of them late, and there GLL's is the one that gpsd
  /// publishes for every time. A sentence that does not say whether its position is valid gives none.
  private mutating func note(
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

  /// Some sentence says that there is no fix, or that it is made up: one such word outweighs all others.
  private var isDenied: Bool {
    mutating get { claims & (FixClaim.invalid.rawValue | FixClaim.simulated.rawValue) != 0 }
  }

  private mutating func claims(_ claim: FixClaim) -> Bool { claims & claim.rawValue != 0 }

  /// The fix that the epoch is, with the date of the epochs before it where it names none.
  mutating func fix(carrying date: inout CarriedDate) -> Fix {
    var fix = Fix()
    fix.position = end
    fix.time = time
    fix.date = date.date(self.date, at: time)
    fix.satellites = satellites
    fix.trueHeading = untimed.trueHeading?.double()
    // Dead reckoning goes on while GSA says that the satellites give no fix.
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

  /// RMC is preferred: it says itself whether it is valid.
  private mutating func addMotion(to fix: inout Fix) {
    fix.course = (course ?? untimed.course)?.double()
    if let knots = knots ?? untimed.knots {
      // A nautical mile is 1852 metres.
      fix.speed = knots.double(times: 1852, extraScale: 3)
    } else {
      fix.speed = untimed.speed?.double()
    }
  }

  /// An epoch that dead reckoning has a part in is an estimate; then the strongest of the claims; then GSA's dimensions.
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
