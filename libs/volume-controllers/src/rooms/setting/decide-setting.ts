import type { InstanceManager, Setting, SettingStatus } from '@lateen/storage-types';
import { type Decision, readSettings, type SettingChecks } from '@lateen/volume-decisions';

export interface SettingSeen {
  readonly setting: Setting;
  readonly checks: SettingChecks;
  /** All of the cluster. */
  readonly instanceManagers: readonly InstanceManager[];
  /** The problem of this value that was reported before. */
  readonly told: string | undefined;
}

export type SettingEffect = { readonly do: 'note-told'; readonly text: string };

/** Settings that instance manager pods are made from: they are applied when every such pod is made from them. */
const ofPods: ReadonlySet<string> = new Set([
  'default-data-path',
  'default-instance-manager-image',
  'guaranteed-instance-manager-cpu',
  'priority-class',
  'registry-secret',
  'system-managed-components-node-selector',
  'system-managed-pods-image-pull-policy',
  'taint-toleration',
]);

/** Whether a setting is applied. A setting with an unknown name or an invalid value is kept and reported: its default is used instead. */
export function decideSetting(seen: SettingSeen): Decision<SettingStatus, SettingEffect> {
  const { setting, checks, instanceManagers, told } = seen;
  const name = setting.metadata.name ?? '';
  const { problems } = readSettings([setting], checks);
  const text = problems.map(({ message }) => message).join('; ');
  const waitsForPods = ofPods.has(name) && instanceManagers.some((each) => !isSynced(each));
  const isNew = text !== '' && text !== told;
  return {
    status: { applied: problems.length === 0 && !waitsForPods },
    effects: text === (told ?? '') ? [] : [{ do: 'note-told', text }],
    events: isNew
      ? problems.map(({ reason, message }) => ({ type: 'Warning', reason: `Setting${reason}`, message }))
      : [],
    ...(waitsForPods ? { waitsFor: 'the pods of instance managers to be made from it' } : {}),
  };
}

const isSynced = ({ status }: InstanceManager): boolean =>
  status?.conditions?.find(({ type }) => type === 'SettingSynced')?.status === 'True';
