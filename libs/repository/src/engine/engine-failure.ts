import { repositoryPasswordWrong } from '@lateen/api-types';
import { AppError, type RetryFate } from '@lateen/errors';
import { restoreObject } from '../open/restore-object.ts';
import type { EngineExit } from './engine-process.ts';
import { killedFailure, saidText } from './killed-failure.ts';
import { redact } from './redact.ts';
import { isSurvived } from './survived-lines.ts';

/** Limits of the message about a failed run: enough to act on, short enough for a 4096-byte termination message. */
export const failureTextLimits = { linesMax: 6, lineLengthMax: 400 } as const;

/** A known failure of an engine run, with advice. */
export interface KnownFailure {
  /** Matched against standard error. kopia has no error codes, so the text decides here, and only here. */
  pattern: RegExp;
  code: string;
  message: (subject: FailureSubject) => string;
  nextStep: string;
  retry: RetryFate;
}

/** What the run was doing, for messages. */
export interface FailureSubject {
  /** `bucket "b", prefix "kopia/ns/", endpoint "host:port"`. */
  repository: string;
  /** `uploading /vol`, `restoring …`. */
  doing: string;
}

export const repositoryFailures: readonly KnownFailure[] = [
  {
    pattern: /invalid repository password/i,
    ...repositoryPasswordWrong,
    message: ({ repository }) => repositoryPasswordWrong.message(repository),
  },
  {
    // kopia writes kopia.blobcfg, then kopia.repository, each encrypted by the password (repo/format, ChangePassword).
    // Without the first of them it opens.
    pattern: /unable to decrypt repository blobcfg blob/i,
    code: 'REPOSITORY_PASSWORD_HALF_CHANGED',
    message: ({ repository }) =>
      `the repository at ${repository} opens with no password: a change of the password was interrupted`,
    nextStep:
      'Delete the object kopia.blobcfg there (it only holds retention settings, which Lateen does not use): the repository ' +
      'opens with the old password then; finish it with lateen repo change-password.',
    retry: 'later',
  },
  {
    // When the encrypted part is damaged, kopia reports a wrong password.
    pattern: /can't parse format blob|invalid format blob/i,
    code: 'REPOSITORY_CORRUPTED',
    message: ({ repository }) =>
      `the repository at ${repository} is damaged: its object kopia.repository cannot be read`,
    nextStep: restoreObject,
    retry: 'later',
  },
  {
    pattern: /bucket does not exist|NoSuchBucket/i,
    code: 'BUCKET_NOT_FOUND',
    message: ({ repository }) => `there is no such bucket: ${repository}`,
    nextStep: 'Create the bucket, or correct spec.objectStorage.bucket of the BackupStorageLocation.',
    retry: 'later',
  },
  {
    // For a missing bucket and for a missing object, S3 gives kopia the same answer, so the message names both.
    pattern: /unable to read format blob.*BLOB not found|not initialized in the provided storage/is,
    code: 'REPOSITORY_NOT_FOUND',
    message: ({ repository }) => `there is no repository at ${repository}`,
    nextStep: 'Check that the bucket exists and that the BackupRepository of this namespace is Ready.',
    retry: 'later',
  },
  {
    pattern: /found existing data in storage location/i,
    code: 'REPOSITORY_LOCATION_NOT_EMPTY',
    message: ({ repository }) => `found existing data in storage location ${repository}, but no repository`,
    nextStep: 'Remove what is there, or use another prefix in the BackupStorageLocation.',
    retry: 'later',
  },
  {
    // ExpiredToken and InvalidToken (Amazon S3 API reference, "Error responses"), as minio-go prints their messages.
    pattern: /ExpiredToken|InvalidToken|provided token (has expired|is malformed|is invalid)/i,
    code: 'OBJECT_STORE_FORBIDDEN',
    message: ({ repository }) => `the object store reports the keys for ${repository} as expired`,
    nextStep:
      "Put new keys into the Secret named by the BackupStorageLocation's spec.credential; keys with a session token " +
      'cannot be renewed, those of a role are.',
    retry: 'later',
  },
  {
    pattern:
      /signature we calculated|SignatureDoesNotMatch|InvalidAccessKeyId|access key id you provided|access denied/i,
    code: 'OBJECT_STORE_FORBIDDEN',
    message: ({ repository }) => `the object store refuses the keys for ${repository}`,
    nextStep: "Check the Secret named by the BackupStorageLocation's spec.credential.",
    retry: 'later',
  },
  {
    // A full disk, a quota, messages of S3 servers, and HTTP 507.
    pattern:
      /no space left on device|disk quota exceeded|QuotaExceeded|StorageFull|InsufficientStorage|insufficient storage/i,
    code: 'OBJECT_STORE_FULL',
    message: ({ repository }) => `the object store accepts no more data: ${repository}`,
    nextStep: 'Delete backups or raise the quota of the bucket.',
    retry: 'later',
  },
  {
    pattern:
      /connection refused|no such host|i\/o timeout|no route to host|network is unreachable|connection reset|x509:|tls:|HTTP response to HTTPS client|certificate|context deadline exceeded/i,
    code: 'OBJECT_STORE_UNAVAILABLE',
    message: ({ repository }) => `the object store cannot be reached: ${repository}`,
    nextStep: 'Check s3Url, network and certificates of the BackupStorageLocation.',
    retry: 'later',
  },
];

