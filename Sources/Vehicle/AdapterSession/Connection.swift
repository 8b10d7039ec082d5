import OBDWire

/// The dialogue with a vehicle that answers. Everything in it ends with the connection.
struct Connection: BitwiseCopyable {
  /// How often an unknown ECU causes a new discovery. Some ECUs answer requests but never say what they support.
  static let discoveriesLimit = 3

  enum Phase: BitwiseCopyable {
    /// The first readings, before anything else is requested. Discovery then begins at `firstBase`.
    case greeting(firstBase: UInt8)
    /// The supported PIDs `base` + 1…`base` + 32 are requested. `tries` counts failed requests.
    case discovering(base: UInt8, tries: Int)
    case polling
  }

  var phase: Phase
  /// Time at which the vehicle was found.
  let since: Int64
  /// Replies in a row without any ECU.
  var silentReplies = 0
  /// In progress after several silent replies in a row.
  var presenceCheck: PresenceCheck?
  /// New discoveries that are still allowed.
  var discoveriesLeft = Self.discoveriesLimit
  var jobs: JobQueue
  var freezeCursor = FreezeCursor()
  /// Next time at which the trouble codes are read.
  var nextCodes: Int64
  /// Clearing of the trouble codes in progress.
  var clearing: Clearing?
  var pause = KLinePause()

  /// Every ECU was asked which PIDs it supports, and the plan is polled.
  var isPolling: Bool { if case .polling = phase { true } else { false } }
}

/// Who ensures the pause P3min on a K-line.
struct KLinePause: BitwiseCopyable {
  /// The adapter's parameter list says that it ensures the pause itself.
  var isKeptByAdapter = false
  /// Requests that were answered only when they were repeated after P3min.
  var doubts = 0
  /// Early requests in a row that were answered.
  var earlyAnswers = 0
  /// The request in progress was sent within P3min.
  var isEarly = false
  /// Index of the request that is repeated after P3min; `nil` if none.
  var repeated: Int?
}

/// Questions that wait until the plan leaves time for them.
struct JobQueue: BitwiseCopyable {
  /// One bit for each ``Job``.
  var pending: UInt16
  /// A request of the plan was sent since the last job: the next job goes before it.
  var isTurn = false
  /// Failed tries of the current job.
  var tries = 0
  /// Time before which no job is sent.
  var notBefore: Int64 = 0

  init(_ jobs: UInt16) { pending = jobs }

  mutating func insert(_ jobs: UInt16) { pending |= jobs }

  mutating func remove(_ job: Job) { pending &= ~job.bit }

  /// Removes a job that is done; the next one starts without delay.
  mutating func finish(_ job: Job) {
    remove(job)
    tries = 0
    notBefore = 0
  }

  /// The most urgent job; `nil` if none is pending.
  var first: Job? {
    pending == 0 ? nil : Job(rawValue: UInt8(truncatingIfNeeded: pending.trailingZeroBitCount))
  }
}

/// Questions that are asked once or at long intervals between the polls, in the order of their urgency.
enum Job: UInt8, BitwiseCopyable {
  /// ATPPS: whether the adapter ensures a K-line's pause. It is first because its answer makes all other requests faster.
  case parameters
  case informationSupport, vin, calibrationID, calibrationVerification, ecuName
  case storedCodes, pendingCodes, permanentCodes, freezeFrame, voltage
  /// PIDs 0C and 0D, if the cut-off voltage holds and the plan does not contain them.
  case engineSpeed, speed
  /// 09 02 again: whether it is still the same vehicle.
  case vinAgain

  var bit: UInt16 { 1 << UInt16(rawValue) }
  /// The adapter itself answers, not an ECU.
  var isForAdapter: Bool { self == .parameters || self == .voltage }

  static let identification: UInt16 =
    Job.informationSupport.bit | Job.vin.bit | Job.calibrationID.bit | Job.calibrationVerification.bit | Job.ecuName.bit
  static let motion: UInt16 = Job.engineSpeed.bit | Job.speed.bit
  static let codes: UInt16 = Job.storedCodes.bit | Job.pendingCodes.bit | Job.permanentCodes.bit
}
