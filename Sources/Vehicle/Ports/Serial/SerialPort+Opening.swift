import Failures
import Glibc

/// Errors that explain why a serial port could not be opened, and what to do.
extension SerialPort {
  static func notOpened(_ path: String, code: Int32) -> PortError {
    switch code {
    case ENOENT, ENOTDIR:
      PortError(.missing, path, code: code, "no such device; plug the adapter in, or list devices: obdgate scan")
    case ENXIO, ENODEV:
      PortError(.missing, path, code: code, "no hardware at this device; plug the adapter in")
    case EACCES, EPERM:
      PortError(.notPermitted, path, code: code, "no permission; \(remedy(path))")
    case EBUSY: busy(path, DeviceHolder.of(path))
    case EISDIR: PortError(.notSerial, path, code: code, "a folder; name a device such as /dev/ttyUSB0")
    case EIO: PortError(.gone, path, code: code, "gone: \(systemReason(code))")
    default: PortError(.system, path, code: code, systemReason(code))
    }
  }

  /// Returns the advice for a user without permission: usually, to become a member of the group that owns the device,
  /// such as `dialout`.
  private static func remedy(_ path: String) -> String {
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & 0o060 == 0o060,
      let group = unsafe getgrgid(status.st_gid)
    else { return "run as root, or give the user's group read and write permission" }
    let name = unsafe String(cString: group.pointee.gr_name)
    return "add the user to the group \(name): usermod -aG \(name) USER, then log in again"
  }

  /// Returns the error for a device that another process uses.
  ///
  /// - Parameters:
  ///   - path: device file.
  ///   - holder: the name of that process; `nil` if unknown.
  static func busy(_ path: String, _ holder: String?) -> PortError {
    guard let holder else {
      return PortError(
        .busy, path, code: EBUSY,
        "busy: claimed by another program, possibly one that was killed; stop it, or unplug the adapter and plug it in again"
      )
    }
    return PortError(.busy, path, code: EBUSY, "busy: used by \(holder); stop it, or use another device")
  }
}
