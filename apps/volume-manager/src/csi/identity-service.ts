import { csi } from '@lateen/csi';
import type { ServiceHandlers } from '@lateen/grpc';
import { driverVersion } from '../driver-name.ts';

/** CSI Identity. Ready as soon as it answers: recovery runs before the socket exists. */
export const identityHandlers = (driverName: string): ServiceHandlers<csi.IdentityServer> => ({
  getPluginInfo: async () => ({ name: driverName, vendorVersion: driverVersion, manifest: {} }),
  getPluginCapabilities: async () => ({
    capabilities: [
      { service: { type: csi.PluginCapability_Service_Type.CONTROLLER_SERVICE } },
      { service: { type: csi.PluginCapability_Service_Type.VOLUME_ACCESSIBILITY_CONSTRAINTS } },
      { volumeExpansion: { type: csi.PluginCapability_VolumeExpansion_Type.ONLINE } },
    ],
  }),
  probe: async () => ({ ready: true }),
});
