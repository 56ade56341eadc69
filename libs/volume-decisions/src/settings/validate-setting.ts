import { parseBoolean } from '@lateen/kernel';
import type { SettingDefinition } from './setting-definition.ts';
import { definitionOf } from './setting-definitions.ts';
import { settingSyntax } from './setting-syntax.ts';

export interface SettingChecks {
  /** What is wrong with a cron expression; the caller supplies the parser. */
  cronProblem?(expression: string): string | undefined;
}

/** `value`: the value to store. `refused`: the message that clients of the API expect. */
export type SettingVerdict = { readonly value: string } | { readonly refused: string };

/**
 * The value to store when a client sets `name` to `text`, or why it is refused. Surrounding white space is removed. For a setting with one value per
 * data engine, JSON text sets the named engines, and plain text sets all; engines for which the setting has no value are left out.
 */
export function validateSetting(name: string, text: string, checks: SettingChecks = {}): SettingVerdict {
  const definition = definitionOf(name);
  if (definition === undefined) return { refused: notSupported(name) };
  if (definition.readOnly) return { refused: `setting ${name} is read-only` };
  const value = text.trim();
  const values = valuesByEngine(definition, value);
  const problem =
    values === undefined
      ? `it is not a JSON object of strings by data engine`
      : Object.values(values)
          .map((each) => valueProblem(definition, each, checks))
          .find((found) => found !== undefined);
  if (values === undefined || problem !== undefined) {
    const invalid = `value ${value} of settings ${name} is invalid: ${problem}`;
    return { refused: `failed to validate setting ${name} with invalid value ${value}: ${invalid}` };
  }
  return { value: definition.engines === undefined ? value : JSON.stringify(values) };
}

export const notSupported = (name: string): string => `setting ${name} is not supported`;

/** The value of each engine; a value for all engines is under "". Undefined when it is JSON, but not strings by engine. */
export function valuesByEngine({ engines }: SettingDefinition, value: string): Record<string, string> | undefined {
  if (engines === undefined) return { '': value };
  if (!value.startsWith('{')) return Object.fromEntries(engines.map((engine) => [engine, value]));
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    return undefined;
  }
  const given = new Map(Object.entries(parsed as Record<string, unknown>));
  const kept = engines.filter((engine) => given.has(engine)).map((engine) => [engine, given.get(engine)] as const);
  if (kept.length === 0 || kept.some(([, each]) => typeof each === 'object')) return undefined;
  return Object.fromEntries(kept.map(([engine, each]) => [engine, String(each).trim()]));
}

/** What is wrong with one value of a setting; undefined when nothing is. */
export function valueProblem(
  definition: SettingDefinition,
  value: string,
  checks: SettingChecks = {},
): string | undefined {
  const { name, kind, options } = definition;
  if (kind === 'bool' && parseBoolean(value) === undefined) return `${value} is not true or false`;
  if (options !== undefined && !options.includes(value)) return `${value} is not one of ${options.join(', ')}`;
  if (kind === 'int' && !/^-?\d{1,15}$/.test(value)) return `${value} is not a whole number`;
  if (kind === 'float' && !/^-?\d{1,15}(\.\d+)?$/.test(value)) return `${value} is not a number`;
  if (kind === 'int' || kind === 'float') return rangeProblem(definition, Number(value));
  if (name === 'snapshot-data-integrity-cronjob') {
    const cron = checks.cronProblem?.(value);
    return cron === undefined ? undefined : `invalid cron format(${value}): ${cron}`;
  }
  return settingSyntax[name]?.(value);
}

function rangeProblem({ minimum, maximum }: SettingDefinition, value: number): string | undefined {
  if (minimum !== undefined && value < minimum) return `value ${value} should be greater than or equal to ${minimum}`;
  if (maximum !== undefined && value > maximum) return `value ${value} should be less than or equal to ${maximum}`;
  return undefined;
}
