import type { ServiceHandlers } from '@lateen/grpc';
import type { Logger } from '@lateen/kernel';
import type { RegistrationServer } from './generated/registration.ts';

export interface RegistrationInfo {
  driverName: string;
  /** The driver's socket as kubelet sees it on the host, without `unix://`. */
  endpointPath: string;
  /** Called with kubelet's reason when it refuses the driver. Kubelet tries again when the socket is re-made. */
  onRefused: (reason: string) => void;
  log: Logger;
}

/**
 * Kubelet's plugin registration (k8s.io/kubelet pluginregistration v1), so that no node-driver-registrar is needed:
 * kubelet watches its registry directory, asks GetInfo on each new socket, calls the driver's endpoint and reports back.
 */
export function registrationHandlers(info: RegistrationInfo): ServiceHandlers<RegistrationServer> {
  return {
    getInfo: async () => ({
      type: 'CSIPlugin',
      name: info.driverName,
      endpoint: info.endpointPath,
      // The versions of CSI, not of the driver (kubelet compares them with 1.x).
      supportedVersions: ['1.0.0'],
    }),
    notifyRegistrationStatus: async (status) => {
      if (status.pluginRegistered) info.log.info({ driver: info.driverName }, 'kubelet registered the driver');
      else {
        info.log.error({ driver: info.driverName, reason: status.error }, 'kubelet refused the driver');
        info.onRefused(status.error);
      }
      return {};
    },
  };
}
