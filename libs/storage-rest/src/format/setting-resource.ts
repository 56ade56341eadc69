import type { Setting } from '@lateen/storage-types';
import { defaultValueOf, definitionOf, type SettingDefinition, settingDefinitions } from '@lateen/volume-decisions';
import { type JsonFields, type Resource, resource } from '../envelope/resource.ts';
import { given, nameOf } from './given.ts';

/** One setting; with the default value if it was not set. Undefined for a name that is not known. */
export function settingResource(name: string, stored: Setting | undefined, base: string): Resource | undefined {
  const definition = definitionOf(name);
  if (definition === undefined) return undefined;
  const fields = {
    name,
    value: stored?.value ?? defaultValueOf(definition),
    applied: stored?.status?.applied ?? stored === undefined,
    definition: definitionFields(definition),
  };
  return resource({ type: 'setting', id: name, fields }, base);
}

/** All settings that are known; stored ones of other names stay hidden. */
export function settingResources(stored: readonly Setting[], base: string): Resource[] {
  const byName = new Map(stored.map((setting) => [nameOf(setting), setting]));
  return settingDefinitions
    .map(({ name }) => settingResource(name, byName.get(name), base))
    .filter((one) => one !== undefined);
}

function definitionFields(definition: SettingDefinition): JsonFields {
  const { name, kind, category, about, because, readOnly, options, minimum, maximum, engines } = definition;
  const range = bounds({ minimum, maximum });
  return {
    displayName: displayName(name),
    description: because === undefined ? about : `${about} It is kept and has no effect: ${because}.`,
    category,
    type: kind,
    required: kind !== 'string' || definition.default !== '',
    readOnly,
    default: defaultValueOf(definition),
    ...given({ options, [kind === 'float' ? 'floatRange' : 'range']: range }),
    ...(engines === undefined ? {} : { dataEngineSpecific: true }),
  };
}

/** Unlike `given`, keeps 0: a range may begin there. */
const bounds = (numbers: Readonly<Record<string, number | undefined>>): Record<string, number> =>
  Object.fromEntries(Object.entries(numbers).filter((entry): entry is [string, number] => entry[1] !== undefined));

const displayName = (name: string): string =>
  name
    .split('-')
    .map((word) => `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`)
    .join(' ');
