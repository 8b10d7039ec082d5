import AdapterSession
import CGateway
import Fusion
import GatewayLinks
import Geofencing
import Glibc
import OBDWire
import Ports
import Sinks
import Telemetry

/// The daemon: starts the links, the records and the sinks, and keeps them going until a signal ends it.
///
/// SIGTERM and SIGINT end it within two seconds; SIGHUP reads the configuration anew. One thread for each line, one that
/// makes records, one that writes them; this one waits for signals and for devices that come and go.
public struct Daemon: ~Copyable {
  let path: String?
  var settings: Settings
  /// The configuration of the start.
  let started: GatewayConfiguration
  let mailbox: Mailbox
  let records: RecordThread
  let destination: RecordOutlet.Destination
  let pipeline: RecordPipeline.Options
  var roster: DeviceRoster
  var links: [Int: RunningLink] = [:]
  /// What is kept of adapters and vehicles over a restart.
  var memory: AdapterMemory
  /// What is kept of the fences over a restart.
  var fenceMemory: FenceStore
  /// Ends threads that listen to devices or search Bluetooth.
  let scouting: WakeUp
  /// Pairs Bluetooth adapters; nil: none is named.
  var pairing: RunningPairing?
  /// Which of them are paired.
  var pairingNeeds = PairingNeeds()
  /// Whoever follows the records on this machine, and the wakeUp of the thread that shows them.
  let followers: Followers
  let statusWakeUp: WakeUp
  let portErrors = PortErrors()
  /// Whoever started the daemon, where it wants to know how it goes.
  var manager = ServiceManager()

