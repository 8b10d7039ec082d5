/// One frame as it ends on the bus.
struct BusFrame: Equatable {
  /// When its last bit has passed.
  var time: Duration
  /// CAN identifier, or the source byte of the other buses.
  var sender: UInt32
  /// CAN: the data field. Else the whole frame, header and check included.
  var bytes: [UInt8]
}

/// A question as it stands on the bus.
struct BusRequest {
  /// CAN identifier, or the three header bytes of the other buses in the low 24 bits.
  var header: UInt32
  /// First data byte where the adapter adds one (`ATCEA`).
  var extendedAddress: UInt8?
  /// Service byte first.
  var payload: [UInt8]
}
