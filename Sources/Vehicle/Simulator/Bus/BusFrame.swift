/// A frame at its end on the bus.
struct BusFrame: Equatable {
  /// Time at which its last bit has passed.
  var time: Duration
  /// CAN identifier, or the source byte on other buses.
  var sender: UInt32
  /// The data field on CAN; on other buses the whole frame with header and checksum.
  var bytes: [UInt8]
}

/// A request on the bus.
struct BusRequest {
  /// CAN identifier, or the three header bytes of other buses in the low 24 bits.
  var header: UInt32
  /// Address byte before the data (`ATCEA`); `nil` if there is none.
  var extendedAddress: UInt8?
  /// Payload, beginning with the service byte.
  var payload: [UInt8]
}
