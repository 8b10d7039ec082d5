import OBDWire

/// The state of the dialogue with a vehicle that answers. It is discarded when the connection ends.
struct Connection: BitwiseCopyable {
  /// Maximum number of times that the discovery is repeated because an unknown ECU answered. It is limited because some
  /// ECUs answer requests but never report their supported PIDs.
  static let discoveriesLimit = 3

  enum Phase: BitwiseCopyable {
    /// The first readings are requested before all other data. Then the discovery begins with the support PID
    /// `firstBase` (00, 20, 40 and so on).
    case greeting(firstBase: UInt8)
    /// The session asks which of the PIDs `base` + 1…`base` + 32 are supported. `tries` is the number of failed
    /// requests for this range.
    case discovering(base: UInt8, tries: Int)
    case polling
  }

  var phase: Phase
  /// Time at which the vehicle was found, ns since boot.
  let since: Int64
  /// Number of requests in a row that no ECU answered.
  var silentReplies = 0
  /// The check whether the vehicle is still present. It is made after several requests in a row that no ECU answered;
  /// `nil` if no check is in progress.
  var presenceCheck: PresenceCheck?
  /// Number of times that the discovery may still be repeated because an unknown ECU answers.
  var discoveriesLeft = Self.discoveriesLimit
  var jobs: JobQueue
  var freezeCursor = FreezeCursor()
  /// Time at which the trouble codes are read next, ns since boot.
  var nextCodes: Int64
  /// Progress of clearing the trouble codes; `nil` if they are not being cleared.
  var clearing: Clearing?
  var pause = KLinePause()

  /// Whether the discovery has ended and the plan is polled.
  var isPolling: Bool { if case .polling = phase { true } else { false } }
}

/// What is known about the pause P3min before each request on a K-line, which either the adapter or the session makes.
struct KLinePause: BitwiseCopyable {
  /// Whether the adapter itself makes the pause, according to its list of programmable parameters (ATPPS).
  var isKeptByAdapter = false
  /// Number of requests that were not answered at first, but were answered when they were repeated after P3min. Each is
  /// evidence that the adapter does not make the pause.
  var doubts = 0
  /// Number of requests in a row that were sent earlier than P3min after the last byte, and were answered.
  var earlyAnswers = 0
  /// Whether the request in progress was sent earlier than P3min after the last byte.
  var isEarly = false
  /// Index (in the plan) of the request that is repeated after P3min; `nil` if none is repeated.
  var repeated: Int?
}

/// The jobs that are pending. A job's request is sent when the plan leaves time for it.
struct JobQueue: BitwiseCopyable {
  /// The pending jobs, one bit for each ``Job``.
  var pending: UInt16
  /// Whether the next job precedes requests of the plan that are due. It is `true` after a request of the plan was
  /// sent, so that jobs and requests of the plan alternate.
  var isTurn = false
  /// Number of failed attempts of the most urgent job.
  var tries = 0
  /// Time before which no job's request is sent, ns since boot.
  var notBefore: Int64 = 0

  init(_ jobs: UInt16) { pending = jobs }

  mutating func insert(_ jobs: UInt16) { pending |= jobs }

  mutating func remove(_ job: Job) { pending &= ~job.bit }

  /// Removes a job that is done. The next job may start immediately.
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

/// The requests that are sent once or at long intervals, between the requests of the plan. The most urgent job comes
/// first.
enum Job: UInt8, BitwiseCopyable {
  /// ATPPS: find out whether the adapter itself makes the pause P3min on a K-line. This job is the first, because the
  /// adapter's own pause allows all later requests to be sent sooner.
  case parameters
  case informationSupport, vin, calibrationID, calibrationVerification, ecuName
  case storedCodes, pendingCodes, permanentCodes, freezeFrame, voltage
  /// Engine speed and vehicle speed (PIDs 0C and 0D). They are requested if the voltage is at or below
  /// ``PowerConfiguration/cutOffVoltage``, and neither was reported recently.
  case engineSpeed, speed
  /// Read the VIN (09 02) again, to detect that the vehicle was swapped.
  case vinAgain

  var bit: UInt16 { 1 << UInt16(rawValue) }
  /// Whether the job is for the adapter itself, not for an ECU.
  var isForAdapter: Bool { self == .parameters || self == .voltage }

  static let identification: UInt16 =
    Job.informationSupport.bit | Job.vin.bit | Job.calibrationID.bit | Job.calibrationVerification.bit | Job.ecuName.bit
  static let motion: UInt16 = Job.engineSpeed.bit | Job.speed.bit
  static let codes: UInt16 = Job.storedCodes.bit | Job.pendingCodes.bit | Job.permanentCodes.bit
}
