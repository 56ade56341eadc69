import { join } from 'node:path';
import { AppError } from '@lateen/errors';

/** What the environment says; flags are apart (flags.ts). */
export interface MoverConfig {
  /** Where the custom resource lives. */
  namespace: string;
  /** `source.host` of the Events. */
  nodeName: string;
  /** UID of this pod, which its Events name; undefined where nobody says (the downward API does, in our pods). */
  podUid: string | undefined;
  /** Private files and, unless told otherwise, the cache go below it. */
  scratchDirectory: string;
  terminationLogPath: string;
  engineBinary: string;
  resticBinary: string;
  environment: Readonly<Record<string, string | undefined>>;
}

/** @throws CONFIG_INVALID naming the variable */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): MoverConfig {
  const namespace = environment.VELERO_NAMESPACE;
  if (!namespace) {
    throw new AppError('CONFIG_INVALID', 'the environment variable VELERO_NAMESPACE is not set', {
      nextStep: 'The pod inherits it from the node-agent DaemonSet; set it there.',
    });
  }
  return {
    namespace,
    nodeName: environment.NODE_NAME ?? '',
    podUid: environment.LATEEN_POD_UID || undefined,
    scratchDirectory: environment.VELERO_SCRATCH_DIR || join(environment.HOME || '/tmp', '.lateen'),
    terminationLogPath: environment.LATEEN_TERMINATION_LOG || '/dev/termination-log',
    engineBinary: environment.LATEEN_KOPIA || 'kopia',
    resticBinary: environment.LATEEN_RESTIC || 'restic',
    environment,
  };
}
