import { createHash } from 'node:crypto';
import { annotations, type Schedule } from '@lateen/api-types';
import { parseDurationMs } from '@lateen/kernel';

export interface Jitter {
  /** How much later than its expression says the schedule runs, always the same. */
  laterMs: number;
  /** Why the annotation is not followed; to be told. */
  warning?: string;
}

/** A day: more would change which day a backup is of. */
const jitterMaxMs = 86_400_000;

/**
 * Where in its jitter a schedule has its place, by its uid: many schedules of one expression are spread over that time. An annotation
 * that cannot be read keeps no backup from being made.
 */
export function jitterOf({ metadata }: Schedule): Jitter {
  const text = metadata.annotations?.[annotations.jitter];
  if (text === undefined || text === '') return { laterMs: 0 };
  const overMs = parseDurationMs(text);
  if (overMs === undefined || overMs < 0 || overMs > jitterMaxMs) {
    const shown = JSON.stringify(text.length <= 40 ? text : `${text.slice(0, 40)}…`);
    return {
      laterMs: 0,
      warning: `annotation ${annotations.jitter} ${shown} is not a duration from 0 to 24h: there is no jitter`,
    };
  }
  const place =
    createHash('sha256')
      .update(metadata.uid ?? '')
      .digest()
      .readUInt32BE(0) /
    2 ** 32;
  return { laterMs: Math.floor((place * overMs) / 1_000) * 1_000 };
}
