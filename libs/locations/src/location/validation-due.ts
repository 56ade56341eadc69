import { createHash } from 'node:crypto';
import type { BackupStorageLocation, BackupStorageLocationPhase } from '@lateen/api-types';
import { parseDurationMs } from '@lateen/kernel';

/**
 * Between two validations when neither spec.validationFrequency nor the server's flag says anything, and when the spec
 * says something that cannot be (performance.md section 1, --store-validation-frequency).
 */
export const validationFrequencyDefaultMs = 60_000;

/** An unavailable location is validated more often than its period says: its error may be corrected soon. */
export const unavailableFrequencyMs = 15_000;

/** What another process validated is validated by this one within this time: its spec may have changed in between. */
const firstLookMs = 60_000;

/** A location that asks for more does not get it: each validation is two calls of the API server. */
const everyMinMs = 1_000;

/** Two validations are not nearer to each other than this, or than a tenth of the frequency when that is less. */
const gapMinMs = 5_000;

export interface ValidationFrequency {
  /** Undefined: no validation unless something changes. */
  everyMs: number | undefined;
  /** Why not what the spec says; to be told once. */
  warning?: string;
}

/** How often a location asks to be validated. `serverMs` is the server's setting, for a location that says nothing. */
export function validationFrequency(text: string | null | undefined, serverMs: number): ValidationFrequency {
  if (text === null || text === undefined) return { everyMs: orNever(serverMs) };
  const wantedMs = parseDurationMs(text);
  if (wantedMs !== undefined && wantedMs >= 0) return { everyMs: orNever(wantedMs) };
  const shown = text.length <= 40 ? text : `${text.slice(0, 40)}…`;
  const what = wantedMs === undefined ? 'is not a duration' : 'is negative';
  const warning = `spec.validationFrequency ${JSON.stringify(shown)} ${what}: the location is validated every minute`;
  return { everyMs: validationFrequencyDefaultMs, warning };
}

export interface ValidationFacts {
  nowMs: number;
  /** Of {@link validationFrequency}. */
  everyMs: number | undefined;
  /** When this process first saw the location. */
  seenMs: number;
  /** When this process last validated it; undefined when it never did. */
  validatedMs: number | undefined;
  /** Its spec or a Secret it uses is not the one that this process last validated. */
  changed: boolean;
}

/**
 * In how many ms a location has to be validated: 0 means now, undefined never. A location never validated is always
 * due. Each location has its own place in the period, by its UID, so that the validations of many are spread over it,
 * also when all were created, or found by a new process, at the same moment.
 */
export function validationDueMs(location: BackupStorageLocation, facts: ValidationFacts): number | undefined {
  const { phase, lastValidationTime } = location.status ?? {};
  const { nowMs, validatedMs } = facts;
  if (facts.changed || phase === undefined || !lastValidationTime) return 0;
  const uid = location.metadata.uid ?? '';
  if (validatedMs === undefined) {
    const everyMs = firstEveryMs(facts.everyMs, phase);
    return everyMs === undefined ? undefined : Math.max(turnAfter(facts.seenMs, everyMs, uid) - nowMs, 0);
  }
  if (facts.everyMs === undefined) return undefined;
  // A clock that was set back must not put the next validation off for ever.
  if (nowMs < validatedMs) return 0;
  const everyMs = phase === 'Available' ? facts.everyMs : Math.min(facts.everyMs, unavailableFrequencyMs);
  const earliestMs = validatedMs + Math.min(gapMinMs, everyMs / 10);
  return Math.max(turnAfter(earliestMs, everyMs, uid) - nowMs, 0);
}

/** Zero switches repeated validation off, but a new process validates what was unavailable, because it may be repaired. */
function firstEveryMs(everyMs: number | undefined, phase: BackupStorageLocationPhase): number | undefined {
  if (phase !== 'Available') return Math.min(everyMs ?? unavailableFrequencyMs, unavailableFrequencyMs);
  return everyMs === undefined ? undefined : Math.min(everyMs, firstLookMs);
}

/** The first moment after `afterMs` that is this location's in a period of `everyMs`. */
function turnAfter(afterMs: number, everyMs: number, uid: string): number {
  const placeMs = (createHash('sha256').update(uid).digest().readUInt32BE(0) / 2 ** 32) * everyMs;
  return Math.floor(placeMs + (Math.floor((afterMs - placeMs) / everyMs) + 1) * everyMs);
}

const orNever = (ms: number): number | undefined => (ms === 0 ? undefined : Math.max(ms, everyMinMs));
