import { type LogFields, redacted } from '@lateen/kernel';
import { loggableError } from './loggable-error.ts';

/** Bounds of one log line's fields; what is beyond is left out with a mark. */
export const loggableLimits = { depthMax: 8, valuesMax: 2_000, textCharsMax: 16 * 1024 } as const;

export interface LoggableOptions {
  isSecret: (name: string) => boolean;
  /** Whether errors bring their stack. */
  withStack: boolean;
}

interface Budget extends LoggableOptions {
  valuesLeft: number;
}

/**
 * A copy of the fields that may be logged: secrets replaced, errors as data, bounded in depth, number and length, and
 * nothing in it that JSON cannot say. Names that the log line itself uses get a prefix, as logrus does it.
 */
export function loggableFields(fields: LogFields, options: LoggableOptions): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  const budget = { ...options, valuesLeft: loggableLimits.valuesMax };
  for (const [name, value] of Object.entries(fields)) {
    const free = name === 'time' || name === 'level' || name === 'msg' ? `fields.${name}` : name;
    const copy = options.isSecret(name) ? redacted : loggable(value, 0, budget);
    if (copy !== undefined) result[free] = copy;
  }
  return result;
}

function loggable(value: unknown, depth: number, budget: Budget): unknown {
  if (budget.valuesLeft-- <= 0) return '[left out]';
  switch (typeof value) {
    case 'string':
      return shortened(value);
    case 'bigint':
      return value.toString();
    case 'object':
      return value === null ? null : loggableObject(value, depth, budget);
    case 'function':
    case 'symbol':
      return `[${typeof value}]`;
    default:
      return value;
  }
}

function loggableObject(value: object, depth: number, budget: Budget): unknown {
  if (value instanceof Error) {
    return loggableError(value, { ...budget, copy: (details) => loggable(details, depth + 1, budget) });
  }
  if (depth >= loggableLimits.depthMax) return '[left out]';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof Map || value instanceof Set) return loggable([...value], depth, budget);
  if (Array.isArray(value)) return value.map((item) => loggable(item, depth + 1, budget));
  if (isRawJson?.(value) === true) return value;
  const holdsSecrets = 'kind' in value && value.kind === 'Secret';
  const copy: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    const secret = budget.isSecret(name) || (holdsSecrets && name === 'data');
    copy[name] = secret && inner !== undefined ? redacted : loggable(inner, depth + 1, budget);
  }
  return copy;
}

/** `JSON.isRawJSON`, which the type library does not know yet: exact numbers of backed-up objects. */
const isRawJson = (JSON as { isRawJSON?: (value: unknown) => boolean }).isRawJSON;

function shortened(text: string): string {
  const { textCharsMax } = loggableLimits;
  return text.length <= textCharsMax ? text : `${text.slice(0, textCharsMax)}…[${text.length - textCharsMax} more]`;
}
