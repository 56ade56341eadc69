import type { KubeObject } from '@lateen/api-types';
import { longhornType } from '../meta/longhorn-type.ts';

/** One setting of the volume manager; the object's name is the setting's. */
export interface Setting extends KubeObject {
  /** Value of the setting; JSON keyed v1 and v2 where the setting is one per data path. */
  value: string;
  status?: SettingStatus;
}

/** Whether a setting is in force. */
export interface SettingStatus {
  /** Whether the value is in force everywhere. */
  applied: boolean;
}

export const settingType = longhornType<Setting>('Setting', 'settings');
