import { type Setting, settingType } from '@lateen/storage-types';
import { cronProblem } from '@lateen/volume-decisions';
import type { Room } from '../../frame/room.ts';
import type { RoomContext } from '../../frame/room-context.ts';
import { watchedByAll } from '../../frame/wakes.ts';
import { verdictFor } from '../../owner/ownership.ts';
import { decideSetting, type SettingEffect, type SettingSeen } from './decide-setting.ts';

const workers = 4;

/** The controller of Settings: it reports whether each setting is applied, and what is wrong with the stored value. */
export function settingRoom(context: RoomContext): Room<Setting, SettingSeen, SettingEffect> {
  const { caches } = context;
  const told = new Map<string, string>();
  return {
    name: 'setting',
    type: settingType,
    informer: caches.settings,
    ownership: (setting) => verdictFor(context, setting, ''),
    watches: [watchedByAll(caches.settings, caches.instanceManagers, isSyncedChange)],
    workers,
    gather: (setting) => ({
      setting,
      checks: { cronProblem },
      instanceManagers: caches.instanceManagers.list(),
      told: told.get(setting.metadata.name ?? ''),
    }),
    decide: decideSetting,
    apply: async ({ text }, { object }) => {
      told.set(object.metadata.name ?? '', text);
      return undefined;
    },
    forget: ({ name }) => void told.delete(name),
  };
}

const syncedOf = ({ status }: SettingSeen['instanceManagers'][number]): string =>
  status?.conditions?.find(({ type }) => type === 'SettingSynced')?.status ?? '';
const isSyncedChange = (
  before: SettingSeen['instanceManagers'][number],
  after: SettingSeen['instanceManagers'][number],
): boolean => syncedOf(before) !== syncedOf(after);
