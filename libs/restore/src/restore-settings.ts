import { prioritiesDefault } from './order/priorities.ts';

/** What the server can be told about restores; flags of the controller (performance.md section 1). Durations as Go writes them. */
export interface RestoreSettings {
  /** Restores that run at the same time. */
  concurrentRestores: number;
  /** Objects of one restore under way at the same time, at most; 1 is the serial order. */
  parallel: number;
  /** Kinds in the order in which they are restored: first ones, `-`, last ones. */
  priorities: readonly string[];
  defaultItemOperationTimeout: string;
  resourceTimeout: string;
  terminatingResourceTimeout: string;
  /** Absent: the resource timeout. */
  additionalItemsReadyTimeout: string | undefined;
  /** ConfigMap whose modifiers hold for restores that name none and do not refuse it. */
  defaultResourceModifier: string | undefined;
  /** ConfigMap about owner references for restores that name none. */
  ownerRefConfigMap: string | undefined;
}

/** As Velero has them, but for two: more than one restore and more than one object at a time. */
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
