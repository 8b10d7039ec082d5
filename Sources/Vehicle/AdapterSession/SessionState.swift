/// Where a session stands.
enum Stage: BitwiseCopyable, Equatable {
  /// The port is closed.
  case closed
  /// ATZ is sent, at one baud after another, until a banner comes.
  case probing
  /// The settings are made, one command a step.
  case initialising(InitialStep)
  /// The line is given another speed.
  case changingBaud(BaudStep)
  /// A protocol is being looked for.
  case searching(SearchStep)
  /// The vehicle answers: which protocol is it?
  case naming
  /// The first readings, before anything else is asked.
  case greeting
  /// Which PIDs are supported, in steps of 32.
  case discovering(base: UInt8)
  case running
  /// The bus is none that is polled.
  case idle
  /// Nothing is sent until then.
  case resting(until: Int64, then: AfterRest)
}

extension Stage {
  /// The adapter has its settings, and what follows reaches the bus.
  var asksVehicle: Bool {
    switch self {
    case .searching, .naming, .greeting, .discovering, .running, .resting(_, .search): true
    default: false
    }
  }
}

/// What follows a rest.
enum AfterRest: BitwiseCopyable, Equatable { case probe, search }

/// The adapter's settings in their order, behind ATZ.
enum InitialStep: UInt8, BitwiseCopyable, CaseIterable {
  case echoOff, selectProtocol, linefeedsOff, spacesOff, headersOn, adaptiveTiming, timeout
  case identity, description, stn, voltage

  var next: InitialStep? { InitialStep(rawValue: rawValue + 1) }

  /// What it means when the adapter answers `?`.
  var quirk: Quirks {
    switch self {
    case .echoOff: .noEchoOff
    case .selectProtocol: .noProtocolSelection
    case .linefeedsOff: .noLinefeedsOff
    case .spacesOff: .noSpacesOff
    case .headersOn: .noHeaders
    case .adaptiveTiming: .noAdaptiveTiming
    case .timeout: .noTimeout
    case .identity: .noIdentity
    case .description: .noDescription
    // No STN chip: that is the rule, not a quirk.
    case .stn: []
    case .voltage: .noVoltage
    }
  }
}

/// What the command under way is for.
enum Purpose: BitwiseCopyable, Equatable {
  case none
  case reset
  case setting(InitialStep)
  case selectProtocol
  case search
  case protocolNumber
  case greeting
  case support
  /// A request of the plan, and the count sent behind it.
  case poll(Int, suffix: UInt8)
  case arbitration
  case rollCall
  case job(Job)
  case wait(UInt8)
  case address
  case clearing(ClearStep)
  case quiet(QuietStep)
  case baud(BaudStep)
  case resynchronise
}

/// Questions that are asked once, or at long periods, between the polls; in the order of their urgency.
enum Job: UInt8, BitwiseCopyable {
  /// ATPPS: whether a K-line's pause is the adapter's. The sooner it is known, the faster all else goes.
  case parameters
  case informationSupport, vin, calibrationID, calibrationVerification, ecuName
  case storedCodes, pendingCodes, permanentCodes, freezeFrame, voltage
  /// PIDs 0C and 0D, where the cut-off holds and the plan does not ask for them.
  case engineSpeed, speed
  /// 09 02 once more: is it still the same vehicle?
  case vinAgain

  var bit: UInt16 { 1 << UInt16(rawValue) }
  /// The adapter answers it, no ECU.
  var isForAdapter: Bool { self == .parameters || self == .voltage }

  static let identification: UInt16 =
    Job.informationSupport.bit | Job.vin.bit | Job.calibrationID.bit | Job.calibrationVerification.bit | Job.ecuName.bit
  static let motion: UInt16 = Job.engineSpeed.bit | Job.speed.bit
  static let codes: UInt16 = Job.storedCodes.bit | Job.pendingCodes.bit | Job.permanentCodes.bit

  /// The most urgent of a set.
  static func first(of set: UInt16) -> Job? {
    set == 0 ? nil : Job(rawValue: UInt8(truncatingIfNeeded: set.trailingZeroBitCount))
  }
}

/// Where the exchange of one command and its reply stands.
enum Exchange: BitwiseCopyable, Equatable {
  /// The prompt was read: the adapter waits.
  case ready
  /// A command was sent; its prompt is awaited until then.
  case awaiting(deadline: Int64)
  /// The prompt was read, but more may come: it must be quiet until then.
  case settling(until: Int64)
}

/// What is sent next.
enum Decision: BitwiseCopyable {
  case send(Command, ReadRequest?, Purpose, limit: Int64)
  case wait(until: Int64)
  /// The stage has changed: decide again.
  case again
}

/// Times of the dialogue, ns.
enum Limit {
  static let millisecond: Int64 = 1_000_000
  /// Answer to a setting.
  static let setting: Int64 = 1_500 * millisecond
  /// ATZ: clones take up to 2 s; while the baud is looked for, less at first.
  static let reset: Int64 = 4_000 * millisecond
  static let resetWhileLooking: Int64 = 1_500 * millisecond
  static let resetAtKnownBaud: Int64 = 2_500 * millisecond
  /// ATSP0 and 0100: all nine protocols, slow initialisations among them.
  static let search: Int64 = 30_000 * millisecond
  /// How long whoever clears codes may take to write them down before he is looked at again.
  static let saving: Int64 = 60_000 * millisecond
  /// Between two rounds of the search, however long the one before took.
  static let shortestSearchPause: Int64 = 500 * millisecond
  /// One protocol: a K-line's 5-baud initialisation takes 3 s and is tried thrice.
  static let searchOne: Int64 = 12_000 * millisecond
  static let poll: Int64 = 2_500 * millisecond
  /// A K-line that fell asleep is initialised again first.
  static let pollKLine: Int64 = 7_000 * millisecond
  /// 0x78 may put an answer off five times as long as usual (SAE J1979, 5.2.2.6), each time anew.
  static let slowAnswer: Int64 = 8_000 * millisecond
  /// Quiet that shows that a reply is over where its prompt cannot be relied on.
  static let quiet: Int64 = 100 * millisecond
  /// A link that is gone so soon was not broken by what was sent.
  static let hangUpAtOnce: Int64 = 200 * millisecond
  /// A device that was not quiet for so long is listened to no further.
  static let longestSettling: Int64 = 10_000 * millisecond
  /// P3min: between a K-line's last answer and the next request (ISO 14230-2, 4.4.1; ISO 9141-2, 6.2.2).
  static let p3min: Int64 = 55 * millisecond
  /// ATLP takes effect a second after its OK; a character within it would come to nothing.
  static let lowPower: Int64 = 2_000 * millisecond
}
