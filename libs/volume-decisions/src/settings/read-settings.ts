import { parseBoolean } from '@lateen/kernel';
import type { DataEngine, Setting } from '@lateen/storage-types';
import type { SettingDefinition } from './setting-definition.ts';
import { definitionOf, type SettingName, settingDefinitions } from './setting-definitions.ts';
import { notSupported, type SettingChecks, valueProblem, valuesByEngine } from './validate-setting.ts';

/** All settings as controllers read them: each has a valid value, or its default when it is not set. */
export interface Settings {
  flag(name: SettingName<'bool'>, engine?: DataEngine): boolean;
  number(name: SettingName<'int' | 'float'>, engine?: DataEngine): number;
  text(name: SettingName<'string'>, engine?: DataEngine): string;
}

/** A problem of a stored setting that an Event should report. */
export interface SettingProblem {
  readonly name: string;
  readonly reason: 'Unknown' | 'Invalid';
  readonly message: string;
}

/**
 * Reads the stored settings. Settings with unknown names are kept and reported, because a later version may know them; an invalid value is reported,
 * and the default is used instead.
 */
export function readSettings(
  stored: readonly Setting[],
  checks: SettingChecks = {},
): { settings: Settings; problems: readonly SettingProblem[] } {
  const values = new Map<string, ReadonlyMap<string, string>>();
  const problems: SettingProblem[] = [];
  for (const { metadata, value } of stored) {
    const name = metadata.name ?? '';
    const definition = definitionOf(name);
    if (definition === undefined) problems.push({ name, reason: 'Unknown', message: notSupported(name) });
    else values.set(name, usable(definition, value, checks, problems));
  }
  const textOf = (name: string, engine: DataEngine): string => {
    const definition = definitionOf(name) as SettingDefinition;
    const key = definition.engines === undefined ? '' : engine;
    return values.get(name)?.get(key) ?? definition.default;
  };
  return {
    settings: {
      flag: (name, engine = 'v1') => parseBoolean(textOf(name, engine)) ?? false,
      number: (name, engine = 'v1') => Number(textOf(name, engine)),
      text: (name, engine = 'v1') => textOf(name, engine),
    },
    problems,
  };
}

/** All settings with their default values. */
export const defaultSettings: Settings = readSettings([]).settings;

function usable(
  definition: SettingDefinition,
  value: string,
  checks: SettingChecks,
  problems: SettingProblem[],
): ReadonlyMap<string, string> {
  const { name } = definition;
  const invalid = (problem: string): void => {
    const message = `value ${value} of settings ${name} is invalid: ${problem}; the default is used: ${definition.default}`;
    problems.push({ name, reason: 'Invalid', message });
  };
  const values = valuesByEngine(definition, value.trim());
  if (values === undefined) invalid('it is not a JSON object of strings by data engine');
  const good = Object.entries(values ?? {}).filter(([, each]) => {
    const problem = valueProblem(definition, each, checks);
    if (problem !== undefined) invalid(problem);
    return problem === undefined;
  });
  return new Map(good);
}

/** Settings of the table that have no object yet, as the manager makes them. */
export function missingSettings(stored: readonly Setting[]): readonly SettingDefinition[] {
  const there = new Set(stored.map(({ metadata }) => metadata.name));
  return settingDefinitions.filter(({ name }) => !there.has(name));
}
