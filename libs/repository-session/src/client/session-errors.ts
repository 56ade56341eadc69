import { type ServiceError, status } from '@grpc/grpc-js';
import { AppError } from '@lateen/errors';
import type { KopiaSession } from '@lateen/repository';
import { type ErrorResponse, ErrorResponse_Code } from '../generated/repository-server.ts';

/** The connection to the server is gone. What was written since the last flush may be gone too. */
export const sessionLostCode = 'REPOSITORY_SESSION_LOST';

/** The server listens, and has not opened its repository yet. */
export const notOpenCode = 'REPOSITORY_NOT_OPEN';
/** Of kopia (internal/server/grpc_session.go). */
const notOpenText = 'not connected to a direct repository';

export function sessionLost(why: string, cause?: unknown): AppError {
  return new AppError(sessionLostCode, `the session with the repository server is lost: ${why}`, {
    retry: 'soon',
    cause,
  });
}

/** The error for a stream that ended with a status of gRPC. `details` is what the server or the connection said. */
export function streamFailure({ code, details }: Pick<ServiceError, 'code' | 'details'>, cause: unknown): AppError {
  if (code === status.PERMISSION_DENIED || code === status.UNAUTHENTICATED) return denied(details, cause);
  if (code === status.UNAVAILABLE && details === notOpenText)
    return new AppError(notOpenCode, 'the repository server has not opened the repository', { retry: 'soon', cause });
  return sessionLost(details === '' ? `gRPC status ${status[code] ?? code}` : details, cause);
}

/** The error for an answer that says so. Anything without a code of its own is judged by its text, as what the program prints. */
export function answeredError({ code, message }: ErrorResponse, doing: string, kopia: KopiaSession): AppError {
  const said = kopia.redact(message);
  if (code === ErrorResponse_Code.CONTENT_NOT_FOUND || code === ErrorResponse_Code.OBJECT_NOT_FOUND)
    return new AppError('CONTENT_MISSING', `${doing}: ${said}`, {
      nextStep: 'Check the repository with lateen repo check.',
    });
  if (code === ErrorResponse_Code.MANIFEST_NOT_FOUND) return new AppError('SNAPSHOT_NOT_FOUND', `${doing}: ${said}`);
  if (code === ErrorResponse_Code.ACCESS_DENIED) return denied(`${doing}: ${said}`);
  if (code === ErrorResponse_Code.STREAM_BROKEN) return sessionLost(said);
  return kopia.failure({ exitCode: 1, endedBy: undefined, stdout: '', stderr: message, aborted: false }, doing);
}

const denied = (said: string, cause?: unknown): AppError =>
  new AppError('REPOSITORY_SESSION_DENIED', `the repository server refuses: ${said}`, {
    cause,
    nextStep:
      'Somebody has given the repository access rules (kopia server acl list); default@default needs full access.',
  });

/** @param cause what was waited for */
export const tooSlow = (where: string, cause: unknown): AppError =>
  new AppError('REPOSITORY_SERVER_SLOW', `the repository server has not opened ${where} within two minutes`, {
    cause,
    retry: 'later',
    nextStep: 'Check how long the object store takes to answer.',
  });
