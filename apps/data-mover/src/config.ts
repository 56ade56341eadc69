import { type PodConfig, readPodConfig } from '@lateen/process';

/** What the environment says; flags are apart (flags.ts). */
export interface MoverConfig extends PodConfig {
  /** `source.host` of the Events. */
  nodeName: string;
  /** UID of this pod, which its Events name; undefined where nobody says (the downward API does, in our pods). */
  podUid: string | undefined;
}

/** @throws CONFIG_INVALID naming the variable */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): MoverConfig {
  return {
    ...readPodConfig(environment, 'the node-agent DaemonSet'),
    nodeName: environment.NODE_NAME ?? '',
    podUid: environment.LATEEN_POD_UID || undefined,
  };
}
