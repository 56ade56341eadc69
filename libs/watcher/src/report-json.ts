import { type ReadReport, type RestoreReport, restoreLimits } from '@lateen/datapath';

/**
 * Reads the report in a restore's result. It says how the data came, not whether: whatever of it cannot be read is left out, and
 * the result stays what it is.
 */
export function parseReport(value: unknown): RestoreReport | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Record<string, unknown>;
  const { reader } = fields;
  if (reader !== 'packs' && reader !== 'engine') return undefined;
  const optional = {
    reason: text(fields.reason),
    limitedBy: parseLimit(fields.limitedBy),
    storeBytes: amount(fields.storeBytes),
    storeRequests: amount(fields.storeRequests),
    storeLatencyMs: amount(fields.storeLatencyMs),
    storeRequestsInFlight: amount(fields.storeRequestsInFlight),
    comparedBytes: amount(fields.comparedBytes),
    unchangedBytes: amount(fields.unchangedBytes),
    writtenBytes: amount(fields.writtenBytes),
  };
  return {
    reader,
    files: amount(fields.files) ?? 0,
    filesPerSecond: amount(fields.filesPerSecond) ?? 0,
    bytesPerSecond: amount(fields.bytesPerSecond) ?? 0,
    seconds: amount(fields.seconds) ?? 0,
    ...Object.fromEntries(Object.entries(optional).filter(([, each]) => each !== undefined)),
  };
}

/** Reads how a backup read its volume, in the same way; nothing without the number of bytes. */
export function parseReadReport(value: unknown): ReadReport | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Record<string, unknown>;
  const names = ['readBytes', 'changedBytes', 'uploadedBytes', 'verifiedBytes', 'differsAt'];
  const [readBytes, changedBytes, uploadedBytes, verifiedBytes, differsAt] = names.map((name) =>
    Number.isSafeInteger(fields[name]) ? amount(fields[name]) : undefined,
  );
  if (readBytes === undefined) return undefined;
  const optional = {
    changedBytes,
    uploadedBytes,
    verifiedBytes,
    differsAt,
    fullReadReason: text(fields.fullReadReason),
  };
  return { readBytes, ...Object.fromEntries(Object.entries(optional).filter(([, each]) => each !== undefined)) };
}

/** A limit that a newer mover knows and we do not is none. */
export const parseLimit = (value: unknown) => restoreLimits.find((limit) => limit === value);

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Rates may have a fraction; more than the API's integers hold is nonsense. */
const amount = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined;
