import AdapterSession
import CGateway
import Failures
import Fusion
import GatewayForwarding
import GatewayLinks
import GatewayOutput
import GatewayRecords
import Geofencing
import Glibc
import OBDWire
import Ports
import Sinks
import Telemetry

/// The daemon. It starts the links, the thread that makes records, and the sinks. It runs until a signal ends it.
///
/// SIGTERM and SIGINT end the daemon within two seconds. After SIGHUP, it reads the configuration again. Each link and
/// each sink has a thread. One thread makes the records, and one writes them to the spool or to stdout. The thread that
/// calls ``run()`` waits for signals and devices.
public struct Daemon: ~Copyable {
  let path: String?
  var settings: Settings
  /// The configuration at the start of the daemon.
  let started: GatewayConfiguration
  let mailbox: Mailbox
  let records: RecordThread
  let destination: RecordOutput.Destination
  let pipeline: RecordPipeline.Options
  var roster: DeviceRoster
  var links: [Int: RunningLink] = [:]
  /// The properties of adapters and vehicles that sessions have found.
  var memory: AdapterMemory
  /// The stored states of the geofences, for a run without a spool.
  var fenceMemory: FenceStore
  /// The wake-up that ends the threads which listen to serial devices or search for Bluetooth devices.
  let scouting: WakeUp
  /// The thread that pairs Bluetooth adapters; `nil` if it is not running.
  var pairing: RunningPairing?
  /// Determines which of the configured Bluetooth adapters must be paired.
  var pairingNeeds = PairingNeeds()
  /// The programs that receive records as they are made.
  let followers: Followers
  let statusWakeUp: WakeUp
  let portErrors = PortErrors()
  /// The service manager (systemd) that started the daemon. If there is none, the functions of this object do nothing.
  var manager = ServiceManager()

  /// Reads the configuration and prepares the daemon.
  ///
  /// - Parameter path: path of the configuration file; `nil` for the default configuration.
  /// - Throws: ``Failure`` if a file is invalid, or if the system lacks a resource.
  public init(path: String?) throws(Failure) {
    let settings = try Settings(path: path)
    for line in settings.warnings { Log.write(line, .warning) }
    let configuration = settings.configuration
    if let folder = configuration.stateDirectory {
      try StateFolder.make(folder)
      try StateFolder.claim(folder)
    }
    let gatewayId: String
    if let configured = configuration.gatewayId {
      gatewayId = configured
    } else {
      gatewayId = try GatewayIdentity.gatewayId()
    }
    var random = SystemRandomNumberGenerator()
    var pipeline = RecordPipeline.Options(
      gatewayId: gatewayId, epoch: GatewayIdentity.newEpoch(), idSeed: random.next())
    pipeline.vehicleId = configuration.vehicle.id
    pipeline.cadence = Cadence(configuration.record)
    // With a spool, the records of each sink are converted to VSS names separately.
    if !settings.usesSpool, configuration.sinks.allSatisfy(\.usesVSS) { pipeline.naming = .vss }
    pipeline.windows = settings.poll.windows
    pipeline.loadedSignals = settings.poll.loadedSignals
    pipeline.trips = TripOptions(configuration.trips, configuration.vehicle)
    pipeline.driving = DrivingOptions(configuration.driving)
    pipeline.bootId = try GatewayIdentity.bootId()
    // If trips can be stored, the next start continues a trip in progress.
    pipeline.trips?.endsWithSession = configuration.stateDirectory == nil
    let parts = try Parts(settings, pipeline, seed: random.next())
    self.path = path
    self.settings = settings
    started = configuration
    self.pipeline = pipeline
    mailbox = parts.mailbox
    scouting = parts.scouting
    destination = parts.destination
    records = parts.records
    followers = parts.followers
    statusWakeUp = parts.statusWakeUp
    roster = DeviceRoster(configuration)
    memory = AdapterMemory(folder: configuration.stateDirectory)
    fenceMemory = FenceStore(folder: configuration.stateDirectory)
  }

  /// The parts of the daemon that use file descriptors.
  private struct Parts {
    let mailbox: Mailbox
    let scouting: WakeUp
    let destination: RecordOutput.Destination
    let records: RecordThread
    let followers: Followers
    let statusWakeUp: WakeUp

