import type { AccessPoint, BackupResult, DataPathProgress, RestoreResult } from '@lateen/datapath';
import { parseLimit, parseReadReport, parseReport } from './report-json.ts';

/**
 * Reads the JSON of a Data-Path-Completed Event or of a termination message. Undefined when the text is no result: torn
 * by the 4096 byte limit, or something else. Zeroes may be missing on the wire.
 */
export function parseResult(text: string): BackupResult | RestoreResult | undefined {
  const value = parseObject(text);
  if (value === undefined) return undefined;
  const totalBytes = count(value.totalBytes);
  if (totalBytes === undefined) return undefined;
  if ('target' in value) {
    const target = accessPoint(value.target);
    const report = parseReport(value.report);
    return target === undefined ? undefined : { target, totalBytes, ...(report === undefined ? {} : { report }) };
  }
  const source = accessPoint(value.source);
  const incrementalBytes = count(value.incrementalBytes);
  const warning = typeof value.warning === 'string' && value.warning !== '' ? { warning: value.warning } : {};
  if (source === undefined || incrementalBytes === undefined || typeof value.snapshotID !== 'string') return undefined;
  const readReport = parseReadReport(value.readReport);
  return {
    snapshotID: value.snapshotID,
    emptySnapshot: value.emptySnapshot === true,
    source,
    totalBytes,
    incrementalBytes,
    ...warning,
    ...(readReport === undefined ? {} : { readReport }),
  };
}

/** Reads a Data-Path-Progress message. What is our addition is left out when it makes no sense; the bytes have to. */
export function parseProgress(text: string): DataPathProgress | undefined {
  const value = parseObject(text);
  if (value === undefined) return undefined;
  const totalBytes = count(value.totalBytes);
  const doneBytes = count(value.doneBytes);
  if (totalBytes === undefined || doneBytes === undefined) return undefined;
  const { totalFiles, doneFiles, limitedBy } = value;
  const additions = {
    totalFiles: totalFiles && count(totalFiles),
    doneFiles: doneFiles && count(doneFiles),
    limitedBy: parseLimit(limitedBy),
  };
  return { totalBytes, doneBytes, ...Object.fromEntries(Object.entries(additions).filter(([, each]) => each)) };
}

/** True when both say the same about what was stored. */
export function sameResult(a: BackupResult | RestoreResult, b: BackupResult | RestoreResult): boolean {
  if ('snapshotID' in a !== 'snapshotID' in b || a.totalBytes !== b.totalBytes) return false;
  return !('snapshotID' in a && 'snapshotID' in b) || a.snapshotID === b.snapshotID;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Absent reads as zero; anything but a whole number of bytes is refused. */
function count(value: unknown): number | undefined {
  if (value === undefined) return 0;
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

function accessPoint(value: unknown): AccessPoint | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { byPath, volumeMode } = value as Record<string, unknown>;
  if (typeof byPath !== 'string' || (volumeMode !== 'Filesystem' && volumeMode !== 'Block')) return undefined;
  return { byPath, volumeMode };
}
