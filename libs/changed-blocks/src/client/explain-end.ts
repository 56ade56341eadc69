import { type AppError, isAppError } from '@lateen/errors';
import { type DoubtCode, doubt } from '../doubt.ts';
import type { MetadataQuestion } from './read-changed-ranges.ts';

/** Statuses after which the same question may be answered: the stream, the sidecar or the driver was interrupted. */
const interruptions: ReadonlySet<string> = new Set([
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'ABORTED',
  'CANCELLED',
  'INTERNAL',
  'UNKNOWN',
  'RESOURCE_EXHAUSTED',
]);

export const isInterruption = (error: unknown): boolean => isAppError(error) && interruptions.has(error.code);

interface Asked {
  readonly question: MetadataQuestion;
  readonly account: string;
  /** Whether something of the answer had come. */
  readonly hasBegun: boolean;
}

/** The doubt that a stream leaves which has ended for good; an error that is no status of gRPC stays what it is. Pure. */
export function explainEnd(error: unknown, asked: Asked): unknown {
  if (!isAppError(error)) return error;
  const answer = isInterruption(error) ? interrupted : answers[error.code];
  if (answer === undefined) return error;
  const { code, nextStep } = answer(asked);
  return doubt(code, error.message, { cause: error, ...(nextStep === undefined ? {} : { nextStep }) });
}

type Answer = (asked: Asked) => { code: DoubtCode; nextStep?: string };

const interrupted: Answer = ({ hasBegun }) => ({
  code: hasBegun ? 'DELTA_CUT' : 'DELTA_SERVICE_AWAY',
  nextStep: 'Check the log of the sidecar csi-snapshot-metadata beside the driver.',
});

/** What the statuses of the CSI specification (SnapshotMetadata) and of the sidecar say. */
const answers: Readonly<Record<string, Answer>> = {
  NOT_FOUND: ({ question }) => ({
    code: question.baseHandle === undefined ? 'DELTA_SNAPSHOT_GONE' : 'DELTA_BASE_GONE',
  }),
  INVALID_ARGUMENT: () => ({ code: 'DELTA_REFUSED' }),
  OUT_OF_RANGE: () => ({ code: 'DELTA_BEYOND_END' }),
  FAILED_PRECONDITION: () => ({ code: 'DELTA_UNKNOWN' }),
  UNIMPLEMENTED: () => ({ code: 'DELTA_UNKNOWN' }),
  UNAUTHENTICATED: () => ({
    code: 'DELTA_TOKEN_REFUSED',
    nextStep: 'Compare spec.audience of the SnapshotMetadataService with --audience of the sidecar.',
  }),
  PERMISSION_DENIED: ({ account, question }) => ({
    code: 'DELTA_FORBIDDEN',
    nextStep: `Allow service account ${account} to get volumesnapshots in namespace ${question.namespace}.`,
  }),
};

/** The doubt about a server that is not the one that the SnapshotMetadataService names. */
export const untrusted = (address: string, problem: string, cause: AppError): AppError =>
  doubt('DELTA_CERTIFICATE_WRONG', `${address}: ${problem}`, {
    cause,
    nextStep: 'Write the authority that signed it, and a name that is in it, into the SnapshotMetadataService.',
  });