    init(_ settings: Settings, _ pipeline: RecordPipeline.Options, seed: UInt64) throws(Failure) {
      do throws(PortError) {
        let mailbox = try Mailbox()
        self.mailbox = mailbox
        scouting = try WakeUp()
        destination = settings.usesSpool ? .spool(try SpoolQueue()) : .stdout(try RecordQueue())
        statusWakeUp = try WakeUp()
        followers = Followers(
          wakeUp: statusWakeUp, gatewayId: pipeline.gatewayId, vehicleId: pipeline.vehicleId, seed: seed)
        // With a spool, the spool's thread passes records to the followers after their commit.
        records = try RecordThread(destination, kept: mailbox.wakeUp, followers: settings.usesSpool ? nil : followers)
      } catch {
        throw Failure(.unavailable, error.description)
      }
    }
  }

  /// Runs until a signal ends the daemon.
  ///
  /// - Returns: the exit status: 0, or 74 if records can no longer be written.
  /// - Throws: ``Failure`` if a thread cannot be started.
  public mutating func run() throws(Failure) -> Int32 {
    cgateway_share_heap()
    // Libraries read the environment while they are loaded. Load them before other threads start.
    for line in SinkLibraries.open(for: settings.configuration.sinks) { Log.write(line) }
    cgateway_catch_signals(mailbox.wakeUp.descriptor)
    let records = self.records
    let pipeline = self.pipeline
    let output = try startOutput()
    let trips = output.trips
    let progress = manager.progress()
    manager.watch("fusion", progress)
    // If records go to stdout and stderr is a terminal, the user sees the events in the records. Log lines about events
    // would only repeat them.
    let portErrors = self.portErrors
    let logsEvents = settings.usesSpool || Log.isJournal
    let recordThread = try Thread("obdgated-fusion") {
      let eventLog = logsEvents ? AdapterEventLog(portErrors: portErrors) { Log.write($0, $1, $2) } : nil
      records.run(pipeline, trips: trips, eventLog: eventLog, progress: progress)
    }
    records.setFences(settings.fences, settings.fenceRules, privacy: settings.presentPrivacy, resuming: output.fences)
    let eyes = try startStatus(output.forwarding)
    let status = try supervise()
    manager.notify("STOPPING=1")
    records.closeStatus()
    output.forwarding?.closeStatus()
    eyes?.stop()
    scouting.signal()
    pairing?.control.stop()
    for link in links.values { link.control.stop() }
    for link in links.values { link.thread.join() }
    pairing?.thread.join()
    storeLearned()
    records.end()
    recordThread.join()
    storeLearned()
    // If the terminal's output was suspended, the writer may wait without end. In this case, do not wait for its
    // thread, which ends with the process.
    if hasWriterEnded() { output.thread.join() }
    return status
  }

  /// The thread that writes or forwards records, and objects that belong to it.
  private struct Output {
    let thread: Thread
    /// The object that runs the spool's thread; `nil` if stdout is the only sink.
    var forwarding: Forwarding?
    /// The storage of the trip in progress; `nil` if it is not stored.
    let trips: TripStore?
    let fences: FenceMemory?
  }

  /// Starts the thread that writes or forwards records. Reads the state that the previous run stored.
  private mutating func startOutput() throws(Failure) -> Output {
    let mailbox = self.mailbox
    switch destination {
    case .stdout(let queue):
      let thread = try Thread("obdgated-out") {
        var writer = LineWriter(STDOUT_FILENO, queue)
        mailbox.post(.writerEnded(writer.run { cgateway_is_ending() != 0 }))
      }
      let trips = settings.configuration.stateDirectory.map { TripStore(folder: $0) }
      return Output(thread: thread, trips: trips, fences: fenceMemory.read())
    case .spool(let queue):
      let progress = manager.progress()
      let forwarding = try startSinks(queue, progress)
      // With a spool, trips and fence states are stored in the spool's commits, even without a state directory. The
      // files of an earlier run without a spool are read once.
      let folder = settings.configuration.stateDirectory
      let trips = TripStore(note: forwarding.note(TripStore.note), before: folder)
      if let file = trips.takenOver { forwarding.supersede(file, by: TripStore.note) }
      let fences =
        forwarding.note(FenceStore.note).map { FenceStore.read($0, from: "the spool's fences") } ?? fenceMemory.read()
      manager.watch("spool", progress)
      let thread = try Thread("obdgated-spool") {
        forwarding.run(progress: progress)
        mailbox.post(.writerEnded(.finished))
      }
      return Output(thread: thread, forwarding: forwarding, trips: trips, fences: fences)
    }
  }