/**
 * The error for a run that failed. How it ended is checked first: an engine that was killed (ENGINE_KILLED) did not fail,
 * whatever errors it had printed before. Then its output is checked: the code of the first match in `known`, or `fallbackCode`.
 * Contains the engine's last lines, with `secrets` redacted.
 */
export function engineFailure(
  exit: EngineExit,
  known: readonly KnownFailure[],
  options: { subject: FailureSubject; fallbackCode: string; secrets: readonly string[] },
): AppError {
  const { subject, fallbackCode, secrets } = options;
  const linesOf = (text: string): string[] => lastLines(redact(text, secrets));
  const all = linesOf(exit.stderr);
  const killed = killedFailure(exit, `${subject.doing}: the engine`, all);
  if (killed !== undefined) return killed;
  const deciding = withoutSurvived(exit.stderr);
  const match = known.find((failure) => failure.pattern.test(deciding));
  const lines = linesOf(deciding);
  const said = saidText(lines.length === 0 ? all : lines);
  const details = { exitCode: exit.exitCode, endedBy: exit.endedBy };
  if (match !== undefined) {
    return new AppError(match.code, `${subject.doing}: ${match.message(subject)}${said}`, {
      retry: match.retry,
      nextStep: match.nextStep,
      details,
    });
  }
  // Here a signal means that we had asked the engine to end; other signals are ENGINE_KILLED.
  const how = exit.endedBy === undefined ? `exit code ${exit.exitCode}` : `signal ${exit.endedBy}`;
  return new AppError(fallbackCode, `${subject.doing}: the engine failed with ${how}${said}`, {
    retry: 'later',
    details,
  });
}

/** A store that was unavailable for a second is not the reason why an engine fails an hour later. */
const withoutSurvived = (stderr: string): string =>
  stderr
    .split(/[\r\n]+/)
    .filter((line) => !isSurvived(line))
    .join('\n');

/** The last distinct lines, without progress lines; duplicates are dropped, because kopia prints most errors twice. */
function lastLines(stderr: string): string[] {
  const kept: string[] = [];
  for (const raw of stderr.split(/[\r\n]+/)) {
    const line = withoutProgress(raw).trim().slice(0, failureTextLimits.lineLengthMax);
    if (line === '') continue;
    const said = kept.some((earlier) => line.endsWith(withoutPrefix(earlier)));
    if (!said) kept.push(line);
  }
  return kept.slice(-failureTextLimits.linesMax);
}

/**
 * kopia redraws its progress in place and starts no new line before an error, so the error may be at the end of a progress line.
 */
function withoutProgress(line: string): string {
  return line
    .replace(
      /^.*\bProcessed \d+ \([^)]*\) of \d+ \([^)]*\)( [\d.]+ [kMGT]?B\/s)?( \([\d.]+%\))?( remaining (\d+h)?(\d+m)?(\d+s)?)?\.?/,
      '',
    )
    .replace(/^.*\b\d+ hashing, \d+ hashed.*?(estimating\.\.\.|\bleft\b|$)/, '');
}
const withoutPrefix = (line: string): string => line.slice(line.indexOf(': ') + 1);
