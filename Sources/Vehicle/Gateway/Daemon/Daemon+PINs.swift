import GatewayOutput
import Sinks

extension Daemon {
  /// Returns the configured adapters with the PINs from their PIN files. An adapter whose file is invalid is logged and
  /// left out, so that it is not paired with another PIN.
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
