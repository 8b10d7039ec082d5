/// The codes of PID 51, which reports the fuel of a vehicle (SAE J1979-DA).
public enum FuelTypeCode {
  /// Whether a code means that the vehicle can drive while its engine is off.
  ///
  /// 08 stands for electric vehicles, 0F and 10 for bi-fuel vehicles with electricity, 11 to 16 and 1D for hybrid
  /// vehicles.
  public static func isElectrified(_ code: UInt8) -> Bool {
    switch code {
    case 0x08, 0x0F...0x16, 0x1D: true
    default: false
    }
  }
}
