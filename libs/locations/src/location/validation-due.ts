import type { BackupStorageLocation, BackupStorageLocationPhase } from '@lateen/api-types';
import { parseDurationMs } from '@lateen/kernel';

/** Between two validations when spec.validationFrequency says nothing. */
export const validationFrequencyDefaultMs = 60_000;

/** An unavailable location is looked at sooner than it asks for: it may be one typing error away from working. */
export const unavailableFrequencyMs = 15_000;

/**
 * In how many ms a location has to be validated: 0 means now, undefined never (validationFrequency zero). `changed` is
 * true when its spec or a Secret it uses is not the one last validated; a location never validated is always due.
 */
export function validationDueMs(
  location: BackupStorageLocation,
  facts: { nowMs: number; changed: boolean },
): number | undefined {
  const { phase, lastValidationTime } = location.status ?? {};
  if (facts.changed || phase === undefined || !lastValidationTime) return 0;
  const everyMs = validationFrequencyMs(location.spec.validationFrequency, phase);
  if (everyMs === undefined) return undefined;
  const sinceMs = facts.nowMs - Date.parse(lastValidationTime);
  // A time in the future (a clock that was set back) must not put the next validation off for ever.
  return Number.isNaN(sinceMs) || sinceMs < 0 ? 0 : Math.max(everyMs - sinceMs, 0);
}

/** Undefined: no validation unless something changes. Negative and unreadable values count as absent. */
export function validationFrequencyMs(
  text: string | null | undefined,
  phase: BackupStorageLocationPhase,
): number | undefined {
  const wanted = text === null || text === undefined ? undefined : parseDurationMs(text);
  if (wanted === 0) return undefined;
  const everyMs = wanted === undefined || wanted < 0 ? validationFrequencyDefaultMs : wanted;
  return phase === 'Available' ? everyMs : Math.min(everyMs, unavailableFrequencyMs);
}
