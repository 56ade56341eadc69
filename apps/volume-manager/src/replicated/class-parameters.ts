import { volumeError } from '@lateen/volume';

/** Keys that the provisioner adds for information, and its own `csi.storage.k8s.io/fstype`. */
const provisionerPrefix = 'csi.storage.k8s.io/';
/** Read from the volume's context when the volume is mounted. */
const nodeParameters: readonly string[] = ['mkfsParams', 'nfsOptions', 'fsType'];

/** Splits a StorageClass's parameters: those of the volume, and the context that the nodes get (all parameters, as in Longhorn). */
export function splitParameters(parameters: Readonly<Record<string, string>>): {
  engine: Record<string, string>;
  context: Record<string, string>;
} {
  const context = Object.fromEntries(Object.entries(parameters).filter(([key]) => !key.startsWith(provisionerPrefix)));
  if (context.strictTopology === 'true') {
    throw volumeError('INVALID_ARGUMENT', 'strictTopology is not supported by this volume manager', {
      nextStep: 'Leave it out; nodeSelector says where replicas may be.',
    });
  }
  const engine = Object.fromEntries(Object.entries(context).filter(([key]) => !nodeParameters.includes(key)));
  return { engine, context };
}