  /// Waits up to 1.4 s for the message that the writer has ended, and discards all other messages. Returns whether the
  /// writer has ended.
  private func hasWriterEnded() -> Bool {
    let deadline = BootClock.now + 1_400_000_000
    while true {
      if mailbox.popAll().contains(where: { if case .writerEnded = $0 { true } else { false } }) { return true }
      guard mailbox.wakeUp.wait(until: deadline) else { return false }
      mailbox.wakeUp.clear()
    }
  }

  private mutating func supervise() throws(Failure) -> Int32 {
    let watch = SerialWatch()
    for step in roster.configured(settings.configuration) { try perform(step) }
    if let devices = watch?.present() {
      for step in roster.present(devices) { try perform(step) }
    }
    if settings.configuration.discovery.bluetooth { try searchBluetooth() }
    try pairAdapters(again: false)
    manager.notifyReady()
    while cgateway_is_ending() == 0 {
      wait(watch?.descriptor ?? -1, until: manager.nextPing)
      mailbox.wakeUp.clear()
      manager.ping(with: links.values, at: BootClock.now)
      if cgateway_take_reload() != 0 { try reload() }
      storeLearned()
      for message in mailbox.popAll() {
        if case .writerEnded(let end) = message {
          mailbox.post(message)
          return Self.status(of: end)
        }
        // The sink has already logged the reason.
        if case .sinkOver(let hasFailed) = message { return hasFailed ? 74 : 0 }
        try handle(message)
      }
      while let change = watch?.next() {
        let steps =
          switch change {
          case .event(let event): roster.apply(event)
          case .all(let devices): roster.present(devices)
          }
        for step in steps { try perform(step) }
      }
    }
    return 0
  }

  /// Returns the exit status. If the reader of stdout has disconnected, as in `obdgated | head`, this is not a failure.
  private static func status(of end: LineWriter.End) -> Int32 {
    guard case .failed(let code) = end else { return 0 }
    Log.write("standard output: cannot be written: \(systemReason(code))")
    return 74
  }

  private mutating func storeLearned() {
    for link in links.values {
      if let learned = link.removeLearned() { memory.store(learned, of: link.name) }
    }
    if let fences = records.removeFenceMemory() { fenceMemory.save(fences) }
  }

  /// Waits for a signal, a message or a device event.
  ///
  /// - Parameters:
  ///   - monitor: file descriptor of the device monitor; −1 if there is none.
  ///   - moment: time at which the wait ends in any case, ns since boot; `.max` for no limit.
  private func wait(_ monitor: Int32, until moment: Int64) {
    let limit = moment == .max ? -1 : Int32(clamping: max(0, (moment - BootClock.now) / 1_000_000 + 1))
    var waiting: InlineArray<2, pollfd> = [
      pollfd(fd: mailbox.wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: monitor, events: Int16(POLLIN), revents: 0),
    ]
    var span = waiting.mutableSpan
    _ = unsafe span.withUnsafeMutableBufferPointer { unsafe poll($0.baseAddress, nfds_t($0.count), limit) }
  }

  private mutating func handle(_ message: Mailbox.Message) throws(Failure) {
    switch message {
    case .listened(let result, let device):
      for step in roster.handle(result, from: device) { try perform(step) }
    case .bluetooth(let devices):
      for step in roster.bluetooth(devices) { try perform(step) }
    case .noBluetooth(let reason): Log.write(reason)
    case .pairing(let message): handle(message)
    case .key(let isWanted, let address): try handle(address, wantsKey: isWanted)
    case .fences(let text): apply(fences: text)
    case .writerEnded, .sinkOver: break
    }
  }
}
