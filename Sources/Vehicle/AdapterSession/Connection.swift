import OBDWire

/// The dialogue with a vehicle that answers. All of this state is discarded when the connection ends.
struct Connection: BitwiseCopyable {
  /// Maximum number of discoveries that an unknown ECU can cause. Some ECUs answer requests but never report their
  /// supported PIDs.
  static let discoveriesLimit = 3

  enum Phase: BitwiseCopyable {
    /// Read the first values, before any other request. Discovery then begins at `firstBase`.
    case greeting(firstBase: UInt8)
    /// Request the supported PIDs `base` + 1…`base` + 32. `tries` is the number of failed requests.
    case discovering(base: UInt8, tries: Int)
    case polling
  }

  var phase: Phase
  /// Time at which the vehicle was found.
  let since: Int64
  /// Replies in a row without any ECU.
  var silentReplies = 0
  /// The check in progress after several replies in a row without an ECU; `nil` if there is none.
  var presenceCheck: PresenceCheck?
  /// Number of further discoveries that are allowed.
  var discoveriesLeft = Self.discoveriesLimit
  var jobs: JobQueue
  var freezeCursor = FreezeCursor()
  /// Next time at which the trouble codes are read.
  var nextCodes: Int64
  /// Clearing of the trouble codes in progress.
  var clearing: Clearing?
  var pause = KLinePause()

  /// Whether the plan is polled: every ECU was requested to report its supported PIDs.
  var isPolling: Bool { if case .polling = phase { true } else { false } }
}

/// The state of the pause P3min on a K-line, which is made by the adapter or by the session.
struct KLinePause: BitwiseCopyable {
  /// Whether the adapter's parameter list says that it makes the pause itself.
  var isKeptByAdapter = false
  /// Requests that were answered only when they were repeated after P3min.
  var doubts = 0
  /// Early requests in a row that were answered.
  var earlyAnswers = 0
  /// Whether the request in progress was sent within P3min.
  var isEarly = false
  /// Index of the request that is repeated after P3min; `nil` if none.
  var repeated: Int?
}

/// Jobs that wait until the plan leaves time for them.
struct JobQueue: BitwiseCopyable {
  /// One bit for each ``Job``.
  var pending: UInt16
  /// Whether a request of the plan was sent since the last job. If so, a job is next.
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

/// Requests that are made once or at long intervals between the polls, most urgent first.
enum Job: UInt8, BitwiseCopyable {
  /// ATPPS: whether the adapter makes a K-line's pause itself. It is first because all later requests may then be
  /// faster.
  case parameters
  case informationSupport, vin, calibrationID, calibrationVerification, ecuName
  case storedCodes, pendingCodes, permanentCodes, freezeFrame, voltage
  /// PIDs 0C and 0D. Requested if the voltage is at the cut-off and the plan does not contain them.
  case engineSpeed, speed
  /// 09 02 again, to detect a swapped vehicle.
  case vinAgain

  var bit: UInt16 { 1 << UInt16(rawValue) }
  /// Whether the adapter itself answers, not an ECU.
  var isForAdapter: Bool { self == .parameters || self == .voltage }

  static let identification: UInt16 =
    Job.informationSupport.bit | Job.vin.bit | Job.calibrationID.bit | Job.calibrationVerification.bit | Job.ecuName.bit
  static let motion: UInt16 = Job.engineSpeed.bit | Job.speed.bit
  static let codes: UInt16 = Job.storedCodes.bit | Job.pendingCodes.bit | Job.permanentCodes.bit
}
