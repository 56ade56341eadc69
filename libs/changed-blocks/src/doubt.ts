import { AppError, type AppErrorOptions, isAppError } from '@lateen/errors';

/** Why what has changed in a volume is not known for sure, and what the status of the movement, which reads everything then, says of it. */
export const doubts = {
  DELTA_SERVICE_MISSING:
    'nothing in the cluster tells changed blocks of this driver: it has no SnapshotMetadataService',
  DELTA_SERVICE_WRONG: 'the SnapshotMetadataService of the driver cannot be used',
  DELTA_SERVICE_AWAY: 'the SnapshotMetadata service of the driver does not answer',
  DELTA_CERTIFICATE_WRONG: 'the certificate of the SnapshotMetadata service is not trusted',
  DELTA_TOKEN_REFUSED: 'the SnapshotMetadata service refuses our token',
  DELTA_FORBIDDEN: 'we may not ask for changed blocks',
  DELTA_BASE_GONE: 'base snapshot gone',
  DELTA_SNAPSHOT_GONE: 'the driver does not know the snapshot',
  DELTA_REFUSED: 'the driver refuses to compare the snapshots',
  DELTA_UNKNOWN: 'the driver cannot tell the changed blocks',
  DELTA_CUT: 'the list of changed blocks was cut',
  DELTA_OUT_OF_ORDER: 'changed blocks are out of order',
  DELTA_OVERLAPPING: 'changed blocks overlap',
  DELTA_BEYOND_END: 'changed blocks lie beyond the end of the volume',
  DELTA_SIZE_DIFFERS: 'the list of changed blocks is of a volume of another size',
  DELTA_ANSWER_WRONG: 'the list of changed blocks is not what the API says',
} as const;

export type DoubtCode = keyof typeof doubts;

/** An error that ends in a full read. `detail` goes to the log. */
export const doubt = (code: DoubtCode, detail: string, options: AppErrorOptions = {}): AppError =>
  new AppError(code, `${doubts[code]}: ${detail}`, options);

/** What a status says of this error; undefined for one that says nothing of the list: an abort, an API server that is away, a defect. */
export function doubtReason(error: unknown): string | undefined {
  return isAppError(error) && Object.hasOwn(doubts, error.code) ? doubts[error.code as DoubtCode] : undefined;
}
