import { volumeError } from '@lateen/volume';

/** Keys that the provisioner adds for information, and its own `csi.storage.k8s.io/fstype`. */
const provisionerPrefix = 'csi.storage.k8s.io/';
/** Read where a volume is mounted, from its context. */
const nodeParameters: readonly string[] = ['mkfsParams', 'nfsOptions', 'fsType'];

/** Parameters of a StorageClass: those of the volume, and the context that goes with it to the nodes (all of them, as Longhorn does). */
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
