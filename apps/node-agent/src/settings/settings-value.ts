/** Receives a remark about an ignored setting: one sentence that names key and value. */
export type Remark = (text: string) => void;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The form of a value in a remark; long ones are cut. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length <= shownMax ? text : `${text.slice(0, shownMax)}…`;
}

const shownMax = 200;

/** An object, or nothing and a remark; no remark when it is absent. */
export function objectAt(key: string, value: unknown, remark: Remark): Record<string, unknown> | undefined {
  if (value === undefined || value === null) return undefined;
  if (isObject(value)) return value;
  remark(`"${key}": ${shown(value)} is ignored: it must be an object`);
  return undefined;
}

export function listAt(key: string, value: unknown, remark: Remark): unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  remark(`"${key}": ${shown(value)} is ignored: it must be a list`);
  return [];
}

export function booleanAt(key: string, value: unknown, remark: Remark): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  remark(`"${key}": ${shown(value)} is ignored: it must be true or false`);
  return false;
}

/** Empty reads as absent. */
export function textAt(key: string, value: unknown, remark: Remark): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  remark(`"${key}": ${shown(value)} is ignored: it must be a string`);
  return undefined;
}

/** A whole number of at least `least`. */
export function numberAt(
  key: string,
  value: unknown,
  { least, remark }: { least: number; remark: Remark },
): number | undefined {
  if (value === undefined) return undefined;
  if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
  remark(`"${key}": ${shown(value)} is ignored: it must be a whole number of at least ${least}`);
  return undefined;
}

/** The entries whose text `fits`; each other entry gets a remark. */
export function textsAt(
  key: string,
  value: unknown,
  { fits, must, remark }: { fits: (name: string, text: string) => boolean; must: string; remark: Remark },
): Record<string, string> | undefined {
  const given = objectAt(key, value, remark);
  if (given === undefined) return undefined;
  const entries: [string, string][] = [];
  for (const [name, text] of Object.entries(given)) {
    if (typeof text === 'string' && fits(name, text)) entries.push([name, text]);
    else remark(`"${key}": "${name}": ${shown(text)} is ignored: it must be ${must}`);
  }
  return Object.fromEntries(entries);
}

/** Adds remarks about unknown keys, which are mostly misspelled. */
export function remarkUnknown(where: string, value: object, known: readonly string[], remark: Remark): void {
  for (const key of Object.keys(value))
    if (!known.includes(key)) remark(`"${where}${key}" is unknown and has no effect`);
}
