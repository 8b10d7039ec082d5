/// The codes of PID 51, which reports the fuel of a vehicle (SAE J1979-DA).
public enum FuelTypeCode {
  /// The codes of vehicles that may drive with their engine off.
  ///
  /// 08 stands for electric vehicles, 0F and 10 for bi-fuel vehicles with electricity, 11 to 16 and 1D for hybrid
  /// vehicles.
  private static let electrified: [UInt8] = [0x08, 0x0F, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x1D]

  /// Whether a code means that the vehicle may drive with its engine off.
  public static func isElectrified(_ code: UInt8) -> Bool { electrified.contains(code) }
}
