import type { SettingOverride } from '@lateen/storage-types';

/** `hard`: never two replicas of a volume in one; `soft`: only when there is no other. */
export type Soft = 'hard' | 'soft';

export interface AntiAffinityPolicies {
  readonly zone: Soft;
  readonly node: Soft;
  readonly disk: Soft;
}

/** The fields of a volume, "ignored" (take the setting), "enabled" (soft) or "disabled" (hard). */
export interface AntiAffinityOfVolume {
  readonly replicaSoftAntiAffinity?: SettingOverride | undefined;
  readonly replicaZoneSoftAntiAffinity?: SettingOverride | undefined;
  readonly replicaDiskSoftAntiAffinity?: SettingOverride | undefined;
}

/** The settings of the same names: true is soft. */
export interface AntiAffinitySettings {
  readonly replicaSoftAntiAffinity: boolean;
  readonly replicaZoneSoftAntiAffinity: boolean;
  readonly replicaDiskSoftAntiAffinity: boolean;
}

export function antiAffinityOf(volume: AntiAffinityOfVolume, settings: AntiAffinitySettings): AntiAffinityPolicies {
  return {
    zone: soft(volume.replicaZoneSoftAntiAffinity, settings.replicaZoneSoftAntiAffinity),
    node: soft(volume.replicaSoftAntiAffinity, settings.replicaSoftAntiAffinity),
    disk: soft(volume.replicaDiskSoftAntiAffinity, settings.replicaDiskSoftAntiAffinity),
  };
}

function soft(own: SettingOverride | undefined, setting: boolean): Soft {
  if (own === 'enabled') return 'soft';
  if (own === 'disabled') return 'hard';
  return setting ? 'soft' : 'hard';
}
