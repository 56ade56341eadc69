import { type ProcessKind, processKinds, type WantedProcess } from './process-plan.ts';

/** The record of a start: written without a pid before the program is started, with the pid afterwards. */
export interface ProcessRecord extends WantedProcess {
  readonly bootId: string;
  readonly pid?: number;
  readonly startTicks?: string;
}

/** An id is part of a file's name. */
export const isProcessId = (id: string): boolean => /^[a-z0-9][a-z0-9.-]{0,200}$/.test(id);

/** Undefined for a file that was truncated or that another version wrote. */
export function parseProcessRecord(text: string): ProcessRecord | undefined {
  let value: Partial<Record<keyof ProcessRecord, unknown>> | null;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { id, kind, run, argv, volume, bootId, pid, startTicks } = value ?? {};
  const known = processKinds.find((one): one is ProcessKind => one === kind);
  if (typeof id !== 'string' || !isProcessId(id) || known === undefined || typeof run !== 'string') return undefined;
  if (!Array.isArray(argv) || !argv.every((part) => typeof part === 'string')) return undefined;
  if (typeof bootId !== 'string') return undefined;
  const started = typeof pid === 'number' && typeof startTicks === 'string' ? { pid, startTicks } : {};
  return { id, kind: known, run, argv, bootId, ...(typeof volume === 'string' ? { volume } : {}), ...started };
}
