import { AppError } from '@lateen/errors';
import type { ResourceType, Unstructured } from '@lateen/kube';
import { isAlreadyExists, listAll, listIfServed, readObject } from '@lateen/kube';
import { longhornGroup, longhornVersion, type Setting, settingType, volumeType } from '@lateen/storage-types';
import {
  checkSettingInCluster,
  cronProblem,
  defaultValueOf,
  definitionOf,
  type SettingDefinition,
  settingDefinitions,
  settingWarning,
  validateSetting,
} from '@lateen/volume-decisions';
import { changeObject, type StoragePlace, unlessRefused } from './change-object.ts';
import { settingNoun } from './storage-nouns.ts';

/** A setting with its effective value. */
export interface SettingRow {
  readonly definition: SettingDefinition;
  readonly value: string;
  /** Whether the Setting object exists, created by a user or the manager. */
  readonly stored: boolean;
  readonly applied: boolean;
}

/** All known settings, with defaults for those that are not stored; stored settings of unknown names have no effect and are left out. */
export async function listSettings({ kube, namespace, signal }: StoragePlace): Promise<SettingRow[]> {
  const { items } = await listAll(kube, settingType, { namespace, signal });
  const stored = new Map(items.map((each) => [each.metadata.name, each]));
  return settingDefinitions
    .map((definition): SettingRow => {
      const found = stored.get(definition.name);
      const value = found?.value ?? defaultValueOf(definition);
      return { definition, value, stored: found !== undefined, applied: found?.status?.applied ?? true };
    })
    .toSorted((a, b) => (a.definition.name < b.definition.name ? -1 : 1));
}

const priorityClassType: ResourceType<Unstructured> = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  resource: 'priorityclasses',
  kind: 'PriorityClass',
  namespaced: false,
};

/**
 * Stores a setting. @returns what is stored, whether it was different, and a warning when nothing uses the setting
 * @throws AppError STORAGE_REFUSED in the words of the API
 */
export async function setSetting(place: StoragePlace, name: string, text: string) {
  const verdict = validateSetting(name, text, { cronProblem });
  if ('refused' in verdict) throw new AppError('STORAGE_REFUSED', verdict.refused);
  const { value } = verdict;
  await checkInCluster(place, name, value);
  const definition = definitionOf(name);
  const warning = definition === undefined ? undefined : settingWarning(definition);
  const changed = (await create(place, name, value)) || (await update(place, name, value));
  return { value, changed, warning };
}

async function checkInCluster({ kube, namespace, signal }: StoragePlace, name: string, value: string): Promise<void> {
  const [classes, volumes] = await Promise.all([
    name === 'priority-class' && value !== '' ? listIfServed(kube, priorityClassType, { signal }) : [],
    listAll(kube, volumeType, { namespace, signal }),
  ]);
  const attached = volumes.items.filter(({ status }) => status?.state === 'attached');
  const count = (engine: 'v1' | 'v2') => attached.filter(({ spec }) => (spec.dataEngine ?? 'v1') === engine).length;
  const priorityClasses = new Set(classes.map(({ metadata }) => metadata.name ?? ''));
  unlessRefused(
    checkSettingInCluster({ name, value, priorityClasses, attached: { v1: count('v1'), v2: count('v2') } }),
  );
}

/** Returns false when the setting exists already. */
async function create({ kube, namespace, signal }: StoragePlace, name: string, value: string): Promise<boolean> {
  if ((await readObject(kube, settingType, { namespace, name }, signal)) !== undefined) return false;
  const apiVersion = `${longhornGroup}/${longhornVersion}`;
  const object: Setting = { apiVersion, kind: settingType.kind, metadata: { name, namespace }, value };
  try {
    await kube.create(settingType, object, { signal });
    return true;
  } catch (error) {
    if (isAlreadyExists(error)) return false;
    throw error;
  }
}

async function update(place: StoragePlace, name: string, value: string): Promise<boolean> {
  const { changed } = await changeObject(place, settingNoun, name, (setting) =>
    setting.value === value ? undefined : { ...setting, value },
  );
  return changed;
}
