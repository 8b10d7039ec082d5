import AdapterSession
import Ports
import Telemetry

/// A line that runs.
struct RunningLine {
  /// What its adapter is known by, from one start to the next.
  let name: String
  let control: AdapterControl
  let thread: Thread
  let record: RecordLine
}

/// Lines begin and move.
extension Daemon {
  mutating func carryOut(_ step: DeviceRoster.Step) throws(StartError) {
    switch step {
    case .start(let number, let address, let configured): try start(number, address, configured)
    case .stop(let number):
      guard let line = lines.removeValue(forKey: number) else { return }
      line.control.stop()
      line.thread.join()
      if let learned = line.control.takeLearned() { memory.keep(learned, of: line.name) }
      records.remove(line.record)
    case .move(let number, let address):
      guard let line = lines[number] else { return }
      if let address { records.move(line.record, to: address.deviceName) }
      line.control.address = address
    case .listen(let device): listen(to: device)
    case .leave(let device, let label, let reason):
      var record = AdapterRecord(event: .found, device: device, reason: reason.rawValue)
      if !label.isEmpty { record.identity = label }
      records.record(record, at: BootClock.now)
    case .receiver(let device, let ground, _):
      var record = AdapterRecord(event: .found, device: device.node, reason: "receiver: \(ground.rawValue)")
      if !device.label.isEmpty { record.identity = device.label }
      records.record(record, at: BootClock.now)
    }
  }

  private mutating func start(_ number: Int, _ address: PortAddress, _ adapter: Configuration.Adapter?)
    throws(StartError)
  {
    var configuration = SessionConfiguration()
    if case .serial(_, let baud) = address { configuration.transport = .serial(baud: baud) }
    configuration.protocolDigit = adapter?.protocolDigit.flatMap { $0.asciiValue }
    configuration.preferredBaud = adapter?.preferredBaud
    configuration.power = PowerConfiguration(settings.configuration.power)
    configuration.codesPeriod = Int64(settings.configuration.poll.dtcPeriod * 1e9)
    if let period = settings.poll.voltagePeriod { configuration.voltagePeriod = period }
    let name = roster.name(of: number)
    var session = AdapterSession(configuration, wishes: settings.poll.wishes, memory: memory[name])
    // Their number was checked when the settings were read.
    for request in settings.poll.addressed { _ = session.add(request) }
    let ring = Ring<Delivery>(capacity: RecordThread.ringCapacity)
    let control: AdapterControl
    let line: LineBox
    do throws(PortError) {
      control = try AdapterControl(address: address, memory: memory[name], learned: mailbox.bell)
      let outlet = DeliveryOutlet(ring.producer, bell: records.bell, control: control)
      line = LineBox(try AdapterLine(control, session, outlet, definitions: settings.poll.definitions))
    } catch {
      throw StartError(.unavailable, error.description)
    }
    let record = records.add(device: address.deviceName, name: name, ring.consumer)
    let thread = try Thread("obdgated-line\(number)") { line.run() }
    lines[number] = RunningLine(name: name, control: control, thread: thread, record: record)
  }

  /// Listens to a device in a thread of its own; what it heard comes by the mailbox.
  private func listen(to device: DeviceIdentity) {
    let mailbox = self.mailbox
    let scouting = self.scouting
    do throws(StartError) {
      _ = try Thread("obdgated-listen", isDetached: true) {
        let heard = try? Listener.listen(to: device.node, unless: scouting)
        mailbox.post(.heard(heard, device))
      }
    } catch {
      // One stranger less is no reason to end.
      say("\(device.node): \(error.description)")
    }
  }

  /// Asks BlueZ for paired devices, now and again.
  func searchBluetooth() throws(StartError) {
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
  /// As records name the device: a rate is no part of it.
  var deviceName: String {
    if case .serial(let path, _) = self { path } else { description }
  }
}

/// Carries a line into its thread.
private final class LineBox: @unchecked Sendable {
  private var line: AdapterLine

  init(_ line: consuming AdapterLine) { self.line = line }

  func run() { line.run() }
}
