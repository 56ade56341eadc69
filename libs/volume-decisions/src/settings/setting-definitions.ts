import type { SettingDefinition, SettingKind } from './setting-definition.ts';
import { dangerZoneSettings } from './table/danger-zone.ts';
import { backupSettings, orphanSettings, snapshotSettings } from './table/data.ts';
import { generalSettings } from './table/general.ts';
import { schedulingSettings } from './table/scheduling.ts';
import { systemInfoSettings } from './table/system-info.ts';

const all = [
  ...generalSettings,
  ...backupSettings,
  ...snapshotSettings,
  ...orphanSettings,
  ...schedulingSettings,
  ...systemInfoSettings,
  ...dangerZoneSettings,
] as const;

/** Every known setting, with the names of Longhorn and its documentation. */
export const settingDefinitions: readonly SettingDefinition[] = all;

/** The names, of one kind or of all. */
export type SettingName<Kind extends SettingKind = SettingKind> = Extract<
  (typeof all)[number],
  SettingDefinition<string, Kind>
>['name'];

const byName: ReadonlyMap<string, SettingDefinition> = new Map(
  settingDefinitions.map((definition) => [definition.name, definition]),
);

/** Undefined for an unknown name, including old settings that became fields of a BackupTarget. */
export const definitionOf = (name: string): SettingDefinition | undefined => byName.get(name);

/** The default value of a setting as it is stored: JSON text if it has one value per engine. */
export function defaultValueOf({ default: value, engines }: SettingDefinition): string {
  return engines === undefined ? value : JSON.stringify(Object.fromEntries(engines.map((each) => [each, value])));
}

/** The warning for a client that changes a setting without effect. */
export function settingWarning({ name, because }: SettingDefinition): string | undefined {
  return because === undefined ? undefined : `${name} is kept and has no effect: ${because}`;
}
