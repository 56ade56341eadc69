import type { KubeObject } from '@lateen/api-types';
import { longhornType } from '../meta/longhorn-type.ts';

/** A setting of the volume manager. The name of the object is the name of the setting, such as `default-replica-count`. */
export interface Setting extends KubeObject {
  /**
   * Value of the setting, as text. A setting that exists for each data engine has JSON, such as `{"v1":"3","v2":"3"}`. `lateen storage
   * setting list` shows all settings and their defaults.
   */
  value: string;
  status?: SettingStatus;
}

/** Whether the setting has taken effect. */
export interface SettingStatus {
  /** Whether the value has taken effect in all components. */
  applied: boolean;
}

export const settingType = longhornType<Setting>('Setting', 'settings');
