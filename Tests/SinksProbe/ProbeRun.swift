import Glibc
import Ports
import Sinks
import Spool
import Telemetry

/// Runs a sink's thread.
final class ProbeThread {
  private let body: () -> Void
  private var thread = pthread_t()

  init(_ body: sending @escaping () -> Void) {
    self.body = body
    let box = unsafe Unmanaged.passRetained(self).toOpaque()
    _ = unsafe pthread_create(
      &thread, nil,
      { argument in
        unsafe Unmanaged<ProbeThread>.fromOpaque(argument!).takeRetainedValue().body()
        return nil
      }, box)
  }
}

/// Starts the thread of a configured sink.
func start(_ configuration: SinkConfiguration, _ slot: SinkSlot, folder: String) {
  _ = ProbeThread {
    switch configuration {
    case .stdout: slot.run(StdoutSink())
    case .file(let file): slot.run(FileSink(file))
    case .fleetStore(let store):
      slot.run(FleetStoreSink(store, FleetStoreSink.GatewayFacts(version: "0", stateDirectory: folder)))
    case .mqtt(let broker):
      slot.run(
        MQTTSink(broker, MQTTSink.GatewayFacts(gatewayId: "gw-17", statusId: "VAN-001", stateDirectory: folder)))
    }
  }
}

/// The work of the spool's thread, as ``Sinks/SinkSlot`` describes it.
struct ProbeRun: ~Copyable {
  private let folder: String
  private let configurations: [SinkConfiguration]
  private let count: Int
  private var spool: Spool
  private var slots: [SinkSlot] = []
  private var batchTimers: [BatchTimer] = []
  private let wakeUp: WakeUp

  init(_ folder: String, configurations: [SinkConfiguration], count: Int) {
    self.folder = folder
    self.count = count
    self.configurations = configurations
    var random = SystemRandomNumberGenerator()
    let seed = (random.next(), random.next())
    var options = SpoolOptions(folder: folder, sinks: configurations.map(\.name)) {
      UUIDv7(milliseconds: UInt64(BootClock.now / 1_000_000), first: seed.0 as UInt64, rest: seed.1 as UInt64)
    }
    options.commitInterval = 200_000_000
    spool = Spool(options, bootId: "boot", at: BootClock.now)
    do throws(PortError) {
      wakeUp = try WakeUp()
      for configuration in configurations {
        slots.append(try SinkSlot(reportsTo: wakeUp))
        batchTimers.append(BatchTimer(configuration.batchPolicy))
      }
    } catch {
      printLine("\(error)")
      exit(71)
    }
  }

  mutating func run() {
    let started = BootClock.now
    for (configuration, slot) in zip(configurations, slots) { start(configuration, slot, folder: folder) }
    var maker = Maker()
    var made = 0
    var isSettled = false
    while !isSettled {
      let now = BootClock.now
      for _ in 0..<min(500, count - made) {
        made += 1
        let line = made % 100 == 0 ? maker.event(made, at: now) : maker.telemetry(made, at: now)
        do throws(RecordFormError) { try spool.append(line.span, at: now) } catch { printLine("\(error)") }
      }
      spool.advance(to: now)
      for index in slots.indices { serve(index, now) }
      let depth = spool.depth
      isSettled = made == count && depth.file == 0 && depth.memory == 0
      if !isSettled, made == count { wait(now) }
    }
    spool.close(at: BootClock.now)
    printLine("all \((BootClock.now - started) / 1_000_000) ms, \(residentMemory()) KiB")
  }

  private mutating func wait(_ now: Int64) {
    let due = batchTimers.indices.filter { slots[$0].takesBatch }.map { batchTimers[$0].due }.min() ?? .max
    if wakeUp.wait(until: min(due, spool.nextDue, now + 1_000_000_000)) { wakeUp.clear() }
  }

  private mutating func serve(_ index: Int, _ now: Int64) {
    while let report = slots[index].popReport() {
      if let batch = report.batch {
        let delivery = report.delivery
        spool.complete(batch, acknowledged: delivery.acknowledged, sentNothing: delivery.sentNothing, by: index)
      }
      batchTimers[index].batchFinished(report.delivery, of: report.batch?.records.count ?? 0)
      for events in report.delivery.events { printLine("events \(configurations[index].name): \(events)") }
    }
    batchTimers[index].recordsArrived(spool.arrived, at: now)
    guard slots[index].takesBatch, batchTimers[index].due <= now else { return }
    var batch = RecordBatch()
    let limit = configurations[index].limit
    spool.nextBatch(for: index, limit: limit, at: now, into: &batch)
    batchTimers[index].batchFilled(batch, limit)
    if !batch.isEmpty { slots[index].offer(&batch) }
  }
}
