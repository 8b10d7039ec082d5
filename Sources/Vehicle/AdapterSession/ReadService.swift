/// The services of SAE J1979 and ISO 14229-1 that only read.
///
/// No case exists for a service that writes, clears, controls or opens a session, so such a request cannot be created:
/// a ``Command`` for the vehicle needs a ``ReadRequest``, which needs a case of this type. The only exception, service
/// 04, is sent in a separate way (``ClearPermission``).
public enum ReadService: UInt8, BitwiseCopyable, Sendable, CaseIterable {
  /// Current data (J1979, 6.1).
  case currentData = 0x01
  /// Freeze frame data (J1979, 6.2).
  case freezeFrame = 0x02
  /// Confirmed emission-related trouble codes (J1979, 6.3).
  case storedCodes = 0x03
  /// Results of oxygen sensor tests (J1979, 6.5), on buses older than CAN. On CAN, service 06 has these results.
  case oxygenSensorTests = 0x05
  /// Results of on-board monitoring tests (J1979, 6.6).
  case monitoringTests = 0x06
  /// Trouble codes that were detected in this driving cycle or the last one (J1979, 6.7).
  case pendingCodes = 0x07
  /// Vehicle information: VIN, calibrations, ECU names (J1979, 6.9).
  case vehicleInformation = 0x09
  /// Permanent trouble codes (J1979, 6.10).
  case permanentCodes = 0x0A
  /// readDTCInformation (ISO 14229-1, 11.3).
  case readDTCInformation = 0x19
  /// readDataByLocalIdentifier (ISO 14230-3).
  case localIdentifier = 0x21
  /// readDataByIdentifier (ISO 14229-1, 10.2).
  case dataIdentifier = 0x22
}
