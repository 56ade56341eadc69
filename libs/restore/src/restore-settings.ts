import { prioritiesDefault } from './order/priorities.ts';

/** The server's settings for restores; flags of the controller (performance.md section 1). Durations in Go's notation. */
export interface RestoreSettings {
  /** How many restores run at the same time. */
  concurrentRestores: number;
  /** How many objects of one restore are restored at the same time; 1 is the serial order. */
  parallel: number;
  /** Kinds in the order in which they are restored: first ones, `-`, last ones. */
  priorities: readonly string[];
  defaultItemOperationTimeout: string;
  resourceTimeout: string;
  terminatingResourceTimeout: string;
  /** Absent: the resource timeout. */
  additionalItemsReadyTimeout: string | undefined;
  /** The ConfigMap with the modifiers for restores that name none and do not opt out. */
  defaultResourceModifier: string | undefined;
  /** The ConfigMap with the owner reference rules for restores that name none. */
  ownerRefConfigMap: string | undefined;
}

/** Velero's defaults with two exceptions: more than one restore and more than one object at a time. */
export const restoreSettingsDefault: RestoreSettings = {
  concurrentRestores: 4,
  parallel: 64,
  priorities: prioritiesDefault,
  defaultItemOperationTimeout: '4h0m0s',
  resourceTimeout: '10m0s',
  terminatingResourceTimeout: '10m0s',
  additionalItemsReadyTimeout: undefined,
  defaultResourceModifier: undefined,
  ownerRefConfigMap: undefined,
};
