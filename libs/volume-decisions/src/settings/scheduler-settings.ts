import type { AntiAffinitySettings } from '../scheduler/anti-affinity.ts';
import type { SchedulerSettings } from '../scheduler/place-request.ts';
import type { Settings } from './read-settings.ts';

/** The settings that the scheduler uses. */
export function schedulerSettingsOf(settings: Settings): SchedulerSettings & AntiAffinitySettings {
  return {
    overProvisioningPercentage: settings.number('storage-over-provisioning-percentage'),
    minimalAvailablePercentage: settings.number('storage-minimal-available-percentage'),
    disableSchedulingOnCordonedNode: settings.flag('disable-scheduling-on-cordoned-node'),
    allowEmptyNodeSelector: settings.flag('allow-empty-node-selector-volume'),
    allowEmptyDiskSelector: settings.flag('allow-empty-disk-selector-volume'),
    replicaSoftAntiAffinity: settings.flag('replica-soft-anti-affinity'),
    replicaZoneSoftAntiAffinity: settings.flag('replica-zone-soft-anti-affinity'),
    replicaDiskSoftAntiAffinity: settings.flag('replica-disk-soft-anti-affinity'),
  };
}
