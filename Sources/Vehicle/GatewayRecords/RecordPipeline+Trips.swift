import Fusion
import Telemetry

/// A trip in progress that no link continues now, because its link or the program has ended.
struct SuspendedTrip: Sendable {
  var memory: TripMemory
  /// Time until which the adapter must have returned to continue the trip, ns since boot.
  var deadline: Int64
}

/// Continues trips after links or the program have ended and started again, so that each trip is reported only once.
extension RecordPipeline {
  /// Continues the trips that were in progress at the end of the previous run.
  public mutating func resumeTrips(_ memories: [TripMemory], at time: Int64) {
    for memory in memories {
      // A trip that was detected without an adapter continues immediately. It does not wait for the return of an
      // adapter.
      if memory.adapter == own.name {
        own.fusion.resumeTrip(memory, bootId: options.bootId, at: time)
      } else {
        wait(memory, at: time)
      }
    }
  }

  /// Returns all trips in progress, in the form in which they are stored.
  public mutating func tripMemories(at time: Int64) -> [TripMemory] {
    // There is rarely more than one trip. If there is none, the empty array needs no memory.
    var memories: [TripMemory] = []
    for index in suspendedTrips.indices { memories.append(suspendedTrips[index].memory) }
    if let memory = memory(of: own, at: time) { memories.append(memory) }
    for index in sources.indices where !sources[index].isClosed {
      if let memory = memory(of: sources[index], at: time) { memories.append(memory) }
    }
    return memories
  }

  /// A number that increases each time the result of ``tripMemories(at:)`` must be stored without delay.
  public var tripChanges: Int {
    var count = own.fusion.tripChanges
    for index in sources.indices { count += sources[index].fusion.tripChanges }
    return count
  }

  private func memory(of source: RecordSource, at time: Int64) -> TripMemory? {
    guard var memory = source.fusion.tripMemory(bootId: options.bootId, at: time) else { return nil }
    memory.adapter = source.name
    return memory
  }

  private mutating func wait(_ memory: TripMemory, at time: Int64) {
    guard let trips = options.trips else { return }
    suspendedTrips.append(SuspendedTrip(memory: memory, deadline: time + trips.stopTime))
  }

  /// Suspends the trip of a link that has ended, because its adapter may return.
  mutating func suspendTrip(of source: RecordSource, at time: Int64) {
    guard options.trips?.endsWithSession == false, let memory = memory(of: source, at: time) else { return }
    wait(memory, at: time)
  }

  /// Continues the suspended trip of an adapter that has returned.
  mutating func resumeSuspendedTrip(to source: RecordSource, at time: Int64) {
    guard let place = suspendedTrips.firstIndex(where: { $0.memory.adapter == source.name }) else { return }
    source.fusion.resumeTrip(suspendedTrips.remove(at: place).memory, bootId: options.bootId, at: time)
  }

  /// Ends the suspended trips whose adapters did not return in time.
  mutating func endSuspendedTrips<Sink: RecordSink & ~Copyable>(at now: Int64, into sink: inout Sink) {
    for place in suspendedTrips.indices.reversed() where now >= suspendedTrips[place].deadline {
      let memory = suspendedTrips.remove(at: place).memory
      begin(own)
      own.fusion.endTrip(of: memory, bootId: options.bootId, at: now, into: &sink)
      end(own)
    }
  }
}
