import { csi } from '@lateen/csi';
import type { ServiceHandlers } from '@lateen/grpc';
import { driverVersion } from '../driver-name.ts';

/**
 * CSI Identity. Ready as soon as it answers: recovery runs before the socket exists.
 * @param o `tellsBlocks`: the SnapshotMetadata service is served too; `isController: false`: nothing but that
 */
export const identityHandlers = (
  driverName: string,
  o: { readonly tellsBlocks: boolean; readonly isController?: boolean },
): ServiceHandlers<csi.IdentityServer> => ({
  getPluginInfo: async () => ({ name: driverName, vendorVersion: driverVersion, manifest: {} }),
  getPluginCapabilities: async () => ({
    capabilities: [
      ...(o.isController === false ? [] : ofControllers),
      ...(o.tellsBlocks ? [{ service: { type: csi.PluginCapability_Service_Type.SNAPSHOT_METADATA_SERVICE } }] : []),
    ],
  }),
  probe: async () => ({ ready: true }),
});

const ofControllers: readonly csi.PluginCapability[] = [
  { service: { type: csi.PluginCapability_Service_Type.CONTROLLER_SERVICE } },
  { service: { type: csi.PluginCapability_Service_Type.VOLUME_ACCESSIBILITY_CONSTRAINTS } },
  { volumeExpansion: { type: csi.PluginCapability_VolumeExpansion_Type.ONLINE } },
];
