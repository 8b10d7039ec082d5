import GatewayOutput
import Sinks

extension Daemon {
  /// Returns the configured adapters with the PINs from their files. If the file of an adapter is invalid, this is
  /// logged, and the adapter is left out: it must not be paired with another PIN.
  func adaptersWithPINs() -> [GatewayConfiguration.Adapter] {
    settings.configuration.adapters.compactMap { adapter in
      var adapter = adapter
      do throws(SinkError) {
        adapter.pin = try adapter.readPIN()
        return adapter
      } catch {
        Log.write("pinFile: \(error); its adapter is not paired", .warning)
        return nil
      }
    }
  }
}
