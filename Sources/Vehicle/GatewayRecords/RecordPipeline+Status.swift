import Fusion
import GatewayLinks
import GatewayStatus
import Telemetry

extension RecordPipeline {
  /// Returns a snapshot of the pipeline's state.
  ///
  /// - Parameters:
  ///   - lines: for each adapter, its number in the pipeline and the numbers about its link's traffic.
  ///   - made: number of records that were made, for each type. The index is the raw value of the type.
  ///   - now: the current time, ns since boot.
  package func status(
    of lines: [(number: Int, counts: LinkFigures.Counts)], made: [UInt64], at now: Int64
  ) -> PipelineStatus {
    let adapters = lines.map { line in
      let source = sources[line.number]
      return AdapterStatus(
        device: source.device, name: source.name, standing: source.standing, identity: source.fusion.adapterIdentity,
        protocolName: source.protocolName, vehicleId: source.fusion.vehicle.id, vin: source.fusion.vehicle.vin,
        counts: line.counts)
    }
    let receivers = self.receivers.enumerated().filter { !$0.element.isClosed }.map { number, receiver in
      ReceiverStatus(
        device: receiver.device, identity: receiver.identity, standing: receiver.standing, fixes: receiver.fixes,
        unreadable: receiver.unreadable, lastFix: receiver.last?.time, fixType: receiver.last?.fix.type.name,
        satellites: receiver.last?.fix.satellites, hdop: receiver.last?.fix.hdop,
        isChosen: place.choice.position(at: now) == number)
    }
    return PipelineStatus(
      vehicleId: options.vehicleId ?? adapters.first?.vehicleId, wall: wallTime, epoch: options.epoch,
      adapters: adapters, receivers: receivers, made: made)
  }
}
