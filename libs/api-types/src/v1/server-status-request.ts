import type { KubeObject } from '../meta/kube-object.ts';
import type { Timestamp } from '../meta/scalars.ts';
import { veleroType } from '../meta/velero-type.ts';

/** A request for the version of the server and the plugins that it has. `lateen version` creates it. */
export interface ServerStatusRequest extends KubeObject {
  spec: ServerStatusRequestSpec;
  status?: ServerStatusRequestStatus;
}

/** Has no fields: there is nothing to choose. */
export type ServerStatusRequestSpec = Record<string, never>;

export const serverStatusRequestPhases = ['New', 'Processed'] as const;
export type ServerStatusRequestPhase = (typeof serverStatusRequestPhases)[number];

/** The answer of the server. */
export interface ServerStatusRequestStatus {
  /** `New`: not answered yet. `Processed`: the other fields are set. */
  phase?: ServerStatusRequestPhase;
  /** When the server answered. The request is deleted about a minute later. */
  processedTimestamp?: Timestamp | null;
  /** Version of the server, such as `v1.0.0`. Clients compare it with their own. */
  serverVersion?: string;
  /** Plugins that the server has, the built-in ones included. */
  plugins?: PluginInfo[] | null;
}

/** A plugin of the server. */
export interface PluginInfo {
  /** Name of the plugin, such as `velero.io/aws`. */
  name: string;
  /**
   * Type of the plugin: `ObjectStore`, `VolumeSnapshotter`, `BackupItemAction`, `RestoreItemAction`, `DeleteItemAction`, `ItemBlockAction`,
   * or one of these followed by its version (`BackupItemActionV2`).
   */
  kind: string;
}

export const serverStatusRequestType = veleroType<ServerStatusRequest>(
  'v1',
  'ServerStatusRequest',
  'serverstatusrequests',
);
