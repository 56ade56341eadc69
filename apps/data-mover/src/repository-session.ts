import {
  type OpenServerSession,
  openServerSession,
  type RestateRequest,
  restateTags,
} from '@lateen/repository-session';

/*
 * A program of its own beside the mover's: gRPC and the messages of kopia's server are loaded by uploads that need a session only.
 */

/** See `restateTags`; each session is logged that was lost. */
export function restateSnapshotTags(
  options: Omit<OpenServerSession, 'purpose'>,
  request: RestateRequest,
): Promise<string> {
  const { clock, random, log } = options;
  return restateTags(
    {
      clock,
      random,
      open: (signal) => openServerSession({ ...options, purpose: 'restating tags' }, signal),
      onLost: (error) =>
        log.warn({ err: error }, 'the session with the repository server was lost; another one is begun'),
    },
    request,
  );
}
