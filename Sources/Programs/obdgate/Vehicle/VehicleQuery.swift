import AdapterSession
import CommandLineSupport
import GatewayLinks
import Glibc
import OBDWire
import Ports

/// Asks an adapter one question. It drives a session on a port's loop, and ends the loop when the question is answered
/// or cannot be answered, or when the time limit has passed.
struct VehicleQuery: PortHandler, ~Copyable {
  /// The result.
  enum Outcome {
    case answered
    /// There is no adapter. Only another device or another baud rate would help.
    case noAdapter(LossReason)
    case noVehicle(LossReason)
    case notPolledJ1939
    case refused(ClearRefusal)
    case outOfTime
    /// The codes could not be written before clearing; they are not cleared.
    case notSaved(any Error)
  }

  /// Receives the records of the codes before the codes are cleared.
  typealias Save = ([FinishedRecord]) throws -> Void

  private(set) var outcome: Outcome?
  private var driver: AdapterDriver<AnswerListener>
  private let question: Question
  private let permission: ClearPermission?
  private let save: Save
  private var isClearing = false
  private var isSaved = false
  /// Whether the codes were cleared and the data about them are being read again.
  private var isReadingAgain = false
  private let started: Int64
  private let deadline: Int64
  private var progress: ProgressLine
  private var nextProgress: Int64 = 0
  /// The activity that stderr reported last, if it is no terminal.
  private var reported: String?
  private let name: String

  /// - Parameters:
  ///   - limit: time limit, ns.
  ///   - name: name of the command, for the progress line.
  ///   - permission: permits clearing the codes after they are read and saved.
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

  // MARK: Where it stands

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

  /// The time after which a log or a script gets a line that says why the codes are not cleared yet, ns.
  private static let patience: Int64 = 5_000_000_000

  /// A terminal sees each second; anything else gets a line for each activity.
  private mutating func showProgress(at now: Int64) {
    if progress.isShown {
      progress.show("obdgate \(name): \(activity), \((now - started) / 1_000_000_000) s")
      nextProgress = now + 1_000_000_000
    } else if reported != activity {
      let rest = (deadline - now + 999_999_999) / 1_000_000_000
      StandardError.say("obdgate \(name): \(activity), for at most \(rest) s more")
      reported = activity
    }
  }

  private var activity: String {
    if isClearing { return "clearing the codes" }
    if !driver.listener.wasFound { return "waiting for the adapter" }
    return driver.listener.wasConnected ? "reading" : "looking for the vehicle"
  }

  /// Time after the adapter's own search in which the session tries the protocols one by one, OBDonUDS among them; ns.
  private static let searchByHand: Int64 = 12_000_000_000

  /// Time at which to stop waiting for a vehicle that has never answered; `nil` after an answer, because the connection
  /// may recover until the time limit.
  private var givingUp: Int64? {
    driver.listener.wasConnected ? nil : driver.listener.lostAt.map { $0 + Self.searchByHand }
  }

  private func judge(at now: Int64) -> Outcome? {
    let isAnswered = question.isAnswered(by: driver.session, driver.listener.read, at: now)
    if isClearing {
      if let refusal = driver.listener.refusal { return .refused(refusal) }
      // The codes were cleared even if the data cannot be read again.
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

  /// Requests service 04. The session checks whether clearing is safe, and reads all data that it erases again.
  private mutating func clear(
    _ permission: ClearPermission, at now: Int64, _ actions: inout PortActions
  ) -> Outcome? {
    isClearing = true
    driver.session.clearCodes(permission)
    driver.deadlinePassed(at: now, &actions)
    return judge(at: now)
  }

  /// Saves the records of the data that clearing erases.
  private mutating func saveCodes(at now: Int64, _ actions: inout PortActions) -> Outcome? {
    progress.end()
    isSaved = true
    do {
      try save(driver.listener.takeRecords())
    } catch {
      return .notSaved(error)
    }
    driver.session.codesAreSaved()
    driver.deadlinePassed(at: now, &actions)
    return judge(at: now)
  }

  /// Reads the state again, because clearing changes the lamp.
  private mutating func readAgain(at now: Int64, _ actions: inout PortActions) {
    isReadingAgain = true
    driver.listener.forgetParameters(at: now)
    driver.session.preferences = question.preferences
    driver.deadlinePassed(at: now, &actions)
  }

  // MARK: What it found

  /// Creates the records of the answer; the adapter's own record is the last.
  mutating func takeRecords(device: String, plan: Bool) -> [FinishedRecord] {
    driver.listener.takeRecords() + driver.listener.takeRecord(facts(device: device, plan: plan))
  }

  private mutating func facts(device: String, plan: Bool) -> AdapterFacts {
    var facts = AdapterFacts(device: device)
    facts.update(from: driver.session, voltage: driver.listener.voltage)
    if plan { facts.takePlan(of: &driver.session) }
    return facts
  }

  /// The progress so far, for messages.
  var wasFound: Bool { driver.listener.wasFound }
  var wasConnected: Bool { driver.listener.wasConnected }
  var vinDamage: WireError.Kind? { driver.listener.vinDamage }
  var seconds: Int64 { (deadline - started) / 1_000_000_000 }
}

extension LossReason {
  /// Whether the reason concerns the adapter, not the vehicle.
  fileprivate var isAdapters: Bool {
    switch self {
    case .silent, .noAdapter, .gnssReceiver: true
    default: false
    }
  }
}
