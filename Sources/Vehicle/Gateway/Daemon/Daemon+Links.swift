import AdapterSession
import Failures
import GatewayLinks
import GatewayOutput
import GatewayRecords
import Ports
import Telemetry

/// A link that was started, with its thread.
struct RunningLink {
  /// Key that identifies the device. The key is the same after a restart.
  let name: String
  let control: LinkControl
  let thread: Thread
  let progress: Progress?
  let use: Use

  /// The purpose of a link, with the objects that only a link for this purpose has.
  enum Use {
    case adapter(AdapterControl, AdapterFeed)
    case receiver(ReceiverFeed)
  }

  /// Removes and returns what an adapter's session has found since the last call; `nil` if it found nothing.
  func removeLearned() -> SessionMemory? {
    guard case .adapter(let control, _) = use else { return nil }
    return control.removeLearned()
  }
}

/// Starts and stops links, and changes their addresses.
extension Daemon {
  mutating func perform(_ step: DeviceRoster.Step) throws(Failure) {
    switch step {
    case .start(let number, let address, let configured): try start(number, address, configured)
    case .startReceiver(let number, let address, let ground, let label):
      try start(receiver: number, address, ground, label)
    case .stop(let number):
      guard let link = links.removeValue(forKey: number) else { return }
      link.control.stop()
      link.thread.join()
      if let learned = link.removeLearned() { memory.store(learned, of: link.name) }
      switch link.use {
      case .adapter(_, let record): records.remove(record)
      case .receiver(let feed): records.remove(feed)
      }
    case .move(let number, let address):
      guard let link = links[number] else { return }
      if let address {
        switch link.use {
        case .adapter(_, let record): records.move(record, to: address.deviceName)
        case .receiver(let feed): records.move(feed, to: address.deviceName)
        }
      }
      link.control.address = address
    case .listen(let device): listen(to: device)
    case .leave(let device, let label, let reason):
      var record = AdapterRecord(event: .found, device: device, reason: reason.rawValue)
      if !label.isEmpty { record.identity = label }
      records.record(record, at: BootClock.now)
    }
  }

  /// Starts the link to a receiver or to gpsd.
  private mutating func start(
    receiver number: Int, _ address: PortAddress, _ ground: DeviceVerdict.Ground, _ label: String
  ) throws(Failure) {
    if ground != .configured {
      var record = AdapterRecord(event: .found, device: address.deviceName, reason: "receiver: \(ground.rawValue)")
      if !label.isEmpty { record.identity = label }
      records.record(record, at: BootClock.now)
    }
    let ring = Ring<FixDelivery>(capacity: FixDelivery.ringCapacity)
    let feed = records.add(receiver: address.deviceName, ring.consumer)
    let control: LinkControl
    let progress = manager.progress()
    let portErrors = self.portErrors
    let link: LinkBody
    do throws(PortError) {
      control = try LinkControl(address: address, reportError: { portErrors.put($0, of: $1.deviceName) })
      let receiving = LinkBody.Receiving(wakeUp: records.wakeUp, progress: progress)
      link = try LinkBody(receiver: address, control, ring.producer, receiving)
    } catch {
      throw Failure(.unavailable, error.description)
    }
    let thread = try Thread("obdgated-gps\(number)") { link.run() }
    links[number] = RunningLink(
      name: roster.name(of: number), control: control, thread: thread, progress: progress, use: .receiver(feed))
  }

  private mutating func start(_ number: Int, _ address: PortAddress, _ adapter: GatewayConfiguration.Adapter?)
    throws(Failure)
  {
    var configuration = SessionConfiguration()
    if case .serial(_, let baud) = address { configuration.transport = .serial(baud: baud) }
    configuration.protocolDigit = adapter?.protocolDigit.flatMap { $0.asciiValue }
    configuration.preferredBaud = adapter?.preferredBaud
    configuration.power = PowerConfiguration(settings.configuration.power)
    configuration.codesPeriod = Int64(settings.configuration.poll.dtcPeriod * 1e9)
    if let period = settings.poll.voltagePeriod { configuration.voltagePeriod = period }
    let name = roster.name(of: number)
    var session = AdapterSession(configuration, preferences: settings.poll.preferences, memory: memory[name])
    // The number of requests was checked when the settings were read.
    for request in settings.poll.addressed { _ = session.add(request) }
    let ring = Ring<LinkDelivery>(capacity: LinkDelivery.ringCapacity)
    let figures = LinkFigures()
    let control: AdapterControl
    let progress = manager.progress()
    let link: LinkBody
    let (mailbox, portErrors) = (self.mailbox, self.portErrors)
    do throws(PortError) {
      control = try AdapterControl(
        address: address, memory: memory[name], learned: mailbox.wakeUp,
        reportKey: { mailbox.post(.key(isWanted: $0, $1)) },
        reportError: { portErrors.put($0, of: $1.deviceName) })
      let receiving = LinkBody.Receiving(wakeUp: records.wakeUp, progress: progress)
      link = try LinkBody(
        session, control, ring.producer, receiving, figures: figures, definitions: settings.poll.definitions)
    } catch {
      throw Failure(.unavailable, error.description)
    }
    let record = records.add(device: address.deviceName, name: name, ring.consumer, figures: figures)
    let thread = try Thread("obdgated-link\(number)") { link.run() }
    links[number] = RunningLink(
      name: name, control: control.link, thread: thread, progress: progress, use: .adapter(control, record))
  }

  /// Listens to a device in a separate thread, which sends the result to the mailbox.
  private func listen(to device: DeviceIdentity) {
    let mailbox = self.mailbox
    let scouting = self.scouting
    do throws(Failure) {
      _ = try Thread("obdgated-listen", isDetached: true) {
        let result = try? Listener.listen(to: device.node, unless: scouting)
        mailbox.post(.listened(result, device))
      }
    } catch {
      // If the thread cannot be started, the daemon continues without this device.
      Log.write("\(device.node): \(error.description)", .warning)
    }
  }

  /// Starts a thread that asks BlueZ for the paired devices every 30 seconds.
  func searchBluetooth() throws(Failure) {
    let mailbox = self.mailbox
    let scouting = self.scouting
    _ = try Thread("obdgated-blue", isDetached: true) {
      var lastReason = ""
      repeat {
        do throws(DiscoveryError) {
          mailbox.post(.bluetooth(try BluetoothDirectory().devices()))
          lastReason = ""
        } catch {
          if error.description != lastReason { mailbox.post(.noBluetooth(error.description)) }
          lastReason = error.description
        }
      } while !scouting.wait(until: BootClock.now + 30_000_000_000)
    }
  }
}

extension PortAddress {
  /// The device's name in records. It does not contain the baud rate.
  var deviceName: String {
    if case .serial(let path, _) = self { path } else { description }
  }
}
