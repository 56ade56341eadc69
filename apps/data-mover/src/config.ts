import { type PodConfig, readPodConfig } from '@lateen/process';

/** The settings from the environment; flags are separate (flags.ts). */
export interface MoverConfig extends PodConfig {
  /** `source.host` of the Events. */
  nodeName: string;
  /** UID of this pod, for its Events; undefined when it is not set (the downward API sets it in our pods). */
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
