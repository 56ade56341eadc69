import type { Clock, Logger } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import type { PluginConfig } from '../context/plugin-config.ts';

/** What every function of a plugin is given beside its input. */
export interface ActionContext {
  /** `example.io/wait-for-webapp`: as the plugin lists it. */
  readonly name: string;
  /** Its lines go into the log of the backup or restore, with their level and `name`; those at warn and error are counted there. */
  readonly log: Logger;
  /** Aborts when the caller does not wait any more, or the program is asked to end. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** The Kubernetes API, as the service account of the server. Each call rejects with `KUBE_NOT_IN_CLUSTER` outside of a pod. */
  readonly kube: KubeApi;
  /** Namespace of the server: its ConfigMaps and Secrets, and the Backups and Restores, are there. */
  readonly namespace: string;
  /**
   * What users tell this action: the ConfigMap of the server's namespace that carries the labels `velero.io/plugin-config` and
   * `<name>=<kind>` (api.md section 17.6), read once per backup or restore. Empty when there is none.
   * @throws PLUGIN_CONFIG_AMBIGUOUS when several carry them
   */
  config(): Promise<PluginConfig>;
}