  /// - Parameter path: the configuration file; nil: none.
  /// - Throws: ``StartError`` where it is wrong, or the machine lacks something.
  public init(path: String?) throws(StartError) {
    let settings = try Settings(path: path)
    for line in settings.warnings { Log.write(line, .warning) }
    let configuration = settings.configuration
    if let folder = configuration.stateDirectory { try StateFolder.make(folder) }
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
    // Behind the spool each sink has its own names.
    if !settings.usesSpool, configuration.sinks.allSatisfy(\.usesVSS) { pipeline.naming = .vss }
    pipeline.windows = settings.poll.windows
    pipeline.loadedSignals = settings.poll.loadedSignals
    pipeline.trips = TripOptions(configuration.trips, configuration.vehicle)
    pipeline.driving = DrivingOptions(configuration.driving)
    pipeline.bootId = try GatewayIdentity.bootId()
    // Where they can be kept, trips go on with the next start.
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

  /// What needs descriptors.
  private struct Parts {
    let mailbox: Mailbox
    let scouting: WakeUp
    let destination: RecordOutlet.Destination
    let records: RecordThread
    let followers: Followers
    let statusWakeUp: WakeUp

    init(_ settings: Settings, _ pipeline: RecordPipeline.Options, seed: UInt64) throws(StartError) {
      do throws(PortError) {
        let mailbox = try Mailbox()
        self.mailbox = mailbox
        scouting = try WakeUp()
        destination = settings.usesSpool ? .spool(try SpoolQueue()) : .stdout(try RecordQueue())
        statusWakeUp = try WakeUp()
        followers = Followers(
          wakeUp: statusWakeUp, gatewayId: pipeline.gatewayId, vehicleId: pipeline.vehicleId, seed: seed)
        // What goes to the spool is shown once it is committed.
        records = try RecordThread(destination, kept: mailbox.wakeUp, followers: settings.usesSpool ? nil : followers)
      } catch {
        throw StartError(.unavailable, error.description)
      }
    }
  }

  /// Runs until it is told to end.
  ///
  /// - Returns: 0, or 74 where the records cannot be written any more.
  /// - Throws: ``StartError`` where a thread cannot be had.
  public mutating func run() throws(StartError) -> Int32 {
    cgateway_share_heap()
    // Libraries look at the environment while they are opened: before other threads begin.
    for line in SinkLibraries.open(for: settings.configuration.sinks) { Log.write(line) }
    cgateway_catch_signals(mailbox.wakeUp.descriptor)
    let records = self.records
    let pipeline = self.pipeline
    let output = try startOutput()
    let trips = output.trips
    let progress = manager.progress()
    manager.watch("fusion", progress)
    // Where stdout has the records and nobody but people reads stderr, they say it all.
    let portErrors = self.portErrors
    let logsEvents = settings.usesSpool || Log.isJournal
    let recordThread = try Thread("obdgated-fusion") {
      let eventLog = logsEvents ? AdapterEventLog(portErrors: portErrors) { Log.write($0, $1, $2) } : nil
      records.run(pipeline, trips: trips, eventLog: eventLog, progress: progress)
    }
    records.setFences(settings.fences, settings.fenceRules, privacy: settings.presentPrivacy, resuming: output.fences)
    let eyes = try startStatus(output.forwarding)
    let status = try supervise()
    manager.tell("STOPPING=1")
    records.closeStatus()
    output.forwarding?.closeStatus()
    eyes?.stop()
    scouting.signal()
    pairing?.control.stop()
    for link in links.values { link.control.stop() }
    for link in links.values { link.thread.join() }
    pairing?.thread.join()
    keepLearned()
    records.end()
    recordThread.join()
    keepLearned()
    // A terminal that is stopped blocks its writer for ever: the end of the process ends it, too.
    if hasWriterEnded() { output.thread.join() }
    return status
  }

  /// What the records go out by.
  private struct Output {
    let thread: Thread
    /// Nil: records go to stdout alone.
    var forwarding: Forwarding?
    /// Nil: nothing is kept.
    let trips: TripStore?
    let fences: FenceMemory?
  }

  /// Starts what takes the records, and reads what was kept when the program ended.
  private mutating func startOutput() throws(StartError) -> Output {
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
      // Both are in the spool's commits, even where it has no folder.
      // What an earlier start without a spool has kept goes on once.
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

  /// Whether the writer ends in the time that it is given; what else is posted does not matter any more.
  private func hasWriterEnded() -> Bool {
    let deadline = BootClock.now + 1_400_000_000
    while true {
      if mailbox.take().contains(where: { if case .writerEnded = $0 { true } else { false } }) { return true }
      guard mailbox.wakeUp.wait(until: deadline) else { return false }
      mailbox.wakeUp.clear()
    }
  }

  private mutating func supervise() throws(StartError) -> Int32 {
    let watch = SerialWatch()
    for step in roster.configured(settings.configuration) { try perform(step) }
    if let devices = watch?.present() {
      for step in roster.present(devices) { try perform(step) }
    }
    if settings.configuration.discovery.bluetooth { try searchBluetooth() }
    try pairAdapters(again: false)
    manager.tellReady()
    while cgateway_is_ending() == 0 {
      wait(watch?.descriptor ?? -1, until: manager.nextPing)
      mailbox.wakeUp.clear()
      manager.ping(with: links.values, at: BootClock.now)
      if cgateway_take_reload() != 0 { try reload() }
      keepLearned()
      for news in mailbox.take() {
        if case .writerEnded(let end) = news {
          mailbox.post(news)
          return Self.status(of: end)
        }
        // The sink has said why.
        if case .sinkOver(let hasFailed) = news { return hasFailed ? 74 : 0 }
        try take(news)
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

  /// A reader that left is no failure: `obdgated | head`.
  private static func status(of end: LineWriter.End) -> Int32 {
    guard case .failed(let code) = end else { return 0 }
    Log.write("standard output: cannot be written: \(systemReason(code))")
    return 74
  }

  private mutating func keepLearned() {
    for link in links.values {
      if let learned = link.takeLearned() { memory.keep(learned, of: link.name) }
    }
    if let fences = records.takeFenceMemory() { fenceMemory.keep(fences) }
  }

  /// - Parameter moment: of the boot clock; `.max`: none.
  private func wait(_ monitor: Int32, until moment: Int64) {
    let limit = moment == .max ? -1 : Int32(clamping: max(0, (moment - BootClock.now) / 1_000_000 + 1))
    var waiting: InlineArray<2, pollfd> = [
      pollfd(fd: mailbox.wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: monitor, events: Int16(POLLIN), revents: 0),
    ]
    var span = waiting.mutableSpan
    _ = unsafe span.withUnsafeMutableBufferPointer { unsafe poll($0.baseAddress, nfds_t($0.count), limit) }
  }

  private mutating func take(_ news: Mailbox.News) throws(StartError) {
    switch news {
    case .heard(let heard, let device):
      for step in roster.heard(heard, from: device) { try perform(step) }
    case .bluetooth(let devices):
      for step in roster.bluetooth(devices) { try perform(step) }
    case .noBluetooth(let reason): Log.write(reason)
    case .pairing(let news): take(news)
    case .key(let isWanted, let address): try take(address, wantsKey: isWanted)
    case .fences(let text): take(fences: text)
    case .writerEnded, .sinkOver: break
    }
  }
}
