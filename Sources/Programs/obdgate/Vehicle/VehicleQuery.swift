import AdapterSession
import CommandLineSupport
import GatewayLinks
import Glibc
import OBDWire
import Ports

/// Asks an adapter one question. It runs a session on the poll loop of a port. It ends the loop when the question is
/// answered, when it cannot be answered, or when the time limit has passed.
struct VehicleQuery: PortHandler, ~Copyable {
  /// The result of a query, with the reason if the question was not answered.
  enum Outcome {
    case answered
    /// No adapter answers. Only another device or another baud rate could help.
    case noAdapter(LossReason)
    case noVehicle(LossReason)
    case notPolledJ1939
    case refused(ClearRefusal)
    case outOfTime
    /// The codes could not be printed, so they were not cleared.
    case notSaved(any Error)
  }

  /// A function that saves (prints) the records about the codes before the codes are cleared.
  typealias Save = ([FinishedRecord]) throws -> Void

  private(set) var outcome: Outcome?
  private var driver: AdapterDriver<AnswerListener>
  private let question: Question
  private let permission: ClearPermission?
  private let save: Save
  private var isClearing = false
  private var isSaved = false
  /// Whether the codes were cleared, so that the lamp's state and the codes are being read again.
  private var isReadingAgain = false
  private let started: Int64
  private let deadline: Int64
  private var progress: ProgressLine
  private var nextProgress: Int64 = 0
  /// The activity that was last reported on stderr, if stderr is not a terminal; `nil` if none was reported.
  private var reported: String?
  private let name: String

  /// Creates a query.
  ///
  /// - Parameters:
  ///   - limit: time limit of the query, ns.
  ///   - name: name of the command, for progress messages.
  ///   - permission: the permission to clear the codes after they were read and saved; `nil` if the codes must not be
  ///     cleared.
  init(
    _ question: Question, at address: PortAddress, limit: Int64, name: String, permission: ClearPermission? = nil,
    save: @escaping Save = { _ in }
  ) {
    var configuration = SessionConfiguration()
    if case .serial(_, let baud) = address { configuration.transport = .serial(baud: baud) }
    driver = AdapterDriver(
      AdapterSession(configuration, preferences: question.preferences), AnswerListener(answers: question.answers))
    self.question = question
    self.permission = permission
    self.save = save
    self.name = name
    started = BootClock.now
    deadline = started + limit
    progress = ProgressLine()
    if !progress.isShown { nextProgress = permission == nil ? .max : started + Self.patience }
  }

  mutating func opened(at now: Int64, _ actions: inout PortActions) {
    driver.opened(at: now, &actions)
    follow(at: now, &actions)
  }

  mutating func received(_ bytes: Span<UInt8>, at now: Int64, _ actions: inout PortActions) {
    driver.received(bytes, at: now, &actions)
    follow(at: now, &actions)
  }

  mutating func deadlinePassed(at now: Int64, _ actions: inout PortActions) {
    driver.deadlinePassed(at: now, &actions)
    follow(at: now, &actions)
  }

  mutating func wokenUp(at now: Int64, _ actions: inout PortActions) { actions.stop() }

  mutating func rateRefused(_ baud: Int, at now: Int64, _ actions: inout PortActions) -> Bool {
    defer { follow(at: now, &actions) }
    return driver.rateRefused(baud, at: now, &actions)
  }

  // MARK: Progress

  private mutating func follow(at now: Int64, _ actions: inout PortActions) {
    if driver.listener.isCleared, !isReadingAgain { readAgain(at: now, &actions) }
    outcome = judge(at: now)
    if case .answered? = outcome, let permission, !isClearing { outcome = clear(permission, at: now, &actions) }
    if outcome == nil, driver.listener.areCodesRead, !isSaved { outcome = saveCodes(at: now, &actions) }
    guard outcome == nil else {
      progress.end()
      actions.stop()
      return
    }
    var next = min(actions.deadline ?? .max, deadline, givingUp ?? .max)
    if now >= nextProgress { showProgress(at: now) }
    if progress.isShown || now < nextProgress { next = min(next, nextProgress) }
    actions.deadline = next
  }

  /// Time from the start to the first progress message, ns. It is used if codes must be cleared and stderr is not a
  /// terminal.
  private static let patience: Int64 = 5_000_000_000

