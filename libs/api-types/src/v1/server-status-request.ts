import type { KubeObject } from '../meta/kube-object.ts';
import type { Timestamp } from '../meta/scalars.ts';
import { veleroType } from '../meta/velero-type.ts';

/** Asks the server which version and plugins it runs. */
export interface ServerStatusRequest extends KubeObject {
  spec: ServerStatusRequestSpec;
  status?: ServerStatusRequestStatus;
}

/** Nothing can be asked for in particular. */
export type ServerStatusRequestSpec = Record<string, never>;

export const serverStatusRequestPhases = ['New', 'Processed'] as const;
export type ServerStatusRequestPhase = (typeof serverStatusRequestPhases)[number];

/** The answer. */
export interface ServerStatusRequestStatus {
  /** Processed when the answer is complete. */
  phase?: ServerStatusRequestPhase;
  /** When the server answered. */
  processedTimestamp?: Timestamp | null;
  /** Version of the server. */
  serverVersion?: string;
  /** Plugins the server knows. */
  plugins?: PluginInfo[] | null;
}

/** One plugin. */
export interface PluginInfo {
  /** Name of the plugin. */
  name: string;
  /** What the plugin does, for example ObjectStore or BackupItemAction. */
  kind: string;
}

export const serverStatusRequestType = veleroType<ServerStatusRequest>(
  'v1',
  'ServerStatusRequest',
  'serverstatusrequests',
);