  /// Shows the progress: on a terminal every second, otherwise one text line for each new activity.
  private mutating func showProgress(at now: Int64) {
    if progress.isShown {
      progress.show("obdgate \(name): \(activity), \((now - started) / 1_000_000_000) s")
      nextProgress = now + 1_000_000_000
    } else if reported != activity {
      let rest = (deadline - now + 999_999_999) / 1_000_000_000
      StandardError.print("obdgate \(name): \(activity), for at most \(rest) s more")
      reported = activity
    }
  }

  private var activity: String {
    if isClearing { return "clearing the codes" }
    if !driver.listener.wasFound { return "waiting for the adapter" }
    return driver.listener.wasConnected ? "reading" : "looking for the vehicle"
  }

  /// Time for the session's own search, ns. After the adapter's automatic search has failed, the session tries one
  /// protocol after another, including OBDonUDS.
  private static let searchByHand: Int64 = 12_000_000_000

  /// Time at which the query ends if no vehicle answers until then, ns since boot. It is `nil` if the session is
  /// searching, or if a vehicle has answered, because a lost connection may be restored.
  private var givingUp: Int64? {
    driver.listener.wasConnected ? nil : driver.listener.lostAt.map { $0 + Self.searchByHand }
  }

  private func judge(at now: Int64) -> Outcome? {
    let isAnswered = question.isAnswered(by: driver.session, driver.listener.read, at: now)
    if isClearing {
      if let refusal = driver.listener.refusal { return .refused(refusal) }
      // If the codes were cleared, the question counts as answered at the time limit, even if the data were not read
      // again.
      if driver.listener.isCleared, isAnswered || now >= deadline { return .answered }
    } else if isAnswered {
      return .answered
    }
    if driver.listener.isJ1939 { return .notPolledJ1939 }
    if let loss = driver.listener.loss {
      if loss.isAdapters || driver.reopenNotBefore != nil { return .noAdapter(loss) }
      if let givingUp, now >= givingUp { return .noVehicle(loss) }
    }
    return now >= deadline ? .outOfTime : nil
  }

  /// Clears the codes (service 04). First, the session checks that clearing is safe, and reads again all data that
  /// clearing erases. Returns `nil` while the session continues.
  private mutating func clear(
    _ permission: ClearPermission, at now: Int64, _ actions: inout PortActions
  ) -> Outcome? {
    isClearing = true
    driver.session.clearCodes(permission)
    driver.deadlinePassed(at: now, &actions)
    return judge(at: now)
  }

  /// Saves records of the trouble codes and of all other data that are erased with the codes. Then allows the session
  /// to clear the codes.
  ///
  /// - Returns: `nil` if the session continues, otherwise its outcome.
  private mutating func saveCodes(at now: Int64, _ actions: inout PortActions) -> Outcome? {
    progress.end()
    isSaved = true
    do {
      try save(driver.listener.makeRecords())
    } catch {
      return .notSaved(error)
    }
    driver.session.codesAreSaved()
    driver.deadlinePassed(at: now, &actions)
    return judge(at: now)
  }

  /// Reads the lamp's state and the codes again, because clearing has changed them.
  private mutating func readAgain(at now: Int64, _ actions: inout PortActions) {
    isReadingAgain = true
    driver.listener.forgetParameters(at: now)
    driver.session.preferences = question.preferences
    driver.deadlinePassed(at: now, &actions)
  }

  // MARK: Results

  /// Makes the records of the answer, and returns them. The last record is about the adapter itself.
  mutating func makeRecords(device: String, plan: Bool) -> [FinishedRecord] {
    driver.listener.makeRecords() + driver.listener.makeRecord(facts(device: device, plan: plan))
  }

  private mutating func facts(device: String, plan: Bool) -> AdapterFacts {
    var facts = AdapterFacts(device: device)
    facts.update(from: driver.session, voltage: driver.listener.voltage)
    if plan { facts.recordPlan(of: &driver.session) }
    return facts
  }

  /// Whether an adapter has answered.
  var wasFound: Bool { driver.listener.wasFound }
  var wasConnected: Bool { driver.listener.wasConnected }
  var vinDamage: WireError.Kind? { driver.listener.vinDamage }
  var seconds: Int64 { (deadline - started) / 1_000_000_000 }
}

extension LossReason {
  /// Whether no readings are received because of the adapter; `false` if the cause is the vehicle.
  fileprivate var isAdapters: Bool {
    switch self {
    case .silent, .noAdapter, .gnssReceiver: true
    default: false
    }
  }
}
